"""Bots: one that plays against our player, and one that plays in our player's place (`--bot`) and
reports what happens at the table."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cli.program import Failure
from cli.text.cards import Style
from cli.text.event_lines import event_lines
from cli.text.narration import narrate, nearly_full_line
from cli.text.score_sheet import result_text, score_line
from cli.text.series import why_declined
from ginpeer.adviser.advise import choose
from ginpeer.adviser.levels import player_at
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.session import Session
from ginpeer.referee.referee import Admitted, result_of
from ginpeer.referee.table import Table
from ginpeer.rules.match import View
from ginpeer.rules.moves import Move
from ginpeer.seat.seat import Options
from protocol import messages as m
from protocol.frames import Pause

if TYPE_CHECKING:
    from cli.match.one_match import OneMatch


def own_bot(args: Namespace) -> Callable[[View], Move] | None:
    """Return a function that chooses our player's moves at --level; None without --level, so that
    the bot plays as well as it can. Raises Failure for --level without --bot."""
    level: int | None = getattr(args, "level", None)
    if level is None:
        return None
    if not args.bot:
        raise Failure("usage", "--level sets how well the bot plays, so it needs --bot.")
    return player_at(level, os.urandom)


class AutomaticPlayer:
    """A player that accepts every offer, plays the move that *choose* returns, and agrees to every
    pause. It moves and agrees only at points of the time grid, to hide how long *choose* took."""

    def __init__(self, session: Session, choose: Callable[[View], Any]) -> None:
        self._session = session
        self._choose = choose

    def consider(self, offer: m.Offer) -> None:
        self._session.accept()

    def choose(self, view: View) -> None:
        self._session.play_in_time(self._choose(view))

    def pause(self, word: Pause) -> None:
        if word is Pause.ASK:
            self._session.agree_to_pause_in_time()

    def _ignore(self, *_: Any, **__: Any) -> None:
        """Do nothing: a bot gets all that it may know with each choice. It never chats, suggests
        other rules or consents to share its log."""

    connected = show = chat = proposed = consent = closed = _ignore


class BotPlayer(AutomaticPlayer):
    """Plays for our player. Shows a person a few lines for each hand, and a program every event."""

    _TOLD = (m.Offer, m.Accept, m.CutReveal, m.Resign, m.Settle)

    def __init__(
        self, session: Session, match: OneMatch, seat: int, wanted: Options | None = None
    ) -> None:
        """*wanted*: the only match to accept."""
        super().__init__(session, match.plays or choose)
        self._match = match
        self._presenter = match.presenter
        self._seat = seat
        self._wanted = wanted
        self._table = Table()

    def connected(self, peer: PeerInfo) -> None:
        self._presenter.connected(peer)

    def consider(self, offer: m.Offer) -> None:
        because = None if self._wanted is None else why_declined(self._wanted, offer)
        if because is None:
            self._session.accept()
        else:
            self._session.decline(because)

    def show(self, event: Admitted) -> None:
        self._table = event.after
        if not self._match.console.interactive:
            lines = event_lines(event)
        elif isinstance(event.message, self._TOLD):
            lines = narrate(event, Style(), known=self._match.names)
        else:
            lines = self._result(event)
        self._match.console.print(*lines)
        if isinstance(event.message, m.Accept):
            self._match.on_agreement()
        if result_of(event) is not None and (left := self._match.hands_left()):
            self._presenter.info(nearly_full_line(left))
        if isinstance(event.message, m.Offer | m.Accept) and event.author != self._seat:
            self._presenter.info(*self._match.name_notes(event.message.name))

    @property
    def _names(self) -> tuple[str, str]:
        return self._match.names.display(self._table.keys, self._table.names)

    def _result(self, event: Admitted) -> list[str]:
        """If this entry ended a hand, return one line: its result, and the score of the match.
        Otherwise, return no lines."""
        result, match = result_of(event), event.after.match
        if result is None or match is None:
            return []
        told = [result_text(result, self._names)]
        if not match.finished:
            told.append(score_line(match, self._names))
        return [f"Hand {event.before.hand_number}: {' '.join(told)}"]

    def chat(self, text: str) -> None:
        other = 1 - self._seat
        self._presenter.chat(other, self._names[other], text)
