"""Talking: what our player says, and what the other one says or, muted, how much of it.

# House rules
#
# 1. Muting decides nothing about the game: requests for a pause and offers still get through, and
#    the other player isn't told. A proposal only suggests an offer, so it is silenced.
# 2. What is said while the other player is away is kept, and sent when that player is back, and to
#    nobody else; what is never sent is told to ours (give_up). It is in memory alone, like all that
#    is said.
# 3. Nobody knows what of the last words has arrived when a connection is lost, and a program that
#    was killed shows no more of them. So who has stayed says them once more, marked by AGAIN, and
#    who knows them still does not show them twice. That is chat like any other on the wire.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from cli.table.situation import Situation
from cli.table.voice import Voice
from cli.text.grammar import YOU, at_start, inside, plural
from ginpeer.names.shown import in_marks
from ginpeer.net.goodbyes import SAID
from ginpeer.net.interfaces import Clock, Closed
from ginpeer.net.session import SessionOver, TooFast
from ginpeer.rules.cards import Illegal
from protocol.frames import MAX_CHAT
from protocol.frames import Chat as Frame

AGAIN = "(said before) "
"""What begins a line that is said once more, since it may not have been heard."""

MAX_KEPT = 4
"""Lines that are said at once when somebody is back: one less than may be said in a burst
(session.CHAT_BURST), so that our player can say one, too."""

_REPEATED = 3  # lines at most that are said again
_LATELY = 600.0  # seconds before the loss, from which on
_TIMES = 3  # a connection that comes and goes fills no screen
_KNOWN = 16  # lines heard that are not shown twice

_MEANT_TO_END = frozenset({"finished", "declined"})
"""Ends of a session before which everything has arrived."""


@dataclass(slots=True)
class _Said:
    """A line of ours."""

    text: str
    at: float
    repeated: int = 0


class Chat:
    """The lines that travel beside the game."""

    def __init__(self, voice: Voice, here: Situation, clock: Clock, *, person: bool) -> None:
        """*person*: a program knows what it says, and says it again itself."""
        self._voice = voice
        self._here = here
        self._clock = clock
        self._person = person
        self._muted = False
        self._unheard = 0  # lines that the other player has said since
        self._heard: deque[str] = deque(maxlen=_KNOWN)
        self._said: deque[_Said] = deque(maxlen=_REPEATED)
        self._lost: list[_Said] = []  # of them, what may not have been heard
        self._kept: list[str] = []  # for a player who is away

    def say(self, text: str) -> None:
        """Say a line to the other player, or keep it until that player is back. Raises Illegal,
        TooFast, SessionOver, and Garbled for an impossible line."""
        here = self._here
        away = here.away and self._person and not here.leaving
        if away:
            self._keep(text)
        elif here.session is None:
            raise Illegal("nobody-there", "Nobody is there to hear it yet.")
        else:
            here.session.say(text)
            self._said.append(_Said(text, self._clock.seconds()))
        if self._person:
            self._voice.chat(here.seat, YOU, text)
        if away:
            self._voice.info(f"{at_start(here.other())} will see it when you are connected again.")

    def give_up(self) -> None:
        """Nobody waits for the other player any more: say what was never sent."""
        kept, self._kept = self._kept, []
        for text in kept:
            self._voice.info(f"{at_start(self._here.other())} has not heard: {in_marks(text)}.")

    def _keep(self, text: str) -> None:
        Frame(text)
        if len(self._kept) == MAX_KEPT:
            name = inside(self._here.other())
            sentence = f"{MAX_KEPT} lines are kept for {name} already, and no more."
            raise Illegal("nobody-there", sentence)
        self._kept.append(text)

    def is_back(self, *, other: bool) -> None:
        """Somebody has sat down: say what was kept, and what may not have been heard. *other*: it
        is somebody else, for whom it was not meant."""
        session, kept, lost = self._here.session, self._kept, self._lost
        self._kept, self._lost = [], []
        if other:
            self._said.clear()
            self._heard.clear()
            if kept:
                self._voice.info("What you said meanwhile was for somebody else, and is not sent.")
            return
        if session is None:
            return
        room = MAX_KEPT - len(kept)
        try:
            for line in lost[-room:] if room else ():
                if line.repeated < _TIMES and len(AGAIN + line.text) <= MAX_CHAT:
                    session.say(AGAIN + line.text)
                    line.repeated += 1
            while kept:
                session.say(kept[0])
                self._said.append(_Said(kept.pop(0), self._clock.seconds()))
        except (SessionOver, TooFast):  # it is lost again already
            self._kept = kept

    def heard(self, text: str) -> None:
        """The other player says a line."""
        again = text.startswith(AGAIN)
        if again and text.removeprefix(AGAIN) in self._heard:
            return
        self._heard.append(text.removeprefix(AGAIN) if again else text)
        if not self.silences():
            self._voice.chat(1 - self._here.seat, self._here.other(), text)

    def silences(self) -> bool:
        """Whether the other player is muted. If so, count what that player has just said."""
        self._unheard += self._muted
        return self._muted

    def mute(self) -> None:
        """Show no more of what the other player says."""
        name = inside(self._here.other())
        if self._muted:
            self._voice.info(f"What {name} says is not shown already; unmute shows it again.")
            return
        self._muted = True
        self._voice.info(
            f"What {name} says is not shown any more, until you type unmute. {name} is not told, "
            "and hears what you say."
        )

    def unmute(self) -> None:
        """Show it again, and say how much was not shown."""
        name = inside(self._here.other())
        if not self._muted:
            self._voice.info(f"What {name} says is shown already.")
            return
        self._muted = False
        self._voice.info(f"What {name} says is shown again. {self._kept_silent()}.")

    def close(self, reason: Closed) -> Closed:
        """The session is over: say how much was not shown, if anything. How our player is told that
        it ended: without the words that a muted player has typed for a decline."""
        if reason.code in _MEANT_TO_END:
            self._said.clear()
        since = self._clock.seconds() - _LATELY
        self._lost = [line for line in self._said if line.at >= since]
        told, said, _ = reason.sentence.partition(SAID)
        if self._muted and said and reason.code == "declined":
            self._unheard += 1
            reason = replace(reason, sentence=told)
        if self._unheard:
            self._voice.info(f"{self._kept_silent()}.")
        return reason

    def _kept_silent(self) -> str:
        """How much was said to nobody; it is counted from nothing again."""
        lines, self._unheard = self._unheard, 0
        were = "was" if lines == 1 else "were"
        return f"{plural(lines, 'line')} {were} kept silent" if lines else "Nothing was kept silent"
