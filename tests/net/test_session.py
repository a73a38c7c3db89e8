"""Two peers over real TCP and TLS on the loopback, from invite to goodbye."""

from dataclasses import replace

import pytest
from twisted.internet.task import Clock

from ginpeer.net.connection import Timing
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.session import Session, SessionOver, TooFast
from ginpeer.net.timing import AT_ONCE
from ginpeer.seat.seat import Close, Persist, Send, Show
from protocol.crypto.identity import fingerprint
from protocol.frames import Goodbye, MalformedFrame, Position
from tests.net.support import (
    GUEST_KEY,
    HOST_KEY,
    TABLE,
    LineSeat,
    Recorder,
    Refusal,
    a_guest,
    a_host,
    ended,
    pause,
    seat_both,
    until,
)
from tests.refusals import code_of

# --- a match from beginning to end -----------------------------------------------------


@pytest.mark.parametrize(
    "hosts", [Position(TABLE, 6, b"g" * 32), None], ids=["resumed", "a new match"]
)
async def test_each_side_learns_who_the_other_is(closing, hosts):
    """If the host starts a new match, positions don't matter."""
    position = Position(TABLE, 7, b"h" * 32)
    host = a_host(eager=False, position=hosts)
    guest = a_guest(eager=False, position=position)
    await seat_both(closing, host, guest)
    (of_guest,), (of_host,) = host.player.all("connected"), guest.player.all("connected")
    assert of_guest.key == GUEST_KEY.public
    assert of_guest.fingerprint == fingerprint(GUEST_KEY.public)
    assert (of_guest.software, of_guest.position) == ("test 1", position if hosts else None)
    assert of_guest.address.startswith("127.0.0.1:")
    assert (of_host.key, of_host.software, of_host.position) == (HOST_KEY.public, "test 0", hosts)


class SendsTwice(LineSeat):
    def meet(self, theirs):
        yield from self.start()
        yield Send(self.lines[0])


class PassesOver(LineSeat):
    def receive(self, raw):
        return () if raw in self.lines else super().receive(raw)


async def test_a_repeated_entry_does_not_ask_the_player_again(closing):
    host = a_host(eager=False, seat_class=SendsTwice)
    guest = a_guest(eager=False, seat_class=PassesOver)
    ours, _ = await seat_both(closing, host, guest)
    ours.say("That was all.")
    await until(lambda: guest.player.all("chat"))
    assert guest.player.all("choose") == [1]


async def test_a_refused_move_changes_nothing(closing):
    host, guest = a_host(eager=False), a_guest(eager=False)
    _, theirs = await seat_both(closing, host, guest)
    await until(lambda: guest.player.all("choose"))
    with pytest.raises(Refusal):
        theirs.play(42)
    with pytest.raises(Refusal):
        theirs.resign()
    assert theirs.ending is None
    theirs.play("a good one")
    await until(lambda: host.player.all("choose"))


async def test_our_own_chat_is_limited_in_rate(closing):
    host, guest = a_host(eager=False), a_guest(eager=False)
    clock = Clock()
    ours, _ = await seat_both(closing, host, guest, clock=clock)
    for number in range(5):
        ours.say(f"line {number}")
    assert code_of(TooFast, ours.say, "one too many") == "chat-too-fast"
    clock.advance(1)
    ours.say("the sixth")
    for impossible in ("", "x" * 501, "\udc80"):
        with pytest.raises(MalformedFrame):
            ours.say(impossible)
    await until(lambda: len(guest.player.all("chat")) == 6)


# --- consent ---------------------------------------------------------------------------


class ConsentSeat(LineSeat):
    asks = True


async def test_nothing_is_signed_before_the_player_accepts(closing):
    host, guest = a_host(eager=False), a_guest(eager=False, seat_class=ConsentSeat)
    _, theirs = await seat_both(closing, host, guest)
    await until(lambda: guest.player.all("consider"))
    await pause()
    assert guest.player.all("consider") == ["begin"]
    assert guest.journal.entries == [b"0 begin"]
    theirs.accept()
    await until(lambda: host.player.all("choose"))
    assert host.player.all("show") == ["0 begin", "1 accepted"]
    with pytest.raises(SessionOver):
        theirs.decline()


