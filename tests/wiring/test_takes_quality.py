"""A run of the panel with its real clients: servers on loopback, cassettes, a database."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from gate.core.judging.budget import Capped
from gate.core.judging.conclusion import Rules
from gate.core.judging.reliability import Floor
from gate.core.pricing import Price, PriceTable
from gate.core.takes.corpus import Scope
from gate.core.takes.sampling import Sampling
from gate.database import Database
from gate.errors import ConfigError, EvidenceError
from gate.ledgers.takes_quality_runs import TakesQualityRuns
from gate.process import SystemClock
from gate.store.takes_receipts import keep_takes_receipt
from gate.wiring.takes_quality import Around, Drawn, Earlier, PanelOrder, judge
from gate.wiring.takes_sample import sampled
from tests.core.judging.factories import reply_text, rubric, scores
from tests.fakes import Stages
from tests.providers.wire import Answer, Wire, google_body, openai_body, wire
from tests.store_fakes import MemoryTakes
from tests.suites.judges import SHIPPED
from tests.takes_factories import take

MODELS = ("lab:one", "lab:two")
RETIRED = "google:gemini-2.0-flash"
PRICES = PriceTable([Price(model=name, input=1, output=10) for name in (*MODELS, RETIRED)])
TAKES = [take("people/ada", row) for row in (1, 2, 3, 4)]


def drawn(batches: int = 1, takes: list[Any] | None = None) -> Drawn:
    return sampled(
        MemoryTakes(TAKES if takes is None else takes), Scope(), Sampling(limit=4, seed=1), batches
    )


def order(**overrides: Any) -> PanelOrder:
    cap = overrides.pop("cap", None)
    of_rules: dict[str, Any] = {
        name: overrides.pop(name) for name in ("cycles", "floor") if name in overrides
    }
    members: dict[str, Any] = {
        "rules": Rules(**{"rubric": rubric(), "cycles": 1, **of_rules}),
        "models": MODELS,
        "roster": SHIPPED,
        "prices": PRICES,
        "budget": Capped(cap=cap, price_file="prices.json"),
    }
    return PanelOrder(**{**members, **overrides})


def around(environment: Mapping[str, str] | None = None) -> Around:
    return Around(environment=environment or {}, clock=SystemClock(), progress=Stages())


@pytest.fixture
def lab() -> Iterator[Wire]:
    """A server whose models give eight."""
    with wire(Answer(body=openai_body(reply_text(scores(8))))) as server:
        yield server


def at(server: Wire) -> Around:
    return around({"LAB_BASE_URL": f"{server.url}/v1"})


def test_a_run_gives_a_receipt_with_what_was_left_out_and_a_row_a_batch_and_judge(lab: Wire) -> None:
    made = judge(order(cap=5), replace(drawn(2), left_out={"inactive": 3}), at(lab))

    assert made.receipt.verdict == "pass"
    assert made.receipt.others["left_out"] == {"inactive": 3}
    assert made.receipt.others["eligible_takes"] == 4
    assert made.receipt.others["budget_usd"] == 5
    assert made.rows is not None
    assert len(made.rows) == 4
    assert len(lab.asked) == 4


def test_nothing_to_judge_is_an_input_error_that_says_what_was_left_out(lab: Wire) -> None:
    nothing = replace(drawn(takes=[]), left_out={"inactive": 2, "deleted": 1})

    with pytest.raises(EvidenceError, match="there is no take to judge") as caught:
        judge(order(), nothing, at(lab))

    assert "2 inactive, 1 deleted" in caught.value.remedy
    assert lab.asked == []


def test_a_price_that_a_budget_needs_is_missed_before_any_call(lab: Wire) -> None:
    unpriced = order(prices=PriceTable([]), cap=5)

    with pytest.raises(ConfigError, match="lab:one"):
        judge(unpriced, drawn(), at(lab))

    assert lab.asked == []
    assert judge(order(prices=PriceTable([])), drawn(), at(lab)).receipt.cost_usd is None


def test_a_retired_model_is_refused_at_its_provider_and_asked_at_another_address() -> None:
    with pytest.raises(ConfigError, match="retired"):
        judge(order(models=(RETIRED,)), drawn(), around({"GEMINI_API_KEY": "k"}))

    with wire(Answer(body=google_body(reply_text(scores(8))))) as gateway:
        made = judge(
            order(models=(RETIRED, RETIRED)),
            drawn(),
            around({"GEMINI_API_KEY": "k", "GOOGLE_BASE_URL": gateway.url}),
        )
    assert made.receipt.verdict == "pass"


def test_the_documented_panel_can_be_asked_for_nothing_and_a_cassette_of_it_be_played(
    tmp_path: Path,
) -> None:
    cassette = tmp_path / "c.jsonl"
    with wire(Answer(body=google_body(reply_text(scores(8))))) as gateway:
        environment = {"GEMINI_API_KEY": "k", "GOOGLE_BASE_URL": gateway.url}
        judge(order(models=(RETIRED, RETIRED), record=cassette), drawn(), around(environment))

    free = judge(order(models=SHIPPED.models, cap=0), drawn(), around())
    played = judge(order(models=(RETIRED, RETIRED), cassette=cassette), drawn(), around())

    assert free.receipt.others["reason"] == "budget_exhausted"
    assert played.receipt.verdict == "pass"
    assert played.receipt.others["replayed_calls"] == 2


def test_an_equal_run_is_found_on_disk_and_in_the_database_and_a_different_one_is_not(
    lab: Wire, tmp_path: Path, database_url: str
) -> None:
    runs = TakesQualityRuns(Database(database_url))
    first = judge(order(), drawn(), at(lab)).receipt
    asked = len(lab.asked)
    on_disk = Earlier(folder=tmp_path)
    keep_takes_receipt(tmp_path, first)
    runs.add(first)
    elsewhere_only = Earlier(folder=tmp_path / "none", runs=runs)

    for earlier in (on_disk, elsewhere_only):
        again = judge(order(), drawn(), around(), earlier)
        assert (again.run, again.receipt.ts) == (None, first.ts)
    assert len(lab.asked) == asked

    for changed, of in (
        (order(floor=Floor(sd_at_most=1)), drawn()),
        (order(models=("lab:one", "lab:three")), drawn()),
        (order(), drawn(2)),
    ):
        assert judge(changed, of, at(lab), on_disk).run is not None


def test_replies_that_were_played_back_do_not_stand_for_judges_that_are_to_be_asked(
    lab: Wire, tmp_path: Path
) -> None:
    cassette = tmp_path / "c.jsonl"
    judge(order(record=cassette), drawn(), at(lab))
    kept, played = tmp_path / "kept", order(cassette=cassette)
    keep_takes_receipt(kept, judge(played, drawn(), around()).receipt)
    asked = len(lab.asked)

    again = judge(played, drawn(), around(), Earlier(folder=kept))
    live = judge(order(), drawn(), at(lab), Earlier(folder=kept))

    assert again.run is None
    assert live.run is not None
    assert len(lab.asked) == asked + 2


def test_of_several_equal_runs_the_first_one_is_taken(lab: Wire, tmp_path: Path) -> None:
    first = judge(order(), drawn(), at(lab)).receipt
    later = structs.replace(first, ts="2999-01-01T00:00:00.000Z")
    for receipt in (later, first):
        keep_takes_receipt(tmp_path, receipt)

    assert judge(order(), drawn(), around(), Earlier(folder=tmp_path)).receipt == first
