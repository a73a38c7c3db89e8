"""What a match needs before an opponent connects."""

import subprocess
import sys
from argparse import Namespace
from types import SimpleNamespace

import pytest

from cli.match import one_match
from cli.match.aftermath import status_of
from cli.match.contact import Contact
from cli.match.identity import own_faults
from cli.match.joining import GuestContact, Route
from cli.match.one_match import MatchPlan, OneMatch
from cli.program import OUR_FAULT, Failure
from ginpeer.net.close_reasons import fault_of
from ginpeer.net.codes import ReplyError
from ginpeer.referee.table import GUEST, HOST
from ginpeer.referee.transitions import RefusedEntry
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options, SeedLost
from ginpeer.store import StoreError, UnreadableLog
from protocol.crypto.group import NoConstantTimeGroup
from tests.cli.match.fakes import FakeMatch


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Return a function that prepares a match without an event loop, which fails. It returns the
    code of the failure."""
    monkeypatch.setattr(one_match, "Process", lambda: SimpleNamespace(reactor=None))

    def refused():
        with pytest.raises(Failure) as why:
            OneMatch(Namespace(home=str(tmp_path), name=None), MatchPlan("host", practice=True))
        assert why.value.status == OUR_FAULT
        return why.value.code

    return refused


def test_no_match_is_played_without_libsodium(refused, monkeypatch, tmp_path):
    def missing():
        raise NoConstantTimeGroup("It is missing.")

    monkeypatch.setattr(one_match, "require_constant_time", missing)
    assert refused() == NoConstantTimeGroup.code
    assert list(tmp_path.iterdir()) == []


def test_no_match_is_played_without_standard_output(refused, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert refused() == "no-output"


@pytest.mark.parametrize(
    "error",
    [
        StoreError("disk-error", "No."),
        UnreadableLog("not-a-log", "No."),
        RefusedEntry("bad-signature", "No."),
        SeedLost("No."),
    ],
)
def test_a_fault_in_our_own_files_ends_the_command_with_its_code(error):
    with pytest.raises(Failure) as why, own_faults():
        raise error
    assert (why.value.code, why.value.status) == (error.code, OUR_FAULT)


@pytest.mark.parametrize(
    ("interactive", "bot", "asks"),
    [(True, False, True), (True, True, False), (False, False, False)],
)
def test_only_a_person_who_plays_is_asked_questions(interactive, bot, asks):
    player = SimpleNamespace(console=SimpleNamespace(interactive=interactive), bot=bot)
    assert OneMatch.asks.fget(player) is asks


@pytest.mark.parametrize(
    ("text", "code"), [("ginr1-aaaa", "no-reply-here"), ("gin1-aaaa", "invite-here")]
)
def test_a_guests_match_refuses_codes(text, code):
    contact = GuestContact(FakeMatch(), SimpleNamespace(addresses=()), Route())
    match = SimpleNamespace(contact=contact, command="ginpeer")
    with pytest.raises(ReplyError) as why:
        OneMatch.on_paste(match, text)
    assert why.value.code == code


def test_timers_do_not_follow_the_wall_clock():
    """A clock set back by an hour would delay each of them by an hour."""
    program = """
import time
from cli.match.process import install_reactor
reactor = install_reactor()
call = reactor.callLater(5, print)
time.time = lambda: 0.0
assert 4 < call.getTime() - reactor.seconds() <= 5
assert call.getTime() < 1e9  # counted from the machine's start, not from 1970
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize("error", [SeedLost("Lost."), RefusedEntry("bad-signature", "Bad.")])
def test_a_match_to_resume_that_cannot_be_restored_ends_the_command(error):
    def refuse(peer):
        raise error

    match = FakeMatch(keeper=SimpleNamespace(restore_seat=refuse, damage="It is damaged."))
    match.after.new_match_advice = "Begin a new one."
    with pytest.raises(Failure, match="It is damaged") as why:
        OneMatch.open_stored(match, bytes(32))
    assert why.value.code == error.code


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_a_match_that_cannot_be_opened_ends_a_guests_program_but_not_a_hosts(seat):
    """Another program with the same home may be playing it. A host can still admit others."""
    error, ended = StoreError("match-in-use", "It is open."), []

    def refuse(*_):
        raise error

    match = FakeMatch(
        seat=seat,
        keeper=SimpleNamespace(position_for=refuse),
        after=SimpleNamespace(stop_waiting=ended.append),
    )
    with pytest.raises(StoreError):
        OneMatch._position_for(match, bytes(32), None)
    told, closed = ["It is open. (match-in-use)"], [fault_of(error)]
    assert (match.told, ended) == ((told, []) if seat == HOST else ([], closed))
    assert status_of(fault_of(error)) == OUR_FAULT


@pytest.mark.parametrize(("resumed", "told"), [(False, 1), (True, 0)])
def test_only_a_player_who_typed_rules_reads_that_a_match_keeps_its_own(resumed, told):
    """A host may continue a different match than the one that its guest resumes."""
    named, continued = parse_ruleset("standard target=20"), parse_ruleset("standard")
    table = SimpleNamespace(match=SimpleNamespace(rules=continued), names=("Ann", "Ben"))
    match = FakeMatch(
        seat=GUEST,
        only=SimpleNamespace() if resumed else None,
        keeper=SimpleNamespace(stored=None),
        other=SimpleNamespace(own_name=lambda name: []),
        contact=Contact(),
        _offers=Options(named),
        _plan=MatchPlan("guest"),
    )
    OneMatch._show_match(match, SimpleNamespace(table=table))
    assert len(match.told) == told
