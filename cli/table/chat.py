"""Talking: what our player says, and what the other one says or, muted, how much of it.

# Muting decides nothing about the game: what is asked of a pause or by an offer is heard all the
# same, and the other player is not told.
"""

from __future__ import annotations

from cli.table.situation import Situation
from cli.table.voice import Voice
from cli.words.grammar import inside, plural
from ginpeer.rules.cards import Illegal


class Chat:
    """The lines that travel beside the game."""

    def __init__(self, voice: Voice, here: Situation) -> None:
        self._voice = voice
        self._here = here
        self._muted = False
        self._unheard = 0  # lines that the other player has said since

    def say(self, text: str) -> None:
        """Say a line to the other player. Raises Illegal, TooFast and SessionOver."""
        if self._here.session is None:
            raise Illegal("nobody-there", "Nobody is there to hear it yet.")
        self._here.session.say(text)

    def heard(self, text: str) -> None:
        """The other player says a line."""
        if self._muted:
            self._unheard += 1
        else:
            self._voice.chat(1 - self._here.seat, self._here.other(), text)

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

    def close(self) -> None:
        """The session is over: say how much was not shown, if anything."""
        if self._unheard:
            self._voice.info(f"{self._kept_silent()}.")

    def _kept_silent(self) -> str:
        """How much was said to nobody; it is counted from nothing again."""
        lines, self._unheard = self._unheard, 0
        were = "was" if lines == 1 else "were"
        return f"{plural(lines, 'line')} {were} kept silent" if lines else "Nothing was kept silent"
