"""How a session of the match ends: the table waits on, or the program says the last word and ends.

# Rule 1: whatever ends a match ends in `Ending.say`, which says where the log is.
# Rule 2: the last word is said once, and before an attempt to come back is given up: what is given
# up must not end the match in another way.
# Rule 3: where the memory has run out that is the reason, whatever else it has broken; but a rule
# that the other player broke stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from cli.failure import OUR_FAULT
from cli.match.evening import Evening
from cli.match.other_player import OtherPlayer
from cli.match.process import Process
from cli.match.put_aside import PutAside
from cli.table.person_voice import PersonVoice
from cli.table.table import HumanTable
from cli.table.voice import Voice
from cli.text.evening import LEFT, NOBODY_CAME_BACK, by_name, waiting_for_answer
from cli.text.grammar import inside
from cli.text.put_aside import was_over
from ginpeer.keeper import TableKeeper
from ginpeer.names.shown import isolated, safe
from ginpeer.net.interfaces import Closed
from ginpeer.net.own_faults import fault_of
from ginpeer.net.waiting import CAME_BACK, NOT_BACK, Absence
from ginpeer.store import Home, StoreError
from protocol.frames import PAUSED

PEER_BROKE_RULES = 1
ENDED_EARLY = 4

_ABOUT_THE_OTHER = frozenset({"connection-lost", "declined", "peer-left", CAME_BACK, NOT_BACK})
"""Ends that are told in our words; what the other player has typed stands behind them."""


class Ending:
    """The ends of the sessions, and with the last one of the program.

    ``status`` is its exit status, once there is one. ``try_again`` is what brings a lost player
    back, where something does, and ``give_up`` ends that; ``wait_on`` lets a host wait as before
    after a guest who only lacked the end of an old match. Whoever begins the match sets them.
    ``evening`` says whether another match follows, at ``table`` where a person plays.
    """

    def __init__(
        self,
        program: Process,
        home: Home,
        keeper: TableKeeper,
        voice: Voice,
        other: OtherPlayer,
        aside: PutAside | None,
        patience: float | None,
        *,
        has_left: Callable[[], bool],
        command: str = "ginpeer",
        hosts: bool = False,
    ) -> None:
        """*aside*: None in practice, which puts nothing aside. *patience*: seconds to wait for a
        player who is lost; None waits until ours leaves. *has_left*: whether ours has.
        *command*: how this program is called. *hosts*: whether ours is the host."""
        self.status: int | None = None
        self.try_again: Callable[[], None] | None = None
        self.give_up: Callable[[], object] = lambda: None
        self.wait_on: Callable[[], None] | None = None
        self.evening: Evening | None = None
        self.table: HumanTable | None = None
        self._program = program
        self._home = home
        self._keeper = keeper
        self._voice = voice
        self._other = other
        self._aside = aside
        self._has_left = has_left
        self._command = command
        self._hosts = hosts
        self._stopped = False
        self._waits_on = False
        self._absence = Absence(
            program.reactor,
            patience,
            remind=lambda minutes: voice.still_away(other.name("The"), minutes),
            give_up=self.stop_waiting,
        )

    # --- of a session -------------------------------------------------------------------

    def over(self, closed: Closed) -> bool:
        """The session has ended: say how, and where the log is; or, where only the connection is
        lost, that the table is kept. Whether it is."""
        if self._program.reserve.gone and closed.failure != "B":  # whatever came of it
            closed = fault_of(MemoryError())
        if closed.code == "declined":  # so neither player has signed a match
            with suppress(StoreError):  # then it lies there as an offer, which is nobody's match
                self._keeper.forget_offer()
        if self._keeper.was_over and not self._keeper.again and self._may_wait_on(closed):
            self._waits_on = True
            self._voice.info(was_over(self._resumed_name()))
            return True
        evening = self.evening
        if (
            evening is not None
            and not self._has_left()
            and evening.goes_on(closed, self._other.peer)
        ):
            return self._stays(closed, evening)
        if self.waits_after(closed):
            seat = self._keeper.live
            resumable = seat is not None and seat.can_go_on()
            self._voice.away(self._other.name(), isolated(self._named(closed)), resumable=resumable)
            self._absence.begin(closed)
            return True
        self.say(closed)
        return False

    def _stays(self, closed: Closed, evening: Evening) -> bool:
        """The match is over, and both stay for another."""
        if closed.code != "finished":
            if self.table is not None and self.table.proposes:
                self._voice.info(waiting_for_answer(inside(self._other.name("The"))))
            elif not evening.will_ask:  # the question says all of this
                sentence = isolated(safe(self._named(closed), limit=1_000))  # it quotes a goodbye
                self._voice.info(sentence)
            evening.next_match(closed, self.table)
        elif evening.has_counted():  # who lacked its end has it now
            evening.clear(self.table)
        else:
            self._tell(closed, 0)
            evening.next_match(closed, self.table)
        self._absence.begin(Closed(NOT_BACK, NOBODY_CAME_BACK))
        return True

    def _named(self, closed: Closed) -> str:
        """Why it ended, to a person with the other player's name, where the words are ours."""
        if isinstance(self._voice, PersonVoice) and closed.code in _ABOUT_THE_OTHER:
            return by_name(closed.sentence, self._other.name("The"))
        return closed.sentence

    def _may_wait_on(self, closed: Closed) -> bool:
        """Whether this is no reason for a host to stop waiting for somebody to play with."""
        return self.wait_on is not None and closed.failure in (None, "A") and not self._has_left()

    def _resumed_name(self) -> str:
        journal = self._keeper.stored
        return "" if journal is None else self._home.short_name(journal.path)

    def waits_after(self, closed: Closed) -> bool:
        """Whether the other player may come back to this table in this run of the program."""
        return (
            not self._has_left()
            and self.try_again is not None
            and self._absence.follows(closed, self._keeper.live)
        )

    def gone(self) -> None:
        """The session's connection is gone, too."""
        if self._waits_on and self.wait_on is not None:
            self._waits_on = False
            self.wait_on()
        elif self._absence.lasts and self.try_again is not None:
            self.try_again()
        else:
            self.halt()

    # --- of a wait ----------------------------------------------------------------------

    @property
    def waits(self) -> bool:
        """Whether the table is kept for a player who is lost."""
        return self._absence.lasts

    def somebody_came(self) -> None:
        """The other player has sat down."""
        self._absence.end()

    def nobody_came(self) -> None:
        """Our player does not wait any longer."""
        if self._keeper.live is None:
            self.stop("left", LEFT if self._has_played else "Nothing was played.")
        else:
            self.stop_waiting(Closed("left", "You left the table; the log is kept."))

    def no_way(self, code: str, sentence: str) -> None:
        """The host cannot be reached."""
        if self._keeper.live is None:
            self.stop(code, sentence)
        else:
            self.stop_waiting(Closed(code, sentence))

    def stop_waiting(self, closed: Closed) -> None:
        """The other player has not come back, or ours has got up meanwhile."""
        self._absence.end()
        if self.status is None:
            try:
                self._give_up_chat()
                self.say(closed)  # first (Rule 2)
            finally:  # else, after a fault of ours, nobody would ever leave
                self.give_up()
                self.halt()

    def _give_up_chat(self) -> None:
        if self.table is not None:
            self.table.give_up()

    # --- of the program -----------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether nothing is played any more."""
        return self._stopped or self.status is not None

    def stop(self, code: str, sentence: str) -> None:
        """End without a match: nobody came, or there was no way to the host."""
        if self._stopped:
            return
        self._stopped = True
        self._give_up_chat()
        self.give_up()
        self.status = 0 if self._has_played else ENDED_EARLY
        self._voice.ended(code, sentence, self.status, None)
        self.halt()

    def halt(self) -> None:
        """Nothing more is to come."""
        self._absence.end()
        self._program.stop()

    def say(self, closed: Closed) -> None:
        """The last word: why, where the log is, what can go on another time; and the status."""
        self.status = status_of(closed)
        under_way = self._keeper.live is not None and self._keeper.live.agreed()
        if self.status == ENDED_EARLY and self._has_played and not under_way:
            self.status = 0
        self._tell(closed, self.status)

    @property
    def _has_played(self) -> bool:
        """Whether a match is over that was played in this sitting."""
        return self.evening is not None and self.evening.played > 0

    def _tell(self, closed: Closed, status: int) -> None:
        sentence = self._named(closed)
        log = self.log()
        if closed.code == "rules-unsupported":
            sentence = (
                "The host offers rules that this version of ginpeer cannot play. "
                f"{sentence} Ask for other rules, or for the host's version of ginpeer."
            )
        if closed.code == "seed-lost":
            host = self._command if self._hosts else "ginpeer"  # of another machine
            sentence = f"{sentence} Instead, the host can begin a new one with {host} host --new."
        if closed.code == "kept":
            resume = f"{self._command} resume"
            sentence = f"{sentence} When you type {resume}, and the other player does, it goes on."
        if closed.failure == "B":
            sentence = f"The other player broke the rules: {sentence} The match stops here."
            log = self._evidence() or log
        self._keeper.note_closing(closed.code)
        peer = self._other.peer
        if self._aside is not None and peer is not None and closed.failure != "C":
            self._aside.say_what_is_left(peer.key)
        self._voice.ended(closed.code, sentence, status, log, self._resumable())

    def log(self) -> str | None:
        """The path of our log, once there is one."""
        journal = self._keeper.stored
        return None if journal is None else str(journal.path)

    def _resumable(self) -> str | None:
        """The short name of a match that can go on another time."""
        journal, seat = self._keeper.stored, self._keeper.live
        if journal is None or seat is None:
            return None
        if not seat.can_go_on() or self._evidence():
            return None
        return self._home.short_name(journal.path)

    def _evidence(self) -> str | None:
        """The log that ends with the other player's illegal entry."""
        journal = self._keeper.stored
        if journal is None:
            return None
        stored = [match for match in self._home.logs() if match.path == journal.path]
        evidence = self._home.evidence(stored[0]) if stored else ()
        return str(evidence[0]) if evidence else None


def status_of(closed: Closed) -> int:
    """The exit status of a match that ended so."""
    if closed.code in ("finished", PAUSED):
        return 0
    if closed.failure == "B":
        return PEER_BROKE_RULES
    return OUR_FAULT if closed.failure == "C" else ENDED_EARLY
