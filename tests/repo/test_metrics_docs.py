from docs.generate_metrics import PAGE, page
from gate.core.glossary import GLOSSARY, OWN


def test_the_page_on_metrics_is_what_the_glossary_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python docs/generate_metrics.py"


def test_every_metric_has_its_row_and_no_text_breaks_the_table() -> None:
    rows = [line for line in page().splitlines() if line.startswith("| `")]

    assert len(rows) == len(GLOSSARY) + len(OWN.entries)
    assert {line.count("|") for line in rows} == {7}
