"""Two sessions from the first entry to the goodbye, in one process or over TCP and TLS."""

from dataclasses import replace

import pytest
from twisted.internet.task import Clock

from ginpeer.net.connection import Timing
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.session import SYNC_TIMEOUT, Session, SessionOver, TooFast
from ginpeer.net.timing import AT_ONCE
from ginpeer.seat.seat import Close, Persist, Send, Show
from protocol.crypto.identity import fingerprint
from protocol.frames import Chat, Goodbye, MalformedFrame, Position
from tests.net.pair import Pair, ended
from tests.net.support import (
    GUEST_KEY,
    HOST_KEY,
    TABLE,
    LineSeat,
    Recorder,
    Refusal,
    a_guest,
    a_host,
    seat_both,
    until,
)
from tests.net.test_session_alone import ConsentSeat
from tests.refusals import code_of

# --- a match from beginning to end -----------------------------------------------------


@pytest.mark.parametrize(
    "hosts", [Position(TABLE, 6, b"g" * 32), None], ids=["resumed", "a new match"]
)
async def test_each_side_learns_who_the_other_is(closing, hosts):
    """This doesn't depend on whether the host continues the match or starts a new one."""
    position = Position(TABLE, 7, b"h" * 32)
    host = a_host(eager=False, position=hosts)
    guest = a_guest(eager=False, position=position)
    await seat_both(closing, host, guest)
    (of_guest,), (of_host,) = host.player.all("connected"), guest.player.all("connected")
    assert of_guest.key == GUEST_KEY.public
    assert of_guest.fingerprint == fingerprint(GUEST_KEY.public)
    assert of_guest.position == (position if hosts else None)
    assert of_guest.address.startswith("127.0.0.1:")
    assert (of_host.key, of_host.position) == (HOST_KEY.public, hosts)


class SendsTwice(LineSeat):
    def meet(self, theirs):
        yield from self.start()
        yield Send(self.lines[0])


class PassesOver(LineSeat):
    def receive(self, raw):
        return () if raw in self.lines else super().receive(raw)


def test_a_repeated_entry_does_not_ask_the_player_again():
    pair = Pair(
        a_host(eager=False, seat_class=SendsTwice), a_guest(eager=False, seat_class=PassesOver)
    )
    assert pair.guest.player.all("choose") == [1]


def test_a_refused_move_changes_nothing():
    pair = Pair()
    with pytest.raises(Refusal):
        pair.theirs.play(42)
    with pytest.raises(Refusal):
        pair.theirs.resign()
    assert pair.theirs.ending is None
    pair.theirs.play("a good one")
    pair.turn()
    assert pair.host.player.all("choose")


def test_our_own_chat_is_limited_in_rate():
    pair = Pair()
    for number in range(5):
        pair.ours.say(f"line {number}")
    assert code_of(TooFast, pair.ours.say, "one too many") == "chat-too-fast"
    pair.clock.advance(1)
    pair.ours.say("the sixth")
    for impossible in ("", "x" * 501, "\udc80"):
        with pytest.raises(MalformedFrame):
            pair.ours.say(impossible)
    pair.turn()
    assert len(pair.guest.player.all("chat")) == 6


# --- consent ---------------------------------------------------------------------------


def pair_with_offer():
    """Return a pair whose guest's player is asked whether they want to play."""
    return Pair(guest=a_guest(eager=False, seat_class=ConsentSeat))


def test_nothing_is_signed_before_the_player_accepts():
    pair = pair_with_offer()
    assert pair.guest.player.all("consider") == ["begin"]
    assert pair.guest.journal.entries == [b"0 begin"]
    pair.theirs.accept()
    pair.turn()
    assert pair.host.player.all("choose")
    assert pair.host.player.all("show") == ["0 begin", "1 accepted"]
    with pytest.raises(SessionOver):
        pair.theirs.decline()


