from gate.core.takes.corpus import Scope
from gate.core.takes.fingerprint import take_sha8
from gate.core.takes.sampling import Sampling
from gate.core.takes.take import Take
from gate.wiring.takes_sample import DEFAULT_SEED, sampled, sampled_again
from tests.store_fakes import MemoryTakes
from tests.takes_factories import receipt, take

TAKES = [take("people/ada", row) for row in range(1, 7)]
SCOPE = Scope()


def reference(one: Take) -> dict[str, object]:
    return {"page": one.page, "row": one.row, "sha8": take_sha8(one)}


def test_a_sample_is_cut_into_disjoint_batches_and_says_what_there_was_to_draw_from() -> None:
    source = MemoryTakes([*TAKES, take("people/ada", 7, active=False)])

    drawn = sampled(source, SCOPE, Sampling(limit=4, seed=3), 2)

    assert (drawn.eligible, drawn.left_out, drawn.seed, drawn.source) == (6, {"inactive": 1}, 3, "fs")
    rows = [one.row for batch in drawn.batches for one in batch]
    assert [len(batch) for batch in drawn.batches] == [2, 2]
    assert len(set(rows)) == 4


def test_the_takes_of_an_earlier_run_keep_their_batches_whatever_became_of_others() -> None:
    prior = receipt(takes=[reference(one) for one in TAKES], batches=3, seed=9)
    edited = take("people/ada", 3, claim="another claim")
    now = [*TAKES[:2], edited, *TAKES[4:], take("people/ada", 9)]

    again = sampled_again(MemoryTakes(now), SCOPE, prior)

    assert (again.found, again.changed, again.gone, again.why_new) == (4, 1, 1, None)
    assert [[one.row for one in batch] for batch in again.drawn.batches] == [[1, 2], [3], [5, 6]]
    assert again.drawn.batches[1][0].claim == "another claim"
    assert (again.drawn.seed, again.drawn.left_out) == (9, {"gone": 1})


def test_a_batch_whose_takes_are_all_gone_is_left_out() -> None:
    prior = receipt(takes=[reference(one) for one in TAKES[:2]], batches=2)

    again = sampled_again(MemoryTakes(TAKES[1:]), SCOPE, prior)

    assert [[one.row for one in batch] for batch in again.drawn.batches] == [[2]]
    assert again.drawn.seed is None


def test_a_receipt_that_does_not_name_its_takes_gives_another_sample_of_its_size_and_says_so() -> None:
    corpus = {"source": "fs", "n_takes": 3, "slug_prefix": "people/", "corpus_sha8": "aaaaaaaa"}
    source = MemoryTakes(TAKES)

    again = sampled_again(source, Scope(slug_prefix="people/"), receipt(corpus=corpus))

    assert again.why_new is not None
    assert again.drawn.seed == DEFAULT_SEED
    assert again.drawn.slug_prefix == "people/"
    assert again.drawn.batches == sampled(source, SCOPE, Sampling(limit=3, seed=DEFAULT_SEED), 1).batches


def test_uneven_batches_of_an_earlier_run_stay_as_they_were() -> None:
    uneven = [(TAKES[0], 0), *((one, 1) for one in TAKES[1:4]), *((one, 2) for one in TAKES[4:])]
    prior = receipt(takes=[{**reference(one), "batch": batch} for one, batch in uneven], batches=3)

    again = sampled_again(MemoryTakes(TAKES), SCOPE, prior)

    assert [[one.row for one in batch] for batch in again.drawn.batches] == [[1], [2, 3, 4], [5, 6]]
