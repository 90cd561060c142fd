#!/usr/bin/env bash
# Installs the gate into a folder of its own, once a job, and becomes it: signals reach Python directly.
# -I throughout: neither the workspace (our working folder) nor PYTHON* variables can put code on our path.
set -euo pipefail

python=${GATE_PYTHON:-python3}
source=${GATE_WHEEL:-$(dirname "$GITHUB_ACTION_PATH")}
venv=${RUNNER_TEMP:?}/retrieval-quality-gate

if ! "$python" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "::error title=Retrieval Quality Gate::Python 3.11 or newer is needed; set one up in an earlier step, or name it with the input 'python'"
  exit 69
fi
extras=${GATE_EXTRAS:-}
extras=${extras// /}
if [[ ! $extras =~ ^[a-z,]*$ ]]; then
  echo "::error title=Retrieval Quality Gate::the input 'extras' is a list of names separated by commas: panel, embed"
  exit 64
fi
installed=$venv/installed${extras:+-$extras}
if [ ! -e "$installed" ]; then
  [ -z "${GATE_INDEX_URL:-}" ] || export PIP_INDEX_URL=$GATE_INDEX_URL
  "$python" -I -m venv "$venv"
  if ! "$venv/bin/python" -I -m pip install --quiet --disable-pip-version-check "$source${extras:+[$extras]}"; then
    echo "::error title=Retrieval Quality Gate::the gate could not be installed; pip's own words are in the log. Behind a mirror, use the inputs 'index-url' or 'wheel'"
    exit 69
  fi
  touch "$installed"
fi

exec "$venv/bin/python" -I -m gate.action
