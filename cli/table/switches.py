"""What a person switches on or off at the table, and what is kept of it for the next time.

# Rule 1: a switch is a line of SWITCHES and a field of the settings; nothing else knows it by name
# but what it switches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cli.table.command import Switch
from ginpeer.rules.cards import Unreadable
from ginpeer.store.settings import Settings


@dataclass(frozen=True, slots=True)
class Kind:
    """One switch. ``setting``: as the settings call it. ``on``, ``off``: what is said when it is
    switched; empty where the hand is shown instead, as it is written then. ``unclear``: what to
    type. ``typed``: the words for on and for off, the usual one first."""

    setting: str
    unclear: str
    on: str = ""
    off: str = ""
    typed: tuple[tuple[str, ...], tuple[str, ...]] = (("on", ""), ("off",))


SWITCHES = {
    "words": Kind("words", "Type words on to hear suits as words, words off for signs."),
    "brief": Kind(
        "brief",
        "Type brief on to hear a turn in few words, brief off for more.",
        "Good; a turn is told in few words.",
        "Good; a turn is told in full.",
    ),
    "colours": Kind(
        "four_colours",
        "Type colours four to see each suit in its own, colours two for red and black.",
        typed=(("four", "4"), ("two", "2")),
    ),
    "confirm": Kind(
        "confirm",
        "Type confirm on, or confirm off.",
        "Good; you are asked before a discard that breaks a meld, or that throws away gin or a "
        "knock.",
        "Good; no discard is asked about any more.",
    ),
    "bell": Kind(
        "bell",
        "Type bell on, or bell off.",
        "Good; after two seconds of waiting or more, the bell rings for your turn.",
        "Good; the bell stays silent.",
    ),
}
"""By the word that is typed."""


def read_switch(word: str, rest: str) -> Switch:
    """A switch with what stands behind its word. Raises Unreadable."""
    for on, typed in zip((True, False), SWITCHES[word].typed, strict=True):
        if rest in typed:
            return Switch(word, on)
    raise Unreadable("unclear", SWITCHES[word].unclear)


class Switches:
    """How one person's switches stand: ``likes``."""

    def __init__(
        self, likes: Settings, keep: Callable[[str, bool], None] = lambda what, on: None
    ) -> None:
        """*keep*: what is switched is to be remembered, as the settings call it."""
        self.likes = likes
        self._keep = keep

    def obey(self, command: Switch) -> str:
        """Switch it, and remember it. What is said then; empty: the hand is to be shown."""
        kind = SWITCHES[command.what]
        changes = {kind.setting: command.on}
        self.likes = replace(self.likes, **changes)  # type: ignore[arg-type]  # switches are bool
        self._keep(kind.setting, command.on)
        return kind.on if command.on else kind.off