@pytest.mark.parametrize(
    ("because", "told"),
    [
        ("", "Your opponent declined the match."),
        ("Too long.", 'Your opponent declined the match. Their message: "Too long."'),
    ],
)
async def test_declining_informs_both_players_and_signs_nothing(closing, because, told):
    host, guest = a_host(eager=False), a_guest(eager=False, seat_class=ConsentSeat)
    ours, theirs = await seat_both(closing, host, guest)
    await until(lambda: guest.player.all("consider"))
    theirs.decline(because, asked=not because)
    closed = await theirs.done
    assert (closed.code, closed.failure) == ("declined", None)
    assert closed.sentence.endswith(because or "You declined the match.")
    heard = await ours.done
    assert (heard.code, heard.sentence, heard.failure) == ("declined", told, None)
    assert guest.journal.entries == host.journal.entries == [b"0 begin"]
    with pytest.raises(SessionOver):
        theirs.accept()


@pytest.mark.parametrize("resumed", [False, True])
async def test_a_player_who_has_signed_can_no_longer_decline(closing, resumed):
    """This also goes for a reconnected peer that has sent no entry yet in a match that
    continues."""
    seat_class = ComparingSeat if resumed else LineSeat
    host, guest = a_host(eager=False, seat_class=seat_class), a_guest(eager=False)
    ours, theirs = await seat_both(closing, host, guest)
    if resumed:
        ours._seat.lines += [b"line"] * 2
    else:
        await until(lambda: guest.player.all("choose"))
        theirs.play("a line")
        await until(lambda: host.player.all("choose"))
    theirs._wire.part(Goodbye("declined", "I never wanted to play."))
    assert (await ours.done).code == "peer-closed"
    await theirs.done


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
async def test_nothing_is_sent_after_a_failed_store(closing, error, told):
    """The failure is class C: neither the entry nor any message about it is sent."""
    host, guest = a_host(), a_guest()
    guest.journal.fail_at, guest.journal.error = 3, error
    ours, theirs = await seat_both(closing, host, guest)
    closed = await theirs.done
    assert (closed.code, closed.failure) == (told, "C")
    assert (closed.sentence == "The disk is full.") is (told == "disk-full")
    assert guest.player.all("closed") == [closed]
    lost = await ours.done
    assert (lost.code, lost.failure) == ("connection-lost", "A")
    assert "It's your opponent's turn" in lost.sentence
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
    """Return a class of players that fail in this method."""

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
async def test_a_fault_of_our_own_ends_the_session_and_not_the_reactor(
    closing, settings, told, heard
):
    guest = a_guest(**settings)
    ours, theirs = await seat_both(closing, a_host(eager=False), guest)
    ours.say("hello")
    closed = await theirs.done
    assert (closed.code, closed.failure) == told
    assert "bug" not in closed.sentence
    assert guest.player.all("closed") == [closed]
    assert (await ours.done).code == heard
    assert not any(b"in the middle" in entry for entry in guest.journal.entries)


async def test_the_traceback_of_a_bug_is_logged_only_in_debug_mode(closing, logged_failures):
    host, guest = a_host(), a_guest(seat_class=FaultySeat, debug=True)
    _, theirs = await seat_both(closing, host, guest)
    await theirs.done
    assert [failure.type for failure in logged_failures] == [ZeroDivisionError]
    logged_failures.clear()


async def test_a_bug_in_closed_does_not_keep_done_from_firing(closing):
    host, guest = a_host(eager=False), a_guest(player_class=fails_in("closed"))
    ours, theirs = await seat_both(closing, host, guest)
    ours.leave()
    assert (await theirs.done).code == "peer-left"


class RefusingSeat(LineSeat):
    """A seat that judges the first line it receives illegal."""

    def receive(self, raw):
        self.closed = True
        yield Close("card-not-held", "The card was not in the hand.", "B")
        yield Send(b"never")
        yield Show("never")


async def test_an_illegal_entry_ends_the_session_and_nothing_follows_it(closing):
    host, guest = a_host(), a_guest(seat_class=RefusingSeat)
    ours, theirs = await seat_both(closing, host, guest)
    assert await ended(theirs) == ("card-not-held", "B")
    assert guest.player.all("show") == []
    told = await ours.done
    assert (told.code, told.failure) == ("peer-closed", None)
    assert "card-not-held" in told.sentence
    assert host.seat.lines == [b"0 begin"]


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


async def test_thousands_of_choices_in_a_row_need_no_deep_stack(closing):
    host = a_host(seat_class=PatienceSeat, length=5000)
    await seat_both(closing, host, a_guest(eager=False))
    assert len(host.journal.entries) == len(host.player.all("choose")) == 5000
    assert host.session.ending is None


class FactoryFault(Exception):
    code = "log-locked"


