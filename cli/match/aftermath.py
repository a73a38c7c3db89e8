"""Tell our player how a session ended, and end the program. Also handle the ways to leave: Ctrl-C,
a signal, or closing the terminal.

Rule 1: every ending of a match is reported by `Aftermath._tell`, which says where the log is. If
  the other player has broken the rules, we say so even if our program is out of memory.
Rule 2: the closing message (`say_last_word`) is printed once, before we give up waiting for the
  other player. Giving up closes connections, and that must not change why the match ended.
Rule 3: Ctrl-C clears a half-typed line. On an empty line it asks whether to leave. A second Ctrl-C
  leaves with a goodbye; a third, during the goodbye, ends the program. If nobody can be asked, one
  Ctrl-C leaves. If the terminal is gone, the other player isn't told, and keeps waiting.
"""

from __future__ import annotations

from cli.match.contact import AnyMatch, MatchPart
from cli.match.process import Process
from cli.match.series import Series, ShelvedMatches
from cli.program import INTERRUPTED, OUR_FAULT
from cli.table.presenter import PersonPresenter
from cli.text.grammar import inside
from cli.text.series import by_name, to_play_again
from ginpeer.names import isolate_quotes, safe
from ginpeer.net.close_reasons import fault_of
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.timing import CAME_BACK, NOT_BACK, Absence
from ginpeer.referee.table import HOST
from protocol.frames import PAUSED

PEER_BROKE_RULES = 1
ENDED_EARLY = 4

_ABOUT_THE_OTHER = frozenset({"connection-lost", "declined", "peer-left", CAME_BACK, NOT_BACK})
"""Codes whose sentences call the other player by our name for them. A message from the other
player may follow."""


