"""The bot in our player's place (`--bot`), which says what happens at the table."""

from __future__ import annotations

from collections.abc import Callable

from cli.table.voice import Voice
from cli.terminal.console import Console
from cli.text.cards import Style
from cli.text.event_lines import event_lines
from cli.text.narration import filling_lines, narrate
from cli.text.offers import unlike
from cli.text.score_sheet import result_text, score_line
from ginpeer.bot import choose
from ginpeer.names.nicknames import NOBODY, KnownNames
from ginpeer.net.automatic_player import AutomaticPlayer
from ginpeer.net.interfaces import Closed, PeerInfo
from ginpeer.net.session import Session
from ginpeer.referee.outcome import result_of
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table
from ginpeer.rules.moves import Move
from ginpeer.rules.view import View
from ginpeer.seat.seat import Options
from protocol import messages as m


class BotPlayer(AutomaticPlayer):
    """Plays and reports: a few lines for each hand to a person, every event to a program."""

    _TOLD = (m.Offer, m.Accept, m.CutReveal, m.Resign, m.Settle)

    def __init__(
        self,
        session: Session,
        console: Console,
        voice: Voice,
        seat: int,
        *,
        named: Callable[[str], list[str]],
        over: Callable[[Closed], bool],
        agreed: Callable[[], None] = lambda: None,
        wanted: Options | None = None,
        hands_left: Callable[[], int | None] = lambda: None,
        known: KnownNames = NOBODY,
        plays: Callable[[View], Move] | None = None,
    ) -> None:
        """*wanted*: the match that it accepts; None accepts whatever is offered. *agreed*: a new
        match is. *hands_left*: for how many hands there is room in the log, once it is nearly full.
        *known*: by what names our player knows others. *plays*: None as well as it can."""
        super().__init__(session, plays or choose)
        self._console = console
        self._voice = voice
        self._seat = seat
        self._named = named
        self._over = over
        self._agreed = agreed
        self._wanted = wanted
        self._hands_left = hands_left
        self._known = known
        self._names = Table().names

    def connected(self, peer: PeerInfo) -> None:
        self._voice.connected(peer)

    def consider(self, offer: m.Offer) -> None:
        because = None if self._wanted is None else unlike(self._wanted, offer)
        if because is None:
            self._session.accept()
        else:
            self._session.decline(because)

    def show(self, event: Admitted) -> None:
        self._names = self._known.display(event.after.keys, event.after.names)
        if not self._console.interactive:
            self._console.print(*event_lines(event))
        elif isinstance(event.message, self._TOLD):
            self._console.print(*narrate(event, Style(), known=self._known))
        else:
            self._console.print(*self._result(event))
        if isinstance(event.message, m.Accept):
            self._agreed()
        filling = filling_lines(event, self._hands_left())
        if filling:
            self._voice.info(*filling)
        if isinstance(event.message, m.Offer | m.Accept) and event.author != self._seat:
            warnings = self._named(event.message.name)
            if warnings:
                self._voice.info(*warnings)

    def _result(self, event: Admitted) -> list[str]:
        """One line, if this entry ended a hand: the result, and where the match stands."""
        result, match = result_of(event), event.after.match
        if result is None or match is None:
            return []
        told = [result_text(result, self._names, match.rules)]
        if not match.finished:
            told.append(score_line(match, self._names))
        return [f"Hand {event.before.hand_number}: {' '.join(told)}"]

    def chat(self, text: str) -> None:
        other = 1 - self._seat
        self._voice.chat(other, self._names[other], text)

    def closed(self, reason: Closed) -> None:
        self._over(reason)
