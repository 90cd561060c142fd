import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.longmemeval.splits import SPLIT_NAMES, sample, shuffled, splits

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "golden" / "longmemeval-splits.json").read_text()
)
ROWS = Path(__file__).parents[4] / "shared" / "data" / "gbrain" / "lme-opaque-a.ndjson"


def published_ids() -> list[str]:
    if not ROWS.exists():
        pytest.skip("the 500 ids of LongMemEval-S lie in ../shared, which is not here")
    return [json.loads(line)["question_id"] for line in ROWS.read_text().splitlines()]


def digest(ids: tuple[str, ...]) -> str:
    return hashlib.sha256("\n".join(ids).encode()).hexdigest()


def test_every_published_split_comes_out_of_its_seed() -> None:
    found = splits(published_ids())
    assert found["dev40"] == tuple(GOLDEN["dev40"])
    for name in SPLIT_NAMES[1:]:
        assert digest(found[name]) == GOLDEN[f"{name}_sha256"], name
    assert found["halfA470"][:14] == tuple(GOLDEN["halfA470_first"])
    assert found["halfA430"][:10] == tuple(GOLDEN["halfA430_first"])


def test_the_order_of_a_dataset_and_its_abstentions_change_no_split() -> None:
    ids = published_ids()
    assert splits(list(reversed(ids))) == splits([each for each in ids if not each.endswith("_abs")])


@given(ids=st.sets(st.text("abcdef", min_size=1), max_size=60), seed=st.integers(0, 2**32 - 1))
def test_a_shuffle_loses_nothing_and_a_sample_is_its_sorted_beginning(ids: set[str], seed: int) -> None:
    order = shuffled(sorted(ids), seed)
    assert sorted(order) == sorted(ids)
    assert sample(ids, 5, seed) == tuple(sorted(order[:5]))


@given(ids=st.sets(st.text("abcdef", min_size=1), max_size=90))
def test_splits_of_any_dataset_divide_what_they_divide(ids: set[str]) -> None:
    found = splits(ids)
    assert sorted((*found["dev40"], *found["decision430"])) == sorted(ids)
    assert sorted((*found["halfA470"], *found["halfB470"])) == sorted(ids)
    assert sorted((*found["halfA430"], *found["halfB430"])) == sorted(found["decision430"])