@pytest.mark.parametrize(
    ("because", "told"),
    [
        ("", "Your opponent declined the match."),
        ("Too long.", 'Your opponent declined the match. Their message: "Too long."'),
    ],
)
def test_declining_informs_both_players_and_signs_nothing(because, told):
    pair = pair_with_offer()
    pair.theirs.decline(because, asked=not because)
    pair.turn()
    assert ended(pair.theirs) == ended(pair.ours) == ("declined", None)
    assert pair.theirs.ending.sentence.endswith(because or "You declined the match.")
    assert pair.ours.ending.sentence == told
    assert pair.guest.journal.entries == pair.host.journal.entries == [b"0 begin"]
    with pytest.raises(SessionOver):
        pair.theirs.accept()


@pytest.mark.parametrize("resumed", [False, True])
def test_a_player_who_has_signed_can_no_longer_decline(resumed):
    """Nor can a peer that has reconnected to continue a match, before it sends an entry."""
    pair = Pair(a_host(eager=False, seat_class=ComparingSeat if resumed else LineSeat))
    if resumed:
        pair.ours._seat.lines += [b"line"] * 2
    else:
        pair.theirs.play("a line")
        pair.turn()
    pair.wire(Goodbye("declined", "I never wanted to play."))
    assert ended(pair.ours) == ("peer-closed", None)


# --- effects ---------------------------------------------------------------------------


class DiskFull(Exception):
    code = "disk-full"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(28, "No space left on device"), "store-failed"),
        # The goodbye gives the reason, which is quoted.
        (DiskFull("The disk is full."), "disk-full"),
    ],
)
def test_nothing_is_sent_after_a_failed_store(error, told):
    """It is a class C failure: we send neither the entry nor any message about it."""
    host, guest = a_host(), a_guest()
    guest.journal.fail_at, guest.journal.error = 3, error
    pair = Pair(host, guest)
    closed = pair.theirs.ending
    assert (closed.code, closed.failure) == (told, "C")
    assert (closed.sentence == "The disk is full.") is (told == "disk-full")
    assert guest.player.all("closed") == [closed]
    assert ended(pair.ours) == ("connection-lost", "A")
    assert "It's your opponent's turn" in pair.ours.ending.sentence
    assert len(guest.journal.entries) == 3
    assert host.journal.entries == guest.journal.entries
    assert guest.player.all("show") == [line.decode() for line in guest.journal.entries]


class FaultySeat(LineSeat):
    def receive(self, raw):
        yield Persist(TABLE, raw)
        yield Show("half of it")
        raise ZeroDivisionError("a bug")


class FailingSeat(LineSeat):
    """A seat that reports that its own machine has failed."""

    def receive(self, raw):
        yield Close("clock-broken", "This machine's clock runs backwards.", "C")


class WordySeat(LineSeat):
    """A seat that closes with a code too long for any goodbye."""

    def receive(self, raw):
        yield Close("NO SUCH CODE", "x" * 1000, "B")


class HastyPlayer(Recorder):
    def show(self, event):
        self.session.play("in the middle of an effect")


class BlunderingPlayer(Recorder):
    def choose(self, view):
        self.session.play(42)


def fails_in(method):
    """Return a class of players that raise an exception in this method."""

    def fail(self, *given):
        self.events.append((method, *given))
        raise ZeroDivisionError("a bug")

    return type("Faulty", (Recorder,), {method: fail})


BUG = ("internal-error", "C")


@pytest.mark.parametrize(
    ("settings", "told", "heard"),
    [
        ({"seat_class": FaultySeat}, BUG, "connection-lost"),
        *(
            ({"player_class": fails_in(name)}, BUG, "connection-lost")
            for name in ("connected", "show", "choose", "chat")
        ),
        ({"player_class": HastyPlayer}, BUG, "connection-lost"),
        ({"player_class": BlunderingPlayer}, ("bad-line", "C"), "connection-lost"),
        # not even a goodbye arrived
        ({"seat_class": FailingSeat}, ("clock-broken", "C"), "connection-lost"),
        ({"seat_class": WordySeat}, ("NO SUCH CODE", "B"), "peer-closed"),
    ],
)
def test_a_fault_of_our_own_ends_the_session_and_not_the_reactor(settings, told, heard):
    pair = Pair(guest=a_guest(**settings), begun=False)
    pair.ours.say("hello")
    pair.turn()
    assert ended(pair.theirs) == told
    assert "bug" not in pair.theirs.ending.sentence
    assert pair.guest.player.all("closed") == [pair.theirs.ending]
    assert pair.ours.ending.code == heard
    assert not any(b"in the middle" in entry for entry in pair.guest.journal.entries)


