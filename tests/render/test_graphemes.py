import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.render.graphemes import boundary

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
FRANCE, JAPAN = "\U0001f1eb\U0001f1f7", "\U0001f1ef\U0001f1f5"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"

# One visible character each (UAX #29): what stands in the list is never to be torn.
CLUSTERS = [
    "a",
    "\u00e9",
    "e\u0301",
    "e\u0301\u0323",
    "\u65e5",
    "\r\n",
    "\u0915\u093f",
    FAMILY,
    "\U0001f44d\U0001f3fd",
    "\u2764\ufe0f",
    "1\ufe0f\u20e3",
    ENGLAND,
    FRANCE,
    JAPAN,
    "\u1112\u1161\u11ab",
    "\uac00",
    "\uac00\u11a8",
    "\uff76\uff9e",
]


@given(st.lists(st.sampled_from(CLUSTERS), min_size=1, max_size=8), st.data())
def test_a_cut_falls_on_the_last_edge_between_visible_characters(
    clusters: list[str], data: st.DataObject
) -> None:
    text = "".join(clusters)
    edges = [len("".join(clusters[:n])) for n in range(len(clusters) + 1)]
    at = data.draw(st.integers(0, len(text)))
    assert boundary(text, at) == max(edge for edge in edges if edge <= at)


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_no_place_inside_a_visible_character_is_a_boundary(cluster: str) -> None:
    for inside in range(1, len(cluster)):
        assert boundary(f"x{cluster}y", 1 + inside) == 1
    assert boundary(f"x{cluster}y", 1 + len(cluster)) == 1 + len(cluster)


@pytest.mark.parametrize("pair", ["\u1112\u1112", "\u1112\uac00"])
def test_leading_consonants_of_a_syllable_stay_with_what_follows(pair: str) -> None:
    assert boundary(f"a{pair}", 2) == 1


def test_a_pile_of_marks_does_not_defeat_a_limit() -> None:
    assert boundary("a" + "\u0301" * 100, 50) == 50
    assert boundary("a" + "\u0301" * 100, 32) == 0


@given(st.text(st.characters()), st.integers(0, 50))
def test_a_cut_is_at_most_32_characters_before_the_place_asked_for(text: str, at: int) -> None:
    assert max(0, at - 32) <= boundary(text, at) <= at
