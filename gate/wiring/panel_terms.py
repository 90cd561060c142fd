"""What a configured panel comes to: its models, its rules, its prices; all of it known before anything runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from gate.core.judging.budget import Capped, check_prices
from gate.core.judging.conclusion import Rules
from gate.core.judging.reliability import Floor
from gate.core.judging.roster import Roster, check_panel, read_roster
from gate.core.judging.rubric import read_rubric
from gate.core.plan import Plan, Request
from gate.core.pricing import PriceTable, price_table
from gate.core.records.panel_terms import TakesInputs, TakesRequest
from gate.ports import Tree
from gate.store.confinement import confine
from gate.store.data_files import PANEL, RUBRIC, data_file, price_files
from gate.wiring.judges import askable, read_cassette
from gate.wiring.pinned_bytes import pinned_bytes

_OWN_PRICES: Final = "a file of your own and name it under `prices` of the suite"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the judges are held to and what they cost."""

    rules: Rules
    roster: Roster
    prices: PriceTable
    price_file: str
    """The file a user would add a price to."""


def with_panels(request: Request, root: Path) -> Request:
    """The request with every panel named, and the gate's own files that it uses pinned.

    EvidenceError for a cassette that is none, ConfigError for a panel that cannot be asked.
    """
    if request.policy.watch is not None and not request.policy.watch.applies:
        return request
    suites = tuple(
        replace(suite, asked=_with_panel(suite.asked, root))
        if isinstance(suite.asked, TakesRequest)
        else suite
        for suite in request.suites
    )
    return replace(request, suites=suites)


def check_panels(plan: Plan, root: Path, tree: Tree, environment: Mapping[str, str]) -> None:
    """ConfigError, before anything runs, for a retired model, a bad rubric, a price that a budget needs."""
    for suite in plan.suites:
        if isinstance(suite.inputs, TakesInputs):
            found = terms_of(suite.inputs, root, tree)
            nobody = suite.inputs.cassette is not None or plan.budget_usd == 0
            roster = askable(found.roster, nobody=nobody, environment=environment)
            check_panel(suite.inputs.panel.models, roster)
            check_prices(
                suite.inputs.panel.models,
                found.prices,
                Capped(cap=payable(suite.inputs, plan.budget_usd), price_file=found.price_file),
            )


def payable(inputs: TakesInputs, cap: float | None) -> float | None:
    """What may be spent: replies from a cassette cost nothing, so that no price is needed; 0 stays 0."""
    return None if inputs.cassette is not None and cap else cap


def terms_of(inputs: TakesInputs, root: Path, tree: Tree) -> Terms:
    """The rubric, the roster and the prices that a suite names; EvidenceError when one is not what was pinned."""
    own, panel = inputs.prices, inputs.panel
    prices = price_files() if own is None else {own.path: pinned_bytes(own, root, tree), **price_files()}
    rubric = inputs.rubric
    return Terms(
        rules=Rules(
            rubric=read_rubric(
                data_file(RUBRIC) if rubric is None else pinned_bytes(rubric, root, tree),
                RUBRIC if rubric is None else rubric.path,
            ),
            cycles=panel.cycles,
            policy=panel.cycle_policy,
            floor=Floor(
                alpha_at_least=panel.min_alpha, sd_at_most=panel.max_sd, range_at_most=panel.max_range
            ),
        ),
        roster=read_roster(data_file(PANEL), PANEL),
        prices=price_table(prices),
        price_file=_OWN_PRICES if own is None else own.path,
    )


def _with_panel(asked: TakesRequest, root: Path) -> TakesRequest:
    return replace(
        asked,
        panel=replace(asked.panel, models=asked.panel.models or _models(asked, root)),
        shipped=dict(sorted(_shipped(asked).items())),
    )


def _models(asked: TakesRequest, root: Path) -> tuple[str, ...]:
    if asked.cassette is None:
        return read_roster(data_file(PANEL), PANEL).models
    return read_cassette(confine(root, asked.cassette)).models


def _shipped(asked: TakesRequest) -> Mapping[str, str]:
    """The gate's own data behind the suite: what a later release may have otherwise."""
    named = {PANEL: data_file(PANEL), **price_files()}
    if asked.rubric is None:
        named[RUBRIC] = data_file(RUBRIC)
    return {name: sha256(data).hexdigest() for name, data in named.items()}
