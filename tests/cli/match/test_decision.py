"""What follows the end of a session, as a table, and what happens when a coroutine fails."""

from functools import partial
from types import SimpleNamespace

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from cli.match import hosting, joining
from cli.match.contact import Sessions
from cli.match.one_match import STOPPED_TYPING, OneMatch
from cli.match.series import Next, decide
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.timing import AT_ONCE

WAIT, RESUME, NEXT, END = Next.WAIT, Next.RESUME, Next.NEXT_MATCH, Next.END

PLAYING = {"can_resume": True}
OVER = {"only_lacked_end": True}
STAYS = {"peer_stays": True}
AGAIN = {**STAYS, "offers_again": True}
NOTHING_LEFT = {"can_resume": False}
HASTY = {**PLAYING, "patient": False}


@pytest.mark.parametrize(
    ("code", "failure", "state", "follows"),
    [
        # A lost connection
        ("connection-lost", "A", PLAYING, RESUME),
        ("peer-silent", "A", PLAYING, RESUME),
        ("peer-not-reading", "A", PLAYING, RESUME),
        ("log-withheld", "A", PLAYING, RESUME),
        ("connection-lost", "A", HASTY, END),
        ("connection-lost", "A", NOTHING_LEFT, END),  # finished, convicted, or nobody was connected
        ("connection-lost", "A", {**PLAYING, **AGAIN}, RESUME),
        *((code, None, HASTY, RESUME) for code in sorted(AT_ONCE)),
        # The end of a match
        ("finished", None, STAYS, NEXT),
        ("finished", None, {}, END),
        ("declined", None, AGAIN, NEXT),
        ("declined", None, STAYS, END),
        ("declined", None, {}, END),
        # A guest who lacked only the end of an old match
        ("finished", None, OVER, WAIT),
        ("finished", None, {**OVER, **STAYS}, WAIT),
        ("connection-lost", "A", OVER, WAIT),
        ("peer-left", None, OVER, WAIT),
        ("peer-broke-rules", "B", OVER, END),
        ("store-failed", "C", OVER, END),
        # Everything else
        ("left", None, {**PLAYING, **AGAIN}, END),
        ("peer-left", None, {**PLAYING, **AGAIN}, END),
        ("paused", None, {**PLAYING, **AGAIN}, END),
        ("kept", None, {**PLAYING, **AGAIN}, END),
        ("hung-up", None, PLAYING, END),
        ("out-of-turn", "B", {**PLAYING, **AGAIN}, END),
        ("store-failed", "C", {**PLAYING, **AGAIN}, END),
        ("out-of-memory", "C", {**PLAYING, **AGAIN}, END),
    ],
)
def test_the_outcome_of_a_session_decides_what_follows(code, failure, state, follows):
    closed = CloseReason(code, "It has ended.", failure)
    assert decide(closed, **state) is follows
    assert decide(closed, **state, has_left=True) is END


def match_with(process, after):
    """Return the parts of a match that end the program when a coroutine fails."""
    closed = []
    console = SimpleNamespace(close=lambda: closed.append(True), half_typed="")
    match = SimpleNamespace(_has_begun=True, process=process, after=after, console=console)
    match._fail = partial(OneMatch._fail, match)
    match._let_player_finish_typing = partial(OneMatch._let_player_finish_typing, match)
    match.closed = closed
    return match


@pytest.mark.parametrize("fails", [True, False])
def test_the_program_ends_however_its_coroutine_ends(fails):
    halted, heeded, told, waits = [], [], [], Deferred()
    program = SimpleNamespace(heed=heeded.append)
    end = SimpleNamespace(halt=lambda: halted.append(True), fail=told.append)
    match = match_with(program, end)

    async def role():
        await waits
        if fails:
            raise OSError("of ours")

    playing = Deferred.fromCoroutine(OneMatch._play(match, role))
    assert halted == []
    waits.callback(None)
    assert (playing.called, halted, len(heeded)) == (True, [True], fails)
    assert told == heeded  # our player is told about an error in our program
    assert bool(match.closed) is fails


@pytest.mark.parametrize(
    ("typed", "has_left", "seconds"),
    [("good ga", False, STOPPED_TYPING), ("", False, 0), ("good ga", True, 0)],
)
def test_the_program_waits_for_a_half_typed_line_unless_it_has_to_end(typed, has_left, seconds):
    clock = Clock()
    console = SimpleNamespace(half_typed=typed, stop_obeying=lambda answer: None)
    end = SimpleNamespace(has_left=has_left)
    match = SimpleNamespace(console=console, reactor=clock, _exit=end, presenter=None)
    waits = Deferred.fromCoroutine(OneMatch._let_player_finish_typing(match))
    while not waits.called:
        clock.advance(0.1)
    assert clock.seconds() == pytest.approx(seconds, abs=0.2)


