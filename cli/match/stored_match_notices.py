"""What our player is told of stored matches while the players find out which one goes on."""

from __future__ import annotations

from cli.table.voice import Voice
from cli.text.put_aside import missing_here
from ginpeer.rules.ruleset import RuleSet
from ginpeer.store import StoreError, UnreadableLog
from protocol.frames import Position

_MANY_HANDS = 3
"""Hands whose proofs are not verified again in the blink of an eye."""


class Notices:
    """Each thing is told once, however often the other player comes."""

    def __init__(self, voice: Voice, command: str) -> None:
        """*command*: how this program is called."""
        self._voice = voice
        self._command = command
        self._damage: StoreError | None = None
        self._missing: bytes | None = None

    def checking(self, hands: int) -> None:
        """To verify the proofs of a hand takes some tenths of a second."""
        if hands >= _MANY_HANDS:
            self._voice.info(f"Checking the log of {hands} hands.")

    def dropped(self) -> None:
        """What follows looks like any beginning, and the match before it is not over."""
        self._voice.info(
            "The host goes on with another match than the one that your program has named. That "
            f"one is kept as it is; {self._command} resume and its name goes on with it."
        )

    def not_stored(self, error: StoreError | UnreadableLog) -> None:
        """Our own files keep us from saying where a match stands; the other side is told nothing
        of it."""
        self._voice.info(f"{error.sentence} ({error.code})")

    def damaged(self, damage: StoreError | None) -> None:
        """A stored match stays as it is because of its files."""
        if damage is not None and damage is not self._damage:
            self._damage = damage
            self._voice.info(f"{damage.sentence} ({damage.code})")

    def missing(self, table: bytes | None, goes_on: Position | None) -> None:
        """The other player has named a match that is not here."""
        if table is not None and table != self._missing:
            self._missing = table
            going_on = None if goes_on is None else goes_on.table.hex()[:6]
            self._voice.info(missing_here(table, going_on))

    def other_rules(self, typed: RuleSet | None, played: RuleSet) -> None:
        """Who has typed rules, and finds the match of other rules going on."""
        if typed not in (None, played):
            self._voice.info(
                f"It keeps the rules that it was begun with; {self._command} host --new begins "
                "another."
            )