async def test_a_seat_that_cannot_be_taken_is_our_own_fault(closing):
    guest = a_guest()

    def no_seat(peer):
        raise FactoryFault("Another ginpeer uses this log.")

    guest._make_seat = no_seat
    ours, theirs = await seat_both(closing, a_host(eager=False), guest)
    closed = await theirs.done
    assert (closed.code, closed.failure) == ("log-locked", "C")
    assert [told for told, _ in guest.player.events] == ["connected", "closed"]
    assert (await ours.done).code == "connection-lost"


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
        # None of the peer's own quotation marks ends the quotation.
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
async def test_a_goodbye_is_quoted_and_never_taken_for_our_own_verdict(
    closing, code, words, quoted
):
    host, guest = a_host(eager=False), a_guest(eager=False)
    ours, theirs = await seat_both(closing, host, guest, timing=Timing(closing=0.05))
    theirs._wire.part(Goodbye(code, words))
    closed = await ours.done
    assert (closed.code, closed.failure) == ("peer-closed", None)
    assert closed.sentence.partition("It said: ")[2] == quoted
    theirs._wire.abort()
    await theirs.done


class ComparingSeat(LineSeat):
    """A seat that was promised entries that never arrive."""

    def sync_pending(self):
        return len(self.lines)

    def meet(self, theirs):
        return ()


async def test_a_peer_that_withholds_entries_it_claims_to_have_is_disconnected(closing):
    """Pings and chat aren't part of the log; each entry that we lacked buys the same time again."""
    clock = Clock()
    host, guest = a_host(eager=False, seat_class=ComparingSeat), a_guest(eager=False)
    ours, theirs = await seat_both(closing, host, guest, clock=clock, timing=Timing(grid=0))
    for pings in range(1, 11):
        clock.advance(20)
        await until(lambda: ours._wire._pongs_seen == theirs._wire._pongs_seen == pings)  # noqa: B023
        if pings == 5:
            ours._seat.lines.append(b"0 one")
            ours._await_log()
    assert ours.ending is None
    clock.advance(20)
    assert (ours.ending.code, ours.ending.failure) == ("log-withheld", "A")
    heard = await theirs.done
    assert (heard.code, heard.failure) == ("log-withheld", "A")  # the peer may also try again
    assert heard.sentence == "The other side gave up waiting for part of your log."
    clock.advance(10)
    await ours.done
    assert clock.getDelayedCalls() == []


class SilentSeat(LineSeat):
    """A seat that sends nothing until its player has decided something."""

    def meet(self, theirs):
        return ()

    def owes_next(self):
        return super().owes_next() if self.lines else None


@pytest.mark.parametrize(
    ("order", "code", "sentence"),
    [
        # The guest reconnects by itself, as after a lost connection, even without patience.
        (Session.resume_stored, "takes-up-stored", "Your unfinished match continues."),
        # A host's words would be quoted.
        (
            lambda session: session.leave_stored("Nothing was offered."),
            "kept",
            "Your unfinished match stays as it is.",
        ),
    ],
    ids=["takes up", "leaves"],
)
async def test_a_guest_is_told_what_the_host_does_with_the_stored_match(
    closing, order, code, sentence
):
    host, guest = a_host(eager=False, seat_class=SilentSeat), a_guest(seat_class=SilentSeat)
    ours, theirs = await seat_both(closing, host, guest)
    order(ours)
    assert (await ours.done).code == code
    heard = await theirs.done
    assert (heard.code, heard.sentence) == (code, f"No new match was started. {sentence}")
    assert (code in AT_ONCE) is theirs.was_useful is (code == "takes-up-stored")


@pytest.mark.parametrize(
    "lines", [0, 1, 6], ids=["not stored here", "in the middle of it", "at its end"]
)
@pytest.mark.parametrize("code", ["kept", "takes-up-stored"])
async def test_a_goodbye_about_a_stored_match_is_believed_only_before_a_match(closing, code, lines):
    host, guest = a_host(eager=False, seat_class=SilentSeat), a_guest(seat_class=SilentSeat)
    ours, theirs = await seat_both(closing, host, guest)
    theirs._seat.lines += [b"line"] * lines
    theirs._side = replace(theirs._side, unfinished=lambda: lines > 0)
    ours.end(CloseReason("left", ""), Goodbye(code, "Come again."))
    await ours.done
    heard = await theirs.done
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
async def test_the_log_decides_whose_turn_it_is_whatever_the_peer_claims(closing, lines, told):
    host, guest = a_host(eager=False, seat_class=ComparingSeat), a_guest(eager=False)
    ours, theirs = await seat_both(closing, host, guest)
    ours._seat.lines += [b"line"] * lines
    # Nothing is signed while the two logs are being compared.
    ours._seat.owes_choice = lambda: False
    theirs._wire.transport.abortConnection()
    closed = await ours.done
    assert (closed.code, closed.sentence) == ("connection-lost", f"The connection was lost. {told}")
    await theirs.done