def test_the_traceback_of_a_bug_is_logged_only_in_debug_mode(logged_failures):
    Pair(guest=a_guest(seat_class=FaultySeat, debug=True))
    assert [failure.type for failure in logged_failures] == [ZeroDivisionError]
    logged_failures.clear()


def test_a_bug_in_closed_does_not_keep_done_from_firing():
    pair = Pair(guest=a_guest(player_class=fails_in("closed")))
    pair.ours.leave()
    pair.turn()
    assert pair.theirs.done.result.code == "peer-left"


class RefusingSeat(LineSeat):
    """A seat that finds the first line that it receives illegal."""

    def receive(self, raw):
        self.closed = True
        yield Close("card-not-held", "The card was not in the hand.", "B")
        yield Send(b"never")
        yield Show("never")


def test_an_illegal_entry_ends_the_session_and_nothing_follows_it():
    pair = Pair(a_host(), a_guest(seat_class=RefusingSeat))
    assert ended(pair.theirs) == ("card-not-held", "B")
    assert pair.guest.player.all("show") == []
    assert ended(pair.ours) == ("peer-closed", None)
    assert "card-not-held" in pair.ours.ending.sentence
    assert pair.host.seat.lines == [b"0 begin"]


class PatienceSeat(LineSeat):
    """A seat whose player makes *length* choices in a row."""

    made = 0

    def start(self):
        return ()

    def owes_choice(self):
        return self.made < self.length

    def play(self, move):
        self.made += 1
        yield Persist(TABLE, b"%d" % self.made)


def test_thousands_of_choices_in_a_row_need_no_deep_stack():
    pair = Pair(a_host(seat_class=PatienceSeat, length=5000))
    assert len(pair.host.journal.entries) == len(pair.host.player.all("choose")) == 5000
    assert pair.ours.ending is None


class FactoryFault(Exception):
    code = "log-locked"


def test_a_seat_that_cannot_be_taken_is_our_own_fault():
    guest = a_guest()

    def no_seat(peer):
        raise FactoryFault("Another ginpeer uses this log.")

    guest._make_seat = no_seat
    pair = Pair(guest=guest)
    assert ended(pair.theirs) == ("log-locked", "C")
    assert [told for told, _ in guest.player.events] == ["connected", "closed"]
    assert ended(pair.ours) == ("connection-lost", "A")


# --- losing the connection -------------------------------------------------------------


async def test_pings_keep_a_thinking_player_at_the_table(closing):
    clock = Clock()
    host, guest = a_host(eager=False), a_guest(eager=False)
    ours, theirs = await seat_both(closing, host, guest, clock=clock, timing=Timing(grid=0))
    for pings in range(1, 31):  # ten minutes
        clock.advance(20)
        await until(lambda: ours._wire._pongs_seen == theirs._wire._pongs_seen == pings)  # noqa: B023
    assert ours.ending is None
    assert theirs.ending is None
    theirs.play("at last")
    await until(lambda: host.player.all("choose"))


@pytest.mark.parametrize(
    ("code", "words", "quoted"),
    [
        # The peer's own quotation marks can't end the quotation.
        (
            "finished",
            'Bye." (left) You have lost, "believe me.',
            "\"Bye.' (left) You have lost, 'believe me.\" (finished)",
        ),
        # A code that isn't ours is quoted as well.
        ("you-won-224-to-82", "Bye.", '"Bye. (you-won-224-to-82)"'),
        ("finished-0", "Bye.", '"Bye. (finished-0)"'),
    ],
)
def test_a_goodbye_is_quoted_and_never_taken_for_our_own_verdict(code, words, quoted):
    pair = Pair()
    pair.wire(Goodbye(code, words))
    assert ended(pair.ours) == ("peer-closed", None)
    assert pair.ours.ending.sentence.partition("It said: ")[2] == quoted


