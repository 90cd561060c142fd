from gate.settings import Settings, check
from gate.settings.checks import wrong_with
from gate.store.config_file import parse_config

WRONG = b"""version: 1
gaet: x
suites:
  - {suite: rows, name: s, rows: /etc/passwd}
  - {suite: rows, name: t, rws: a.ndjson}
  - {suite: rows, name: s, rows: a.ndjson}
rules:
  - {metric: recall@5, rule: significant}
  - {metric: recall@5, rule: significan}
  - {metric: recall@5, rule: significant}
"""


def test_what_the_schema_refuses_hides_nothing_of_what_else_is_wrong() -> None:
    told = parse_config(WRONG, name="c.yml").told(check(parse_config(WRONG, name="c.yml")))

    assert [line.partition(": ")[0] for line in told] == [f"c.yml:{line}" for line in (2, 4, 5, 6, 9, 10)]
    assert '"/etc/passwd" lies outside the workspace' in told[1]
    assert "the name `s` is taken by suites[0]" in told[3]
    assert "rules[2]: asks the same as rules[0]" in told[5]


def paths(folder: str, path: str) -> list[str]:
    text = f"""version: 1
suites: [{{suite: rows, name: s, rows: rows.ndjson}}]
baseline: {{rows: {path}}}
rules: [{{metric: m, rule: threshold, at-least: 1}}]
"""
    config = parse_config(text.encode(), name="c.yml")
    return [problem.place for problem in wrong_with(config, Settings.model_validate, folder=folder)]


def test_a_path_may_climb_as_far_as_the_workspace_goes() -> None:
    assert paths("examples/quickstart", "../../rows.ndjson") == []
    assert paths("examples/quickstart", "../../../rows.ndjson") == ["baseline"]
    assert paths("", "..rows/a.ndjson") == []
