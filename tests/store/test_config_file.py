"""Reading eval-gate.yml: one clear error, or every problem with its line."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from gate.errors import ConfigError, ExitCode
from gate.store.config_file import LARGEST, ConfigFile, parse_config, read_config, refuse

GOOD = """\
version: 1
suites:
  - {suite: rows, name: candidate, rows: rows/candidate.ndjson}
rules:
  - {metric: recall_all@5, rule: significant}
"""


def told(text: str) -> tuple[str, ...]:
    config = parse_config(text.encode(), name="eval-gate.yml")
    return config.told(config.problems)


def refused(path: Path) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read_config(path)
    assert caught.value.exit_code == ExitCode.CONFIG
    assert caught.value.remedy
    return caught.value


def unreadable(data: bytes) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_config(data, name="eval-gate.yml")
    return caught.value.message


def test_a_good_configuration_is_read_with_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "eval-gate.yml"
    path.write_text(GOOD)

    config = read_config(path)

    assert config.problems == ()
    assert config.name == str(path)
    assert config.sha256 == hashlib.sha256(GOOD.encode()).hexdigest()
    assert config.bytes == len(GOOD)
    assert isinstance(config.document, dict)
    assert config.document["rules"] == [{"metric": "recall_all@5", "rule": "significant"}]


def test_every_problem_is_told_at_once_with_its_line_in_the_file_s_order() -> None:
    text = (
        GOOD.replace("metric:", "metrc:") + "show-text: yes\nstats:\n  seed: .nan\n  drawz: 5\nversion: 1\n"
    )

    assert told(text) == (
        "eval-gate.yml:1: version: duplicate key `version`, again in line 10",
        "eval-gate.yml:5: rules[0].metrc: unknown key `metrc`; did you mean `metric`?",
        'eval-gate.yml:6: show-text: expected true or false, found "yes"',
        "eval-gate.yml:8: stats.seed: `.nan` is not a finite number",
        "eval-gate.yml:9: stats.drawz: unknown key `drawz`; did you mean `draws`?",
    )


def test_a_value_that_could_not_be_read_is_told_once() -> None:
    assert told(GOOD + "gate: &here x\nmode: *here\n") == (
        "eval-gate.yml:6: gate: anchors are not read; write the value out where it is needed",
        "eval-gate.yml:7: mode: aliases are not read; write the value out",
    )


def test_a_missing_key_is_told_where_it_is_missing() -> None:
    assert told("version: 1\nsuites:\n  - suite: rows\n    rows: a\nrules: []\n") == (
        "eval-gate.yml:3: suites[0]: missing key `name`",
        "eval-gate.yml:5: rules: expected a list of at least one rule (a gate without rules decides nothing), "
        "found an empty list",
    )


def test_a_document_that_is_no_mapping_is_told() -> None:
    assert told("- a\n") == ("eval-gate.yml:1: expected the configuration (a mapping), found a list of 1",)


@pytest.mark.parametrize(
    "text", [GOOD.replace("\n", "\r\n"), "\ufeff" + GOOD, "# hello\n---\n" + GOOD, GOOD + "...\n"]
)
def test_byte_order_marks_windows_lines_and_document_marks_are_fine(text: str) -> None:
    assert told(text) == ()


@pytest.mark.parametrize("indent", [None, 2, "\t"])
@pytest.mark.parametrize("name", ["candidate", "é", "\N{GRINNING FACE}"])
def test_json_is_read_too(name: str, indent: int | str | None) -> None:
    document = {
        "version": 1,
        "suites": [{"suite": "rows", "name": name, "rows": "a/b"}],
        "rules": [{"metric": "m", "rule": "threshold", "at-least": 0.5}],
    }

    config = parse_config(json.dumps(document, indent=indent).encode(), name="eval-gate.json")

    assert config.document == document
    assert config.problems == ()


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# nothing\n", b"---\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_empty(data: bytes) -> None:
    assert unreadable(data) == "eval-gate.yml: is empty"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"version: 1\nstats:\n\tseed: 1\n",
            "eval-gate.yml:3: column 1: a tab cannot indent YAML; use spaces",
        ),
        (
            b"a: 1\n---\nb: 1\n",
            "eval-gate.yml:2: column 1: a second document begins here; there may be one only",
        ),
        (
            b"a: b\nc: \xe9\n",
            "eval-gate.yml:2: column 4: byte 0xe9 is not valid UTF-8; save the file as UTF-8",
        ),
        (b"\xff\xfea\x00", "eval-gate.yml:1: column 1: byte 0xff is not valid UTF-8; save the file as UTF-8"),
        (b"\x7fELF", "eval-gate.yml:1: column 1: control character U+007F"),
        (
            b"{" * 500,
            "eval-gate.yml:1: column 2: a key must be plain text; a value that begins with `{` or `[` goes in quotes",
        ),
        (b"a: " + b"[" * 500, "eval-gate.yml:1: column 103: nested more than 100 levels deep"),
    ],
)
def test_what_cannot_be_read_is_one_error_with_its_line(data: bytes, message: str) -> None:
    assert unreadable(data) == message


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "eval-gate.yml"
    path.write_bytes(b"#" * (LARGEST + 1))

    assert refused(path).message == f"{path}: larger than 1,048,576 bytes"


def test_a_file_of_the_largest_size_is_read(tmp_path: Path) -> None:
    path = tmp_path / "eval-gate.yml"
    path.write_text(GOOD + "#" * (LARGEST - len(GOOD)))

    assert read_config(path).problems == ()


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    error = refused(tmp_path / "eval-gate.yml")

    assert error.message.endswith("eval-gate.yml: there is no such file")
    assert "`gate init`" in error.remedy
    assert "create it" in error.remedy
    assert "--config PATH" in error.remedy


def test_a_folder_is_no_configuration(tmp_path: Path) -> None:
    assert refused(tmp_path).message == f"{tmp_path}: is a folder"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert refused(tmp_path / "pipe").message.endswith("pipe: is not a regular file")


def test_a_file_in_a_file_and_an_impossible_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert "cannot be read" in refused(tmp_path / "file" / "eval-gate.yml").message
    assert "cannot be read" in refused(Path("a\0b")).message
    assert "cannot be read" in refused(tmp_path / ("x" * 300)).message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "eval-gate.yml"
    path.write_text(GOOD)
    path.chmod(0)

    assert "cannot be read (Permission denied)" in refused(path).message


def test_the_name_shown_may_differ_from_the_path(tmp_path: Path) -> None:
    path = tmp_path / "eval-gate.yml"
    path.write_text("[]")

    config = read_config(path, name="eval-gate.yml")

    assert config.told(config.problems)[0].startswith("eval-gate.yml:1: ")


def test_one_problem_is_the_message_itself() -> None:
    error = refuse(["eval-gate.yml:1: a: wrong"], "eval-gate.yml")

    assert error.message == "eval-gate.yml:1: a: wrong"
    assert error.remedy == "correct it; docs/configuration.md describes every key"


def test_several_problems_are_one_error() -> None:
    error = refuse(["e.yml:1: a: wrong", "e.yml:2: b: wrong"], "e.yml")

    assert error.message == "e.yml: 2 problems:\n  e.yml:1: a: wrong\n  e.yml:2: b: wrong"


def test_what_is_not_shown_is_counted() -> None:
    text = GOOD + "".join(f"zzz{n}: 1\n" for n in range(1250))
    config = parse_config(text.encode(), name="e.yml")

    lines = refuse(config.told(config.problems), config.name).message.splitlines()

    assert lines[0] == "e.yml: 1,250 problems:"
    assert len(lines) == 52
    assert lines[-1] == "  and 1,200 more"


def test_a_problem_outside_the_file_has_no_line() -> None:
    config = ConfigFile(name="e.yml", document={}, sha256="", bytes=0, lines={}, problems=())

    assert config.told(parse_config(b"[]", name="x").problems) == (
        "e.yml: expected the configuration (a mapping), found an empty list",
    )
