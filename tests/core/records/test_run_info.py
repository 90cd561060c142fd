import pytest

from gate.core.records.run_info import RunInfo, RunInfoError, merged, run_info


def test_texts_numbers_and_booleans_are_fingerprints_and_nothing_else_is() -> None:
    line = {
        "kind": "run_info",
        "schema_version": 1,
        "k": 5,
        "temperature": 0.5,
        "expansion": True,
        "keyword_only": False,
        "embedder": "e",
        "nothing": None,
        "empty": "",
        "list": [1],
        "object": {"a": 1},
    }
    assert run_info(line) == RunInfo(
        kind="run_info",
        fingerprints={
            "k": "5",
            "temperature": "0.5",
            "expansion": "true",
            "keyword_only": "false",
            "embedder": "e",
        },
    )


def test_fingerprints_may_stand_in_an_object_of_their_own() -> None:
    line = {"kind": "run_info", "fingerprints": {"units": "metric", "k": 5}, "units": {"m": "ms"}}
    assert run_info(line).fingerprints == {"units": "metric", "k": "5"}


def test_a_text_too_long_to_show_is_told_apart_by_its_digest() -> None:
    stated = [run_info({"kind": "run_info", "x": "y" * 300 + end}).fingerprints["x"] for end in "ab"]
    assert stated[0] != stated[1]
    assert all(text.startswith("sha256:") for text in stated)


def test_a_name_too_long_to_show_is_refused() -> None:
    with pytest.raises(RunInfoError, match="longer than 200"):
        run_info({"kind": "run_info", "x" * 201: 1})


@pytest.mark.parametrize(
    "line",
    [
        {"fingerprints": 3},
        {"units": 3},
        {"units": {"m": 1}},
        {"metrics": 3},
        {"metrics": [3]},
        {"metrics": ["k"]},
        {"native": 3},
    ],
)
def test_what_cannot_be_used_is_refused(line: dict[str, object]) -> None:
    with pytest.raises(RunInfoError, match="`"):
        run_info({"kind": "run_info", **line})


def test_metrics_are_declared_once_each() -> None:
    assert run_info({"kind": "run_info", "metrics": ["b", "a", "b"]}).metrics == ("b", "a")


def test_the_summary_of_a_longmemeval_run_states_its_configuration() -> None:
    line = {
        "schema_version": 2,
        "kind": "by_type_summary",
        "k": 8,
        "run_config": {
            "mode": "balanced",
            "embedder": "e@3",
            "topK": 9,
            "dataset_sha256": "d",
            "retrieval_config_hash": "r",
            "autocut": None,
            "reranker": {"enabled": False, "model": None},
            "cache": {"sha256": "s", "canonical_sha256": "c", "hits": 3},
            "reader": {"mode": "notes", "model": "m", "config_hash": "h", "prompt_version": "v"},
        },
        "qa_accuracy": {"judge_model": "j", "judge_prompt_version": "p", "judge_config_hash": "q"},
    }
    assert run_info(line).fingerprints == {
        "k": "8",
        "mode": "balanced",
        "embedder": "e@3",
        "dataset_sha256": "d",
        "retrieval_config_hash": "r",
        "reranker_enabled": "false",
        "cache": "c",
        "reader_mode": "notes",
        "reader_model": "m",
        "reader_config_hash": "h",
        "reader_prompt_version": "v",
        "judge_model": "j",
        "judge_prompt_version": "p",
        "judge_config_hash": "q",
    }


def test_the_first_summary_version_states_nothing() -> None:
    assert not run_info({"schema_version": 1, "kind": "by_type_summary", "run_config": None}).fingerprints


def test_one_statement_stays_itself_and_several_are_mixed() -> None:
    stated = merged([{"k": ("5",), "mode": ("b",)}, {"k": ("5",), "mode": ("a", "c")}])
    assert stated == {"k": "5", "mode": "mixed: a, b, c"}


def test_a_run_may_say_how_many_questions_it_has_and_where_it_fell_short() -> None:
    line = {
        "kind": "run_info",
        "questions": 350,
        "applies_to": {"recall": 171},
        "shortfalls": {"reranker_fell_open": 3, "deadline": 0},
        "notes": ["one", 2, "x" * 500, *["more"] * 20],
        "k": 5,
    }
    info = run_info(line)
    assert (info.questions, info.shortfalls) == (350, {"reranker_fell_open": 3, "deadline": 0})
    assert info.applies_to == {"recall": 171}
    assert info.notes == ("one", "x" * 200, *["more"] * 5)
    assert info.fingerprints == {"k": "5"}


@pytest.mark.parametrize(
    "absent", [{}, {"questions": None, "shortfalls": None, "notes": None}, {"notes": "text"}]
)
def test_a_run_that_says_nothing_of_that_says_nothing(absent: dict[str, object]) -> None:
    info = run_info({"kind": "run_info", **absent})
    assert (info.questions, info.shortfalls, info.notes) == (0, {}, ())


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"questions": -1}, "`questions` must be a whole number, 0 or more"),
        ({"questions": 1.5}, "`questions` must be a whole number"),
        ({"questions": True}, "`questions` must be a whole number"),
        ({"questions": "9"}, "`questions` must be a whole number"),
        ({"questions": 2**54}, "`questions` must be a whole number"),
        ({"applies_to": []}, "`applies_to` must be an object"),
        ({"applies_to": {"m": -1}}, "`applies_to.m` must be a whole number"),
        ({"shortfalls": []}, "`shortfalls` must be an object"),
        ({"shortfalls": {"tired": 1}}, "`shortfalls` names 'tired', which is none of reranker_fell_open, "),
        ({"shortfalls": {"deadline": None}}, "`shortfalls.deadline` must be a whole number"),
        ({"objections": {}}, "`objections` must be a list"),
    ],
)
def test_a_wrong_statement_about_the_run_is_refused(members: dict[str, object], said: str) -> None:
    with pytest.raises(RunInfoError, match=said):
        run_info({"kind": "run_info", **members})
