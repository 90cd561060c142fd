"""A replay's own objections: a threshold each."""

from gate.core.replay.held import breach_text, objections
from gate.core.replay.stability import Breach


def test_a_missed_threshold_is_told_with_what_was_seen() -> None:
    low = Breach(metric="mean_jaccard@k", observed=2 / 3, threshold=0.85)
    slow = Breach(metric="latency_ratio", observed=3.25, threshold=2)
    told = [(each.rule, each.reason, each.message) for each in objections((low, slow))]
    assert told == [
        (
            "mean_jaccard@k at-least 0.85",
            "threshold_missed",
            "mean_jaccard@k is 0.6667, the threshold is 0.85",
        ),
        ("latency_ratio at-most 2", "threshold_missed", "latency_ratio is 3.25, the threshold is 2"),
    ]


def test_what_could_not_be_measured_is_open() -> None:
    unknown = Breach(metric="mean_jaccard@k", observed=None, threshold=0.85)
    (found,) = objections((unknown,))
    assert (found.reason, found.message) == ("not_measured", breach_text(unknown))
