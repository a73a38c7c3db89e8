"""What a guest is told when its host no longer answers."""

from types import SimpleNamespace

import pytest

from cli.match.joining import LATER, GuestContact, Route, refusal_line
from cli.text.connecting import NOT_DIRECTLY, SEND_REPLY
from ginpeer.net.address import Address
from tests.cli.match.fakes import FakeMatch

WHY = 'Couldn\'t reach the host: so. Tell the host: "Open port 4466."'


def contact(match, invite="203.0.113.7", persistent=False):
    code = SimpleNamespace(addresses=(Address(invite, 4466),))
    return GuestContact(match, code, Route(), persistent=persistent)


@pytest.fixture
def match():
    """Return a guest's match after the connection to the host was lost."""
    lost = FakeMatch(
        console=SimpleNamespace(interactive=True),
        after=SimpleNamespace(is_waiting=True),
        keeper=SimpleNamespace(live=SimpleNamespace(agreed=lambda: True)),
        other=SimpleNamespace(
            name=lambda the: "Ann", peer=SimpleNamespace(address="192.0.2.2:4466")
        ),
    )
    lost.presenter.show_reply = lambda *parts: lost.told.append(parts)
    return lost


def test_a_guest_names_the_address_that_worked_and_shows_its_reply_later(match, transcript):
    lost = contact(match)
    lost.on_lost()
    lost.on_reply(WHY, "reply-1")
    lost.on_reply("", "reply-2")
    lost.on_reason("Your router does not open the port.")
    lost.on_stuck()
    assert len(match.told) == 1
    match.reactor.advance(LATER)
    assert len(match.told) == 3
    lost.on_reply("", "reply-3")
    transcript(match.told)


def test_a_guest_looking_for_an_earlier_host_reads_once_that_it_may_have_moved(match, transcript):
    match.after.is_waiting = False
    match.only = object()
    lost = contact(match, persistent=True)
    reply = Code(OUTSIDE)
    lost.on_reply(WHY, reply)
    lost.on_reply("", reply)
    transcript(match.told)


@pytest.mark.parametrize(("name", "at_start"), [("Ann", "Ann"), ("the host", "The host")])
def test_a_host_that_is_not_there_yet_is_named_if_it_is_known(match, name, at_start):
    match.other.name = lambda the: name
    contact(match, persistent=True).on_host_absent()
    assert match.told == [
        f"{at_start} isn't there yet. ginpeer keeps trying until you type quit. "
        f"If {name}'s address has changed, ask for a new invite, type quit, and join with that."
    ]


def test_a_guest_whose_tor_is_not_running_is_told_that_ginpeer_keeps_trying(match):
    contact(match, persistent=True).on_refused("tor-not-there", "Start Tor.")
    assert match.told == ["Start Tor. ginpeer keeps trying until you type quit."]


def test_a_guest_that_reconnects_in_time_sees_no_reply(match):
    lost = contact(match)
    lost.on_reply(WHY, "reply-1")
    match.after.is_waiting = False
    match.reactor.advance(LATER)
    match.after.is_waiting = True
    match.other.peer = SimpleNamespace(address="192.0.2.2:4466")  # reconnected from there
    lost.on_lost()
    assert len(match.told) == 2


def test_a_loss_between_two_matches_does_not_mention_a_hand(match, transcript):
    match.keeper.live = None
    contact(match).on_lost()
    transcript(match.told)


@pytest.mark.parametrize("how", ["never there", "crossed", "a program"])
def test_the_reply_is_shown_at_once_if_no_address_has_worked(match, how):
    match.after.is_waiting = how != "never there"
    match.console.interactive = how != "a program"
    lost = contact(match)
    lost.hole_punch = SimpleNamespace(worked=how == "crossed")
    lost.on_lost()
    lost.on_reply(WHY, Code(OUTSIDE))
    lost.on_reason("Your router does not open the port.")
    told = WHY if how == "a program" else NOT_DIRECTLY
    assert match.told == [
        (told, str(Code(OUTSIDE)), SEND_REPLY),
        "Your router does not open the port.",
    ]


class Code:
    """A fake invite or reply."""

    def __init__(self, *hosts):
        self.addresses = tuple(Address(host, 4466) for host in hosts)

    def __str__(self):
        return f"code {self.addresses}"


HOME, OUTSIDE = "192.168.1.2", "203.0.113.7"


def test_a_problem_that_dialling_cannot_solve_is_stated_once_with_the_reply(match, transcript):
    match.after.is_waiting = False
    lost = contact(match, HOME)
    lost.on_reply(WHY, Code(HOME))
    lost.on_reply("", Code(HOME, "192.168.1.3"))
    assert len(match.told) == 3
    lost.on_reply("", Code(OUTSIDE, HOME))
    transcript(told for told in match.told if isinstance(told, str))


@pytest.mark.parametrize("same_port", [None, True, False])
def test_known_behaviour_of_our_router_is_not_reported_as_a_guess(match, same_port, transcript):
    match.other.peer = None
    lost = contact(match)
    lost._public = SimpleNamespace(same_port=same_port)
    lost.on_stuck()
    transcript(match.told)


@pytest.mark.parametrize(
    ("agreed", "again", "admitted", "has_match"),
    [
        (None, False, False, False),
        (None, True, True, False),  # between two matches
        (False, False, True, False),
        (True, False, True, True),
    ],
)
def test_a_guest_was_admitted_if_offered_a_match_and_has_it_if_agreed(
    match, agreed, again, admitted, has_match
):
    live = None if agreed is None else SimpleNamespace(agreed=lambda: agreed)
    match.keeper = SimpleNamespace(live=live, again=again)
    guest = contact(match)
    assert (guest.was_admitted, guest.has_match) == (admitted, has_match)


@pytest.mark.parametrize("is_open", [None, False, True])
def test_a_guest_needs_its_public_address_only_during_hole_punching(match, is_open):
    guest = contact(match)
    if is_open is not None:
        guest.hole_punch = SimpleNamespace(is_open=is_open)
    assert guest.needs_public_address is (is_open is True)


def test_a_host_reached_by_hole_punching_is_asked_for_a_reply_at_once(match):
    guest = contact(match)
    guest.hole_punch = SimpleNamespace(worked=False)
    assert guest._lost_host() is match.other.peer
    guest.hole_punch.worked = True
    assert guest._lost_host() is None


def test_a_host_that_is_back_is_not_reported_as_lost(match):
    guest = contact(match)
    guest.on_lost()
    match.after.is_waiting = False
    guest.on_lost()
    assert len(match.told) == 1


def test_a_guest_turned_away_between_two_matches_is_told_how_to_get_in(transcript):
    """The host was restarted and no longer expects this guest."""
    transcript(refusal_line("Wrong.", "New: join.", under_way=way) for way in (False, True))
