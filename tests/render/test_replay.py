from gate.core.replay.held import breach_text
from gate.core.replay.stability import Breach, Summary, compared, summarise
from gate.render.replay import replay_table
from tests.core.replay.captures import capture


def summary(errored: int = 0) -> Summary:
    still = compared(capture(), ("people/a", "people/b"), 30)
    return summarise([still], errored=errored, skipped=0, baseline_mean_ms=20)


def test_the_means_stand_beside_the_same_means_with_errors_as_nothing() -> None:
    lines = replay_table(summary(errored=1), ()).splitlines()
    assert lines[0].split() == ["what", "moved", "value", "errors", "as", "0"]
    ends = [" ".join(line.split()) for line in lines[1:4]]
    assert ends == [
        "same pages, cut at k (jaccard@k) 100.0 % 50.0 %",
        "same pages, all of them (jaccard) 100.0 % –",
        "same first page 100.0 % 50.0 %",
    ]
    assert lines[4].split()[-3:] == ["+10.0", "ms", "–"]
    assert lines[5].split()[-2:] == ["1.50×", "–"]
    assert lines[6:] == ["1 query replayed", "1 query with errors"]


def test_nothing_measured_is_a_dash_and_never_a_zero() -> None:
    nothing = summarise([], errored=0, skipped=1, baseline_mean_ms=None)
    text = replay_table(nothing, None)
    assert " 0.0 %" not in text
    assert text.splitlines()[-3:] == [
        "0 queries replayed",
        "1 query skipped",
        "no thresholds: nothing was to be held",
    ]


def test_every_missed_threshold_is_a_sentence() -> None:
    missed = Breach(metric="latency_ratio", observed=2.50001, threshold=2)
    assert "missed: latency_ratio is 2.5, the threshold is 2" in replay_table(summary(), (missed,))
    unknown = Breach(metric="mean_jaccard@k", observed=None, threshold=0.85)
    assert breach_text(unknown) == "mean_jaccard@k is not measured, the threshold is 0.85"
