from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.report import Acceptance
from gate.github.accept import Ignored, Remark, Terms, acceptances, read
from gate.github.failures import ForgeError
from tests.github.factories import talking
from tests.github.fake_github import github
from tests.github.fake_world import REPOSITORY, Fault, Pull, World

HEAD = "4f2c1aa" + "0" * 33
TODAY = date(2026, 11, 30)
WRITTEN = datetime(2026, 11, 30, 9, tzinfo=UTC)
RULES = ("recall_all@5 significant", "recall_all@5 threshold")
GOOD = '/gate accept 4f2c1aa reason="known drop" until=2026-12-31'


def remark(body: str, *, author: str = "alice", edited: bool = False) -> Remark:
    updated = WRITTEN + timedelta(seconds=edited)
    return Remark(id=1, author=author, body=body, url="#1", created=WRITTEN, updated=updated)


def terms(**changes: object) -> Terms:
    return Terms(**{"head": HEAD, "failing": RULES, "owners": ("alice", "@Bob"), "today": TODAY, **changes})


def outcome(
    body: str, *, level: str = "write", author: str = "alice", **changes: object
) -> Acceptance | Ignored:
    [found] = acceptances([remark(body, author=author)], terms(**changes), lambda _: level)
    return found


def why(body: str, **changes: object) -> str:
    found = outcome(body, **changes)
    assert isinstance(found, Ignored)
    return found.why


def test_an_owner_accepts_for_this_head_and_the_rules_that_fail_there() -> None:
    assert outcome(GOOD) == Acceptance(
        by="alice", reason="known drop", until="2026-12-31", head=HEAD, rules=RULES, url="#1"
    )


@pytest.mark.parametrize(
    "body",
    [
        '/gate accept 4f2c1aa until=2026-12-31 reason="known drop"',
        '/gate accept reason="known drop" until=2026-12-31 4f2c1aa',
        '/gate accept until="2026-12-31" reason="known drop" 4F2C1AA',
        "/gate accept 4f2c1aa reason=“known drop” until=2026-12-31",
        "/gate accept 4f2c1aa reason=„known drop“ until=2026-12-31",
        "/gate accept 4f2c1aa reason=”known drop” until=2026-12-31",
        "/gate accept 4f2c1aa reason=«known drop» until=2026-12-31",
        "/gate accept 4f2c1aa reason=‘known drop’ until=2026-12-31",
        "/gate accept 4f2c1aa reason='known drop' until=2026-12-31",
        "/gate accept 4f2c1aa reason=known drop until=2026-12-31",
        '/gate accept 4f2c1aa reason="known drop until=2026-12-31',
        '/gate accept 4f2c1aa reason = "known drop"  until: 2026-12-31   ',
        '/gate  accept\t4f2c1aa REASON="known drop" UNTIL=2026-12-31',
        f'/gate accept {HEAD} reason="known drop" until=2026-12-31',
        f"I looked at it.\r\n\r\n{GOOD}\r\n\r\nSee #12.",
        f"   {GOOD}",
        f"```\nsome code\n```\n{GOOD}",
        f"~~~ text\n```\n~~~\n{GOOD}",
    ],
)
def test_order_quotes_and_spaces_do_not_matter(body: str) -> None:
    found = outcome(body)
    assert isinstance(found, Acceptance)
    assert (found.reason, found.until) == ("known drop", "2026-12-31")


@pytest.mark.parametrize(
    "body",
    [
        f"```\n{GOOD}\n```",
        f"```\n{GOOD}",
        f"~~~sh\n{GOOD}\n~~~",
        f"````\n```\n{GOOD}\n````",
        f"    {GOOD}",
        f"\t{GOOD}",
        f"> {GOOD}",
        f"- {GOOD}",
        f"`{GOOD}`",
        f"please comment {GOOD}",
        f"<!-- {GOOD} -->",
        f"<!--\n{GOOD}\n-->",
        f"<!--\n{GOOD}",
        "/gate accepted",
        "/gate",
        "gate accept 4f2c1aa",
        "",
    ],
)
def test_code_quotations_and_hidden_text_are_no_command(body: str) -> None:
    assert acceptances([remark(body)], terms(), lambda _: "admin") == ()


def test_each_shortcoming_is_said() -> None:
    assert "names no commit" in why('/gate accept reason="x" until=2026-12-31')
    assert "names no commit" in why('/gate accept 4f2c1a reason="x" until=2026-12-31')  # six digits
    assert "gives no reason" in why("/gate accept 4f2c1aa until=2026-12-31")
    assert "gives no reason" in why('/gate accept 4f2c1aa reason="" until=2026-12-31')
    assert "gives no reason" in why('/gate accept 4f2c1aa reason="   " until=2026-12-31')
    assert "longer than 500" in why(f'/gate accept 4f2c1aa reason="{"x" * 501}" until=2026-12-31')
    assert "has no end" in why('/gate accept 4f2c1aa reason="x"')
    assert "is no date" in why('/gate accept 4f2c1aa reason="x" until=tomorrow')
    assert "is no date" in why('/gate accept 4f2c1aa reason="x" until=2026-02-30')
    assert "is no date" in why('/gate accept 4f2c1aa reason="x" until=20261231')
    assert "names no commit" in why("/gate accept")


