from msgspec.structs import replace

from gate.core.longmemeval.run import differences, first_line, retrieval_config_hash, run_of_line
from gate.core.records.row_decoder import decode_rows
from gate.core.records.system import Capabilities
from gate.core.shards import Shard
from tests.core.longmemeval.factories import run


def test_a_run_is_read_back_from_its_first_line() -> None:
    stated = run("q1", "q2", shard=Shard(1, 2), fingerprints={"embedder": "e@3"})
    assert run_of_line(first_line(stated)) == stated


def test_what_is_no_first_line_states_no_run() -> None:
    for line in (b'{"question_id":"q1"}\n', b"torn", b"\xff\n", b"{}\n"):
        assert run_of_line(line) is None


def test_the_first_line_makes_rows_comparable_without_saying_which_shard_they_are() -> None:
    lines = [first_line(run("q1", shard=Shard(1, 1))), b'{"question_id":"q1","recall_all_hit":true}\n']
    stated = decode_rows(lines, name="rows").fingerprints
    assert stated["k"] == "5"
    assert stated["dataset_sha256"] == "d" * 64
    assert stated["mode"] == "balanced"
    assert stated["embedder"] == "none"
    assert not {"shard", "run", "seed"} & stated.keys()


def test_a_system_without_a_version_states_none() -> None:
    assert b"system_version" not in first_line(replace(run(), system_version=None)).split(b'"run"')[0]


def test_a_shard_asks_its_own_questions_in_the_order_of_the_dataset() -> None:
    names = [f"q{number}" for number in range(30, 0, -1)]
    parts = [run(*names, shard=Shard(number, 3)).own_questions() for number in (1, 2, 3)]
    assert sorted(sum(parts, ())) == sorted(names)
    assert all(list(part) == [each for each in names if each in part] for part in parts)


def test_the_hash_of_the_retrieval_is_the_systems_own_where_it_has_one() -> None:
    own = Capabilities(name="s", fingerprints={"retrieval_config_hash": "abc"})
    assert retrieval_config_hash(own, "balanced") == "abc"


def test_the_hash_of_the_retrieval_follows_everything_a_system_says() -> None:
    said = Capabilities(name="s", version="1", fingerprints={"embedder": "e"})
    others = (replace(said, name="t"), replace(said, version="2"), replace(said, fingerprints={}))
    hashes = {retrieval_config_hash(each, "balanced") for each in (said, *others)}
    assert len(hashes | {retrieval_config_hash(said, "tokenmax")}) == 5
    assert retrieval_config_hash(said, "balanced") in hashes


def test_differences_are_told_field_by_field() -> None:
    one = run("q1", "q2", fingerprints={"a": "1", "b": "2"})
    other = replace(one, k=8, questions=("q1",), fingerprints={"a": "1", "b": "3"}, shard=Shard(1, 2))
    assert set(differences(one, other)) == {
        "k: 5 and 8",
        "questions: 2 and 1, not the same ones",
        "fingerprints: b",
        "shard: 1/1 and 1/2",
    }
    assert differences(one, one) == ()
    assert "shard" not in " ".join(differences(one, other, ignoring=frozenset({"shard"})))