class Aftermath(MatchPart):
    """Handles the end of a session: tells our player how it ended and what follows, and times the
    wait for a player whose connection was lost. ``status`` is the program's exit status; None until
    it is known."""

    def __init__(
        self,
        match: AnyMatch,
        process: Process,
        series: Series,
        shelved: ShelvedMatches | None,
        patience: float | None,
    ) -> None:
        """*patience*: seconds to wait after a connection is lost; None: wait until our player
        leaves."""
        super().__init__(match)
        self.status: int | None = None
        self.patient = patience != 0
        self._process = process
        self._series = series
        self._shelved = shelved
        self._leaves = False  # whether our player is leaving
        self._absence = Absence(
            self._clock,
            patience,
            remind=lambda minutes: self._presenter.show_long_absence(
                self._name, minutes, resumable=self._can_continue()
            ),
            give_up=self.stop_waiting,
        )

    # --- the end of a session -----------------------------------------------------------

    def tell_it_was_over(self) -> None:
        """Say that the guest was only missing the end of an old match, and that we have sent it."""
        self._presenter.info(
            f"The match {self._short_name() or ''} is over. Your opponent's log was incomplete; "
            "ginpeer has sent the rest. Still waiting for a player."
        )
        self._keep_table()

    def tell_lost(self, closed: CloseReason) -> None:
        sentence = isolate_quotes(self._named(closed))
        self._presenter.show_absence(self._other.name(), sentence, resumable=self._can_continue())
        self._absence.begin(closed)
        self._keep_table()

    def _can_continue(self) -> bool:
        seat = self._keeper.live
        return seat is not None and seat.can_continue()

    def finish_match(self, closed: CloseReason) -> None:
        """Say how a match or an offer ended, and clear the table, because both players stay."""
        series = self._series
        if closed.code != "finished":
            if self._table is not None and self._table.has_proposed:
                self._presenter.info(f"Waiting for {inside(self._name)}'s answer.")
            elif not series.will_ask:  # if it will ask, its question says all of this
                sentence = safe(self._named(closed), limit=1_000)  # it quotes a goodbye
                self._presenter.info(isolate_quotes(sentence))
            series.count_declined()
        elif not series.was_already_over():  # if it was, only its end has been sent
            self._tell(closed, 0)
            series.count_match()
            self._presenter.info(series.score())
        series.clear()
        nobody = "The other player hasn't come back for another match."
        self._absence.begin(CloseReason(NOT_BACK, nobody))
        self._keep_table()

    def finish_practice(self, closed: CloseReason) -> None:
        self._tell(closed, 0)
        self._series.count_match()
        if self._series.played > 1:
            self._presenter.info(self._series.score())

    def _keep_table(self) -> None:
        if self._table is not None:
            self._table.stay_open()

    def _named(self, closed: CloseReason) -> str:
        """Return why the session ended. For a person, use our name for the other player."""
        if self._tells_person and closed.code in _ABOUT_THE_OTHER:
            return by_name(closed.sentence, self._name)
        return closed.sentence

    @property
    def _tells_person(self) -> bool:
        return isinstance(self._presenter, PersonPresenter)

    # --- the end of a wait --------------------------------------------------------------

    @property
    def is_waiting(self) -> bool:
        return self._absence.is_waiting

    def on_return(self) -> None:
        self._absence.end()

    def on_nobody_came(self) -> None:
        if self._keeper.live is not None:
            left = "You left the table. The log is kept."
        elif self._has_played:
            left = "You left the table."
        else:
            kept = " The match is kept." if self._keeper.stored is not None else ""
            left = f"Nothing was played.{kept}"
        self.on_unreachable("left", left)

    def on_unreachable(self, code: str, sentence: str) -> None:
        if self._keeper.live is None:
            self.stop(code, sentence)
        else:
            self.stop_waiting(CloseReason(code, sentence))

    def stop_waiting(self, closed: CloseReason) -> None:
        self._absence.end()
        if self.status is None:
            try:
                if self._table is not None:
                    self._table.give_up()
                self.say_last_word(closed)  # first (rule 2)
            finally:  # otherwise, after an error of our own, the program would never end
                self._sessions.stop()
                self.halt()

    # --- the end of the program ---------------------------------------------------------

    @property
    def is_over(self) -> bool:
        return self.status is not None

    def stop(self, code: str, sentence: str) -> None:
        """End the program without a match, because our player stopped waiting or nobody could be
        reached."""
        if self.is_over:
            return
        self.status = 0 if self._has_played else ENDED_EARLY
        if self._table is not None:
            self._table.give_up()
        self._sessions.stop()
        self._presenter.show_end(code, sentence, self.status, None)
        self.halt()

    def halt(self) -> None:
        self._absence.end()
        self._process.stop()

    def fail(self, error: Exception) -> None:
        """Report an error of our own, without calling anything else that could fail."""
        closed = fault_of(error)
        self.status = OUR_FAULT
        self._presenter.show_end(closed.code, closed.sentence, self.status, self.log())

    def say_last_word(self, closed: CloseReason) -> None:
        """Say why the match ended, where the log is, and how to resume it. Set the exit status."""
        self.status = status_of(closed)
        if self.status == ENDED_EARLY and self._has_played and not self._is_agreed:
            self.status = 0
        self._tell(closed, self.status)

    @property
    def _is_agreed(self) -> bool:
        return self._keeper.live is not None and self._keeper.live.agreed()

    @property
    def _has_played(self) -> bool:
        return self._series.played > 0

    def _tell(self, closed: CloseReason, status: int) -> None:
        sentence = self._named(closed)
        log, evidence = self.log(), self._evidence()
        if closed.code == "rules-unsupported":
            sentence = (
                f"The host offers rules that this version of ginpeer can't play. {sentence} Ask "
                "for other rules, or install the host's version of ginpeer."
            )
        damage = self._keeper.damage
        if closed.code == "seed-lost" or (damage is not None and closed.code == damage.code):
            sentence = f"{sentence} {self.new_match_advice}"
        if closed.code == "kept" and self._keeper.replaces is not None:
            then = f"type {self._command} resume; your opponent types ginpeer resume"
            sentence = f"{sentence} To continue, {then}."
        agreed = self._is_agreed
        if closed.code in ("left", "peer-left") and not agreed and self._tells_person:
            who = "You" if closed.code == "left" else self._name
            then = " the table" if self._has_played else "; no match began"
            sentence, log = f"{who} left{then}.", None
        between = self._has_played and not agreed
        if closed.code in ("peer-left", NOT_BACK) and between and self._tells_person:
            word, hosts = self._other.word_for_commands(), self._seat == HOST
            if word is not None:
                again = to_play_again(self._name, word, self._command, hosts=hosts)
                sentence = f"{sentence} {again}"
        if closed.failure == "B":
            sentence = f"Your opponent broke the rules: {sentence} The match stops here."
            log = evidence or log
        self._keeper.note_closing(closed.code)
        peer = self._other.peer
        if self._shelved is not None and peer is not None and closed.failure != "C":
            self._shelved.say_what_is_left(peer.key)
        short = self._short_name()
        resume = short if short and self._can_continue() and evidence is None else None
        name = short if agreed and evidence is None and closed.failure != "B" else None
        self._presenter.show_end(closed.code, sentence, status, log, resume, name)

    @property
    def new_match_advice(self) -> str:
        # A guest is told what the host types, so leave out our own options, such as --home.
        host = self._command if self._seat == HOST else "ginpeer"
        return f"The host can start a new match with {host} host --new."

    def log(self) -> str | None:
        journal = self._keeper.stored
        return None if journal is None else str(journal.path)

    def _short_name(self) -> str | None:
        journal = self._keeper.stored
        return None if journal is None else self._home.short_name(journal.path)

    def _evidence(self) -> str | None:
        """Return the path of the log that ends with the other player's illegal entry, if any."""
        if self._keeper.evidence is not None:
            return self._keeper.evidence
        journal = self._keeper.stored
        if journal is None:
            return None
        evidence = self._home.evidence_beside(journal.path)
        return str(evidence[0]) if evidence else None

    # --- our player leaves (ExitRequests; in a club, Club does this instead) ----------------

    @property
    def has_left(self) -> bool:
        return self._leaves or (self._table is not None and self._table.leaving)

    def interrupt(self) -> None:
        if self.has_left:
            self.status = INTERRUPTED
            self.halt()
        elif self._table is not None:
            self._table.interrupt()
        else:
            self.leave()

    def leave(self) -> None:
        self._leaves = True
        session = self._sessions.current
        if self._table is not None:
            self._table.leave()
        elif self.is_waiting or session is None:
            self.on_nobody_came()
        elif not session.done.called:
            session.leave()
        elif not self.is_over:  # the last guest only lacked the end of an old match
            self.on_nobody_came()

    def hang_up(self) -> None:
        """End the session without telling the other player, because the terminal is gone."""
        self._leaves = True
        session = self._sessions.current
        if session is not None and session.ending is None:
            session.cut(CloseReason("hung-up", "The terminal was closed. The log is kept."))
        else:
            self.leave()


def status_of(closed: CloseReason) -> int:
    if closed.code in ("finished", PAUSED):
        return 0
    if closed.failure == "B":
        return PEER_BROKE_RULES
    return OUR_FAULT if closed.failure == "C" else ENDED_EARLY