def test_it_holds_to_the_end_of_its_day_and_not_longer() -> None:
    last = '/gate accept 4f2c1aa reason="x" until=2026-11-30'
    assert isinstance(outcome(last), Acceptance)
    assert "ended on 2026-11-30" in why(last, today=date(2026, 12, 1))


def test_a_push_makes_it_void() -> None:
    assert why(GOOD, head="b" * 40) == "it is for 4f2c1aa, and the head is bbbbbbb"
    assert "it is for" in why(f'/gate accept {HEAD[:-1]}1 reason="x" until=2026-12-31')


def test_nothing_fails_so_there_is_nothing_to_accept() -> None:
    assert "nothing fails" in why(GOOD, failing=())


def test_only_owners_with_write_permission_may() -> None:
    assert "not among the `owners`" in why(GOOD, author="mallory")
    assert "not among the `owners`" in why(GOOD, author="")
    assert "names no `owners`" in why(GOOD, owners=())
    assert "read permission" in why(GOOD, level="read")
    assert "none permission" in why(GOOD, level="none")
    assert isinstance(outcome(GOOD, level="admin"), Acceptance)
    assert isinstance(outcome(GOOD, author="BOB"), Acceptance)


def test_the_api_is_not_asked_about_strangers() -> None:
    asked: list[str] = []

    def permission_of(login: str) -> str:
        asked.append(login)
        return "admin"

    useless = [remark(GOOD, author="mallory"), remark(GOOD.replace("4f2", "aaa"))]
    assert len(acceptances(useless, terms(), permission_of)) == 2
    assert asked == []


def test_an_edited_comment_may_say_what_its_author_never_did() -> None:
    [found] = acceptances([remark(GOOD, edited=True)], terms(), lambda _: "admin")
    assert isinstance(found, Ignored)
    assert "edited" in found.why


def test_every_attempt_of_every_comment_has_its_outcome_in_order() -> None:
    both = f"/gate accept 4f2c1aa\n{GOOD}"
    found = acceptances(
        [remark(both), remark("lgtm"), remark(GOOD, author="mallory")], terms(), lambda _: "write"
    )
    assert [type(one) for one in found] == [Ignored, Acceptance, Ignored]


@given(st.text(max_size=300))
def test_no_text_breaks_the_reading(text: str) -> None:
    for body in (text, f"/gate accept {text}", f'/gate accept 4f2c1aa reason="{text}" until=2026-12-31'):
        for found in acceptances([remark(body)], terms(), lambda _: "write"):
            assert isinstance(found, Acceptance | Ignored)


@given(st.text(st.characters(exclude_characters='"', exclude_categories=["C", "Z"]), min_size=1, max_size=80))
def test_a_reason_in_quotes_is_read_as_it_is_written(reason: str) -> None:
    body = f'/gate accept until=2026-12-31 4f2c1aa reason="{reason}"'
    [found] = acceptances([remark(body)], terms(), lambda _: "write")
    if "<!--" not in reason:
        assert isinstance(found, Acceptance)
        assert found.reason == reason


def world() -> World:
    made = World()
    made.pulls[7] = Pull(7, HEAD)
    made.collaborators = {"alice": "write", "Bob": "read"}
    return made


def test_permissions_are_asked_of_the_api_once_a_person() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.chatter(7, 120)
        for author in ("alice", "alice", "Bob", "mallory"):
            fake.world.comment(7, GOOD, login=author, kind="User")
        repository = client.repository(REPOSITORY)
        found = read(repository, repository.get_issue(7), terms())
        assert [type(one) for one in found] == [Acceptance, Acceptance, Ignored, Ignored]
        assert [read for read in fake.reads if "permission" in read] == [
            f"GET /repos/{REPOSITORY}/collaborators/{login}/permission" for login in ("alice", "Bob")
        ]


def test_when_the_api_cannot_say_nobody_is_let_through() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.comment(7, GOOD, login="alice", kind="User")
        fake.world.fails("permission", Fault(500), times=9)
        repository = client.repository(REPOSITORY)
        with pytest.raises(ForgeError):
            read(repository, repository.get_issue(7), terms())


def test_a_comment_edited_on_github_is_ignored() -> None:
    with github(world()) as fake, talking(fake) as client:
        made = fake.world.comment(7, GOOD, login="alice", kind="User")
        made.updated += timedelta(minutes=1)
        repository = client.repository(REPOSITORY)
        [found] = read(repository, repository.get_issue(7), terms())
        assert isinstance(found, Ignored)
