from gate.core.takes.references import found_again, references
from tests.takes_factories import take


def test_takes_are_found_in_the_order_they_were_drawn() -> None:
    takes = [take("b", 2), take("a", 1), take("a", 2)]

    found = found_again(references(takes), reversed(takes))

    assert (list(found.takes), found.changed, found.gone) == (takes, (), ())


def test_a_take_that_was_edited_is_found_and_said_to_have_changed() -> None:
    (before,) = references([take(claim="old")])

    found = found_again([before], [take(claim="new")])

    assert (found.takes, found.changed, found.gone) == ((take(claim="new"),), (before,), ())


def test_a_take_that_is_no_more_is_gone() -> None:
    first, second = references([take("a"), take("b")])

    found = found_again([first, second], [take("b")])

    assert (found.takes, found.changed, found.gone) == ((take("b"),), (), (first,))


def test_where_a_page_is_there_twice_the_unchanged_one_is_meant() -> None:
    wanted = references([take(claim="ours")])
    here = [take(claim="other", origin="a"), take(claim="ours", origin="b")]

    assert found_again(wanted, here).takes == (here[1],)


def test_where_none_is_unchanged_the_first_repository_counts() -> None:
    wanted = references([take(claim="ours")])
    here = [take(claim="y", origin="b"), take(claim="x", origin="a")]

    assert found_again(wanted, here).takes == (here[1],)
