# `make demo` and `make test` need Python 3.11 or newer, make and git, and the package registry. Nothing else.
# PYTHON=/path/to/python chooses the interpreter that .venv is made with.

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; exit; }; done; echo python3)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SHELL_FILES := .ci/run .ci/container .github/release-check .github/release-commit .github/try-image composite/gate.sh
WORKFLOWS := .github/workflows/*.yml gate/data/workflows/*.yml examples/*/.github/workflows/*.yml
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.13 --generate-hashes \
	--custom-compile-command "make lock"

.DEFAULT_GOAL := help
.PHONY: help demo test check format lint types layers docs linters benchmarks lock clean

help: ## Show these lines
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' $(MAKEFILE_LIST)

demo: $(VENV)/.package ## Run the gate on the shipped examples: one it must refuse, one in which it searches and passes
	@code=0; $(BIN)/gate run --config examples/quickstart/eval-gate.yml --out gate-out || code=$$?; \
	if [ ! -s gate-out/comment.md ]; then echo "demo: the gate wrote no comment (exit code $$code)" >&2; exit 1; fi; \
	printf '\n──── the comment it would leave on the pull request: gate-out/comment.md ────\n\n'; \
	cat gate-out/comment.md; \
	printf '\n────\nreceipt: gate-out/receipt.json (check it: %s verify gate-out/receipt.json)\n' $(BIN)/gate; \
	printf '\n──── a gate that retrieves: examples/retrieval, the built-in system over a small handbook ────\n\n'; \
	retrieval=0; $(BIN)/gate run --config examples/retrieval/eval-gate.yml --out gate-out/retrieval || retrieval=$$?; \
	printf '\n──── a panel of judges on notes, replayed from a cassette: no key, no model, invented judges ────\n\n'; \
	$(BIN)/gate takes-quality run --pages examples/quickstart/brain --cassette examples/quickstart/panel.jsonl \
		--receipts-dir gate-out/takes --ledger gate-out/takes || echo "(the panel's exit code: $$?)"; \
	printf "\n────\nthe gate's own exit code: %s" "$$code"; \
	if [ "$$code" = 1 ]; then echo ' (fail), as the example is made to'; else echo ', but the example must fail with 1' >&2; exit 1; fi; \
	if [ "$$retrieval" != 0 ]; then echo "demo: the gate that retrieves must pass, and ended with $$retrieval" >&2; exit 1; fi

test: $(VENV)/.test ## Run the tests
	@$(BIN)/python -m pytest --numprocesses auto --dist loadfile $(ARGS)

check: format lint types layers docs linters ## Everything that is checked without running the tests

format: $(VENV)/.dev
	$(BIN)/ruff format --check --quiet .

lint: $(VENV)/.dev
	$(BIN)/ruff check --quiet .

types: $(VENV)/.dev
	$(BIN)/mypy

layers: $(VENV)/.dev
	$(BIN)/lint-imports --no-cache

docs: $(VENV)/.dev
	@for page in docs/generate*.py; do $(BIN)/python "$$page" --check || exit 1; done

linters: $(VENV)/.dev
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-actions action.yml composite/action.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows $(WORKFLOWS)
	$(BIN)/zizmor --offline --quiet --no-progress . gate/data/workflows/*.yml examples/*/.github/workflows/*.yml
	$(BIN)/actionlint -shellcheck $(BIN)/shellcheck $(WORKFLOWS)
	$(BIN)/hadolint Dockerfile
	$(BIN)/shellcheck $(SHELL_FILES)

benchmarks: $(VENV)/.test ## Print the table of speeds against their budgets
	@$(BIN)/python -m benchmarks

lock: $(VENV)/.lock ## Pin the image's dependencies again, with hashes (all but the model of the extra embed)
	$(LOCK) --extra panel --extra postgres --output-file requirements.lock pyproject.toml
	$(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'], sep='\n')" \
		| $(LOCK) --output-file requirements.build.lock -

clean: ## Remove what the other commands have made
	rm -rf $(VENV) gate-out dist build .coverage htmlcov .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find gate tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

# ---- the environment: each stamp is made once, and again when pyproject.toml changes

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) --version 2>&1 || echo missing)." >&2; \
		echo "  → install one, or name it: make PYTHON=/path/to/python3.13 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "  → on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.package: pyproject.toml | $(VENV)/.made
	@echo "installing the package into $(VENV) …"
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/.made
	@echo "installing the package and its test tools into $(VENV) …"
	@$(PIP) install --editable . --group test
	@touch $@ $(VENV)/.package

$(VENV)/.dev: pyproject.toml | $(VENV)/.made
	@echo "installing the package and its development tools into $(VENV) …"
	@$(PIP) install --editable . --group dev
	@touch $@ $(VENV)/.package $(VENV)/.test

$(VENV)/.lock: pyproject.toml | $(VENV)/.made
	@$(PIP) install --group lock
	@touch $@
