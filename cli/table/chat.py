"""Chat between our player and the other player. While the other player is muted, their lines are
only counted.

House rules

1. Muting has no effect on the game: requests for a pause and offers still get through, and the
   other player isn't told. A proposal only suggests an offer, so it is silenced.
2. What our player says while the other player is away is kept, and sent when that player is back.
   It is never sent to anybody else, and our player is told which lines were never sent (give_up).
   Chat is kept only in memory.
3. When a connection is lost, nobody knows which of the last lines arrived. A program that was
   killed no longer shows even those that did. So the side that kept running sends them again,
   marked by AGAIN. A program that still knows them doesn't show them twice. On the wire, these
   lines are ordinary chat.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from cli.table.presenter import AGAIN, Presenter
from cli.table.table_state import TableState
from cli.text.grammar import YOU, at_start, inside, plural
from ginpeer.names import safe_quote
from ginpeer.net.close_reasons import SAID
from ginpeer.net.interfaces import Clock, CloseReason
from ginpeer.net.session import SessionOver, TooFast
from ginpeer.rules.cards import Illegal
from protocol.frames import MAX_CHAT
from protocol.frames import Chat as Frame

MAX_KEPT = 4
"""How many lines to send at once when the other player is back: one less than the allowed burst
(session.CHAT_BURST), so that our player can also say something new."""

_REPEATED = 3  # the most lines to send again
_LATELY = 600.0  # seconds; older lines aren't sent again after a loss
_TIMES = 3  # repeats per line; more would fill the screen if the connection is unstable
_KNOWN = 16  # lines of the other player to remember, so that none is shown twice
_MEANT_TO_END = frozenset({"finished", "declined"})  # after these, no line can have been lost


@dataclass(slots=True)
class _Said:
    """A line that our player said, when they said it, and how often it was sent again."""

    text: str
    at: float
    repeated: int = 0


@dataclass(eq=False)
class Conversation:
    _presenter: Presenter
    _state: TableState
    _clock: Clock
    _person: bool  # whether our player is a person; a program has to repeat lost lines itself

    def __post_init__(self) -> None:
        self.other: bytes | None = None  # the key of the player who is here, or was here last
        self._muted: set[bytes | None] = set()  # the keys of muted players
        self._unheard = 0  # lines of the other player that weren't shown
        self._heard: deque[str] = deque(maxlen=_KNOWN)
        self._said: deque[_Said] = deque(maxlen=_REPEATED)
        self._lost: list[_Said] = []  # lines in _said that may not have arrived
        self._kept: list[str] = []  # lines for an absent player

    def say(self, text: str) -> None:
        """Send a line of chat to the other player, or keep it until that player is back. Raises
        Illegal, TooFast, SessionOver, and Garbled for a line that can't be sent."""
        state = self._state
        away = state.away and self._person and not state.leaving
        if away:
            self._keep(text)
        elif state.session is None:
            raise Illegal("nobody-there", "Nobody is here to read it yet.")
        else:
            state.session.say(text)
            self._said.append(_Said(text, self._clock.seconds()))
        if self._person:
            self._presenter.chat(state.seat, YOU, text)
        if away:
            self._presenter.info(f"{at_start(state.other())} will see it when you reconnect.")

    def give_up(self) -> None:
        """Give up on the other player, and tell our player which lines were never sent."""
        kept, self._kept = self._kept, []
        for text in kept:
            self._presenter.info(
                f"{at_start(self._state.other())} didn't get your message: {safe_quote(text)}."
            )

    def _keep(self, text: str) -> None:
        Frame(text)
        if len(self._kept) == MAX_KEPT:
            name = inside(self._state.other())
            sentence = f"{MAX_KEPT} messages for {name} are already waiting. You can't add more."
            raise Illegal("nobody-there", sentence)
        self._kept.append(text)

    def send_kept(self, *, other: bool) -> None:
        """Once a player has joined, send the lines that were kept or may not have arrived.
        *other*: this is a different player, so drop the lines instead."""
        kept, lost = self._kept, self._lost
        self._kept, self._lost = [], []
        if other:
            self._said.clear()
            self._heard.clear()
            if kept:
                self._presenter.info(
                    "A different player has joined, so your waiting messages weren't sent."
                )
            return
        room, session = MAX_KEPT - len(kept), self._state.in_session()
        try:
            for line in lost[-room:] if room else ():
                if line.repeated < _TIMES and len(AGAIN + line.text) <= MAX_CHAT:
                    session.say(AGAIN + line.text)
                    line.repeated += 1
            while kept:
                session.say(kept[0])
                self._said.append(_Said(kept.pop(0), self._clock.seconds()))
        except (SessionOver, TooFast):  # keep the rest until the player is back again
            self._kept = kept

    def receive(self, text: str) -> None:
        """Show a line from the other player, unless they are muted or it was shown before."""
        line = text.removeprefix(AGAIN)
        if line != text and line in self._heard:
            return
        self._heard.append(line)
        if not self.silences():
            self._presenter.chat(1 - self._state.seat, self._state.other(), text)

    def silences(self) -> bool:
        """Return whether the other player is muted. If so, count the line as not shown."""
        muted = self.other in self._muted
        self._unheard += muted
        return muted

    def mute(self) -> str:
        """Stop showing what the other player says. Return a sentence for our player."""
        name = inside(self._state.other())
        if self._state.practice:
            return "The bot never says anything."
        if self.other in self._muted:
            return f"You have already muted {name}. To see the chat again, type unmute."
        self._muted.add(self.other)
        return (
            f"You won't see what {name} says until you type unmute. They aren't told, and they "
            "still see what you say."
        )

    def unmute(self) -> str:
        """Show the other player's chat again. Return a sentence for our player."""
        name = inside(self._state.other())
        if self.other not in self._muted:
            return f"You haven't muted {name}."
        self._muted.remove(self.other)
        return f"{at_start(name)} is no longer muted. {self._count_hidden()}."

    def close(self, reason: CloseReason) -> CloseReason:
        """Say how many lines were hidden. Return the reason without a muted player's words."""
        if reason.code in _MEANT_TO_END:
            self._said.clear()
        since = self._clock.seconds() - _LATELY
        self._lost = [line for line in self._said if line.at >= since]
        told, said, _ = reason.sentence.partition(SAID)
        if self.other in self._muted and said and reason.code == "declined":
            self._unheard += 1
            reason = replace(reason, sentence=told)
        if self._unheard:
            self._presenter.info(f"{self._count_hidden()}.")
        return reason

    def _count_hidden(self) -> str:
        """Say how many lines were not shown, and count from zero again."""
        lines, self._unheard = self._unheard, 0
        were = "was" if lines == 1 else "were"
        return f"{plural(lines, 'line')} {were} hidden" if lines else "No lines were hidden"