@pytest.mark.parametrize(("ending", "over"), [(None, False), ("finished", False), ("left", True)])
def test_an_error_while_a_line_is_obeyed_ends_the_session_or_else_the_program(ending, over):
    heeded, told, faults = [], [], []
    process = SimpleNamespace(heed=heeded.append)
    match = match_with(process, SimpleNamespace(halt=lambda: None, fail=told.append, is_over=over))
    match.sessions = SimpleNamespace(current=SimpleNamespace(ending=ending, fault=faults.append))
    error = OSError("of ours")
    OneMatch.on_fault(match, error)
    assert (bool(faults), bool(told)) == (ending is None, ending is not None and not over)
    assert faults or heeded


def test_the_program_ends_even_if_it_cannot_say_that_it_has_failed():
    def fail(error):
        raise OSError("of ours, too")

    halted = []
    program = SimpleNamespace(heed=lambda error: None)
    end = SimpleNamespace(halt=lambda: halted.append(True), fail=fail)
    match = match_with(program, end)

    async def role():
        raise OSError("of ours")

    Deferred.fromCoroutine(OneMatch._play(match, role)).addErrback(lambda failure: None)
    assert halted == [True]


def test_an_error_at_the_beginning_is_raised():
    async def role():
        raise OSError("of ours")

    raised = []
    match = SimpleNamespace(_has_begun=False)
    Deferred.fromCoroutine(OneMatch._play(match, role)).addErrback(raised.append)
    assert raised[0].check(OSError)


@pytest.mark.parametrize("code", ["declined", "finished"])
def test_only_a_declined_offer_is_forgotten(code):
    forgotten, session = [], SimpleNamespace(done=Deferred())
    table = SimpleNamespace(end_session=lambda closed: closed)
    keeper = SimpleNamespace(forget_offer=lambda: forgotten.append(True))
    match = SimpleNamespace(table=table, keeper=keeper)
    ended = []
    Deferred.fromCoroutine(OneMatch.end_of(match, session)).addCallback(ended.append)
    session.done.callback(CloseReason(code, "It has ended."))
    assert [closed.code for closed in ended] == [code]
    assert bool(forgotten) is (code == "declined")


_TOLD = ("tell_it_was_over", "tell_lost", "finish_match", "say_last_word")


class Evening:
    """A host or a guest with fake parts, except for its coroutine."""

    def __init__(self, monkeypatch, only=None):
        self.done, self.only, self.sessions = [], only, Sessions()
        self.after = SimpleNamespace(**{name: self._noting(name) for name in _TOLD})
        contact = SimpleNamespace(
            **{
                name: self._noting(name)
                for name in (
                    "begin",
                    "connect",
                    "wait_for_anyone",
                    "ask_routers_again",
                    "await_friend",
                    "connect_later",
                    "stop",
                )
            }
        )
        self.keeper = SimpleNamespace(key_of=lambda hashed: None)
        monkeypatch.setattr(hosting, "open_port", lambda match, options: None)
        monkeypatch.setattr(hosting, "HostContact", lambda *parts: contact)
        monkeypatch.setattr(joining, "GuestContact", lambda *parts, **how: contact)

    def _noting(self, name):
        return lambda *given: self.done.append(name)

    async def end_of(self, session):
        return await session.done

    def what_follows(self, closed):
        return decide(closed, **self.known)

    def session(self, code, **known):
        """Begin a session and end it with this code. Return what the coroutine then did."""
        session, self.known = SimpleNamespace(done=Deferred()), known
        self.sessions.begin(session)
        self.done.clear()
        session.done.callback(CloseReason(code, "It has ended."))
        return self.done


def test_a_host_serves_one_session_after_another_until_it_is_stopped(monkeypatch):
    evening = Evening(monkeypatch)
    hosts = Deferred.fromCoroutine(hosting.host_match(evening, None))
    assert evening.done == ["begin"]
    assert evening.session("finished", only_lacked_end=True) == [
        "tell_it_was_over",
        "wait_for_anyone",
    ]
    assert evening.session("connection-lost", can_resume=True) == [
        "tell_lost",
        "await_friend",
        "ask_routers_again",
    ]
    assert evening.session("finished", peer_stays=True) == ["finish_match", "ask_routers_again"]
    assert not hosts.called
    evening.sessions.stop()
    assert hosts.called
    assert evening.done == ["finish_match", "ask_routers_again", "stop"]  # the last word was said


@pytest.mark.parametrize("hosts", [True, False])
def test_a_session_that_nothing_follows_ends_the_program(monkeypatch, hosts):
    evening = Evening(monkeypatch)
    role = hosting.host_match(evening, None)
    if not hosts:
        role.close()
        role = joining.join_match(evening, SimpleNamespace(host=b""), None)
    playing = Deferred.fromCoroutine(role)
    assert evening.session("peer-left") == ["say_last_word", "stop"]  # nobody may come back
    assert playing.called


def test_a_guest_reconnects_to_resume_and_for_another_match(monkeypatch):
    evening = Evening(monkeypatch)
    invite = SimpleNamespace(host=b"")
    joins = Deferred.fromCoroutine(joining.join_match(evening, invite, None))
    assert evening.session("connection-lost", can_resume=True) == ["tell_lost", "connect_later"]
    assert evening.session("finished", peer_stays=True) == ["finish_match", "connect_later"]
    evening.sessions.stop()
    assert joins.called
    assert evening.done[-1] == "stop"
