from msgspec import UNSET
from msgspec.structs import replace

from gate.core.records.takes_receipt import TakeReference
from gate.core.takes.references import batch_references, found_again, references
from gate.core.takes.take import Take
from tests.takes_factories import take


def unsourced(*takes: Take) -> list[TakeReference]:
    """As earlier receipts named takes: without the repository."""
    return [replace(each, source_id=UNSET) for each in references(takes)]


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
    wanted = unsourced(take(claim="ours"))
    here = [take(claim="other", origin="a"), take(claim="ours", origin="b")]

    assert found_again(wanted, here).takes == (here[1],)


def test_where_none_is_unchanged_the_first_repository_counts() -> None:
    wanted = unsourced(take(claim="ours"))
    here = [take(claim="y", origin="b"), take(claim="x", origin="a")]

    assert found_again(wanted, here).takes == (here[1],)


def test_a_take_is_known_by_its_repository_too_and_an_equal_one_elsewhere_does_not_stand_for_it() -> None:
    wanted = references([take(claim="ours", origin="a"), take(claim="ours", origin="b")])
    here = [take(claim="ours", origin="a"), take(claim="edited", origin="b"), take(claim="ours", origin="c")]

    found = found_again(wanted, here)

    assert (found.takes, found.changed, found.gone) == ((here[0], here[1]), (wanted[1],), ())
    assert found_again(wanted, here[::2]).gone == (wanted[1],)


def test_no_take_is_found_twice() -> None:
    wanted = unsourced(take(claim="old", origin="a"), take(claim="ours", origin="b"))
    here = [take(claim="ours", origin="a"), take(claim="new", origin="b")]

    found = found_again(wanted, here)

    assert (found.takes, found.changed) == ((here[1], here[0]), (wanted[0],))
    assert found_again(wanted, here[:1]).gone == (wanted[0],)


def test_the_takes_of_several_batches_say_which_was_theirs() -> None:
    parts = [[take(row=1)], [take(row=2), take(row=3)]]

    assert [each.batch for each in batch_references(parts)] == [0, 1, 1]
    assert [each.batch for each in batch_references(parts[1:])] == [UNSET, UNSET]
