"""Whether an earlier receipt stands for a run that is asked for now."""

from msgspec import UNSET

from gate.core.judging.conclusion import Rules
from gate.core.judging.reliability import Floor
from gate.core.records.takes_receipt import TakesReceipt

LIMITS = "agreement_limits"
"""The receipt's key for the limits its judges had to keep."""


def limits_document(floor: Floor) -> dict[str, float]:
    """The limits that are set, by name; none is an empty object."""
    limits = {
        "alpha_at_least": floor.alpha_at_least,
        "sd_at_most": floor.sd_at_most,
        "range_at_most": floor.range_at_most,
    }
    return {name: limit for name, limit in limits.items() if limit is not None}


def replayed(receipt: TakesReceipt) -> bool:
    """Whether replies of this run came from a cassette."""
    return bool(receipt.others.get("replayed_calls"))


def stands_for(receipt: TakesReceipt, rules: Rules) -> bool:
    """Whether a receipt of the same four digests came to a PASS or a FAIL under the same rules.

    The digests say what was asked of whom; how the answers decide (which cycle, which agreement) they do not say.
    """
    if receipt.verdict == "inconclusive":
        return False
    limits = receipt.others.get(LIMITS, {})
    return limits == limits_document(rules.floor) and _same_cycles(receipt, rules)


def _same_cycles(receipt: TakesReceipt, rules: Rules) -> bool:
    """Whether the cycles of the receipt decide as those of the rules would; of one cycle every policy says the same."""
    if max(rules.cycles, receipt.cycles_run) <= 1:
        return True
    policy = "last" if receipt.cycle_policy is UNSET else receipt.cycle_policy
    return policy == rules.policy and (policy == "last" or receipt.cycles_run == rules.cycles)