class ComparingSeat(LineSeat):
    """A seat that was promised entries that never arrive."""

    def sync_pending(self):
        return len(self.lines)

    def meet(self, theirs):
        return ()


def test_a_peer_that_withholds_entries_it_claims_to_have_is_disconnected():
    """Chat doesn't extend the peer's time, but each missing entry that arrives does."""
    pair = Pair(a_host(eager=False, seat_class=ComparingSeat))
    for turn in range(11):
        if turn == 5:
            pair.ours._seat.lines.append(b"0 one")
            pair.ours._await_log()
        assert pair.ours.ending is None
        pair.wire(Chat("soon"))
        pair.clock.advance(SYNC_TIMEOUT / 6)
    pair.turn()
    # The peer may also try again.
    assert ended(pair.ours) == ended(pair.theirs) == ("log-withheld", "A")
    assert pair.theirs.ending.sentence == "The other side gave up waiting for part of your log."
    assert pair.clock.getDelayedCalls() == []


class SilentSeat(LineSeat):
    """A seat that sends nothing until its player has made a decision."""

    def meet(self, theirs):
        return ()

    def owes_next(self):
        return super().owes_next() if self.lines else None


def silent_pair():
    return Pair(a_host(eager=False, seat_class=SilentSeat), a_guest(seat_class=SilentSeat))


@pytest.mark.parametrize(
    ("order", "code", "sentence"),
    [
        # The guest reconnects by itself, as after a lost connection, even without patience.
        (Session.resume_stored, "takes-up-stored", "Your unfinished match continues."),
        # The host's own words aren't shown, as they would have to be quoted.
        (
            lambda session: session.leave_stored("Nothing was offered."),
            "kept",
            "Your unfinished match stays as it is.",
        ),
    ],
    ids=["takes up", "leaves"],
)
def test_a_guest_is_told_what_the_host_does_with_the_stored_match(order, code, sentence):
    pair = silent_pair()
    order(pair.ours)
    pair.turn()
    assert ended(pair.ours) == ended(pair.theirs) == (code, None)
    assert pair.theirs.ending.sentence == f"No new match was started. {sentence}"
    assert (code in AT_ONCE) is pair.theirs.was_useful is (code == "takes-up-stored")


@pytest.mark.parametrize(
    "lines", [0, 1, 6], ids=["not stored here", "in the middle of it", "at its end"]
)
@pytest.mark.parametrize("code", ["kept", "takes-up-stored"])
def test_a_goodbye_about_a_stored_match_is_believed_only_before_a_match(code, lines):
    pair = silent_pair()
    pair.theirs._seat.lines += [b"line"] * lines
    pair.theirs._side = replace(pair.theirs._side, unfinished=lambda: lines > 0)
    pair.ours.end(CloseReason("left", ""), Goodbye(code, "Come again."))
    pair.turn()
    heard = pair.theirs.ending
    assert heard.code == ("peer-closed" if lines else code)
    for words in ("It says your unfinished match", "no match with this host to continue"):
        assert (words in heard.sentence) is (lines == 0)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (0, "The log is kept. It's your turn."),
        (1, "The log is kept. It's your opponent's turn."),
        (6, "The log is kept."),
    ],
)
def test_the_log_decides_whose_turn_it_is_whatever_the_peer_claims(lines, told):
    pair = Pair(a_host(eager=False, seat_class=ComparingSeat))
    pair.ours._seat.lines += [b"line"] * lines
    # Nothing is signed while the two logs are being compared.
    pair.ours._seat.owes_choice = lambda: False
    pair.theirs._wire.abort()
    pair.turn()
    assert ended(pair.ours) == ("connection-lost", "A")
    assert pair.ours.ending.sentence == f"The connection was lost. {told}"
