"""What a person can switch on or off at the table; it is remembered for the next time.

# Rule 1: a switch is an entry of SWITCHES, a command (cli.table.commands) and a field of the
#   settings. Nothing else knows its name except what it switches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cli.table.arguments import Command
from ginpeer.rules.cards import Unreadable
from ginpeer.store.settings import Settings


@dataclass(frozen=True, slots=True)
class SwitchSpec:
    """One switch: its field in the settings, and what to type and what is said for it.

    ``unclear`` says what to type. ``on`` and ``off`` are said after switching; if empty, the
    hand is shown instead, as it is now written. ``typed``: the words for on and for off, of which
    the first is the usual one.
    """

    setting: str
    unclear: str
    on: str = ""
    off: str = ""
    typed: tuple[tuple[str, ...], tuple[str, ...]] = (("on", ""), ("off",))


SWITCHES = {
    "words": SwitchSpec("words", "Type words on to hear suits as words, words off for signs."),
    "brief": SwitchSpec(
        "brief",
        "Type brief on to hear a turn in few words, brief off for more.",
        "Good; a turn is told in few words.",
        "Good; a turn is told in full.",
    ),
    "colours": SwitchSpec(
        "four_colours",
        "Type colours four to see each suit in its own, colours two for red and black.",
        typed=(("four", "4"), ("two", "2")),
    ),
    "confirm": SwitchSpec(
        "confirm",
        "Type confirm on, or confirm off.",
        "Good; you are asked before a discard that breaks a meld, or that throws away gin or a "
        "knock.",
        "Good; no discard is asked about any more.",
    ),
    "bell": SwitchSpec(
        "bell",
        "Type bell on, or bell off.",
        "Good; after two seconds of waiting or more, the bell rings for your turn.",
        "Good; the bell stays silent.",
    ),
}
"""By the word that is typed."""


def read_switch(name: str, rest: str) -> Command:
    """Read what follows the name of a switch. Raises Unreadable."""
    for on, typed in zip((True, False), SWITCHES[name].typed, strict=True):
        if rest in typed:
            return Command(name, on)
    raise Unreadable("unclear", SWITCHES[name].unclear)


class Switches:
    """The switches of one player, as they are set now: ``likes``."""

    def __init__(
        self, likes: Settings, keep: Callable[[str, bool], None] = lambda what, on: None
    ) -> None:
        """*keep* remembers what is switched, under its name in the settings."""
        self.likes = likes
        self._keep = keep

    def switch(self, name: str, on: bool) -> str:
        """Switch it, and remember it. Return what to say; if empty, show the hand."""
        spec = SWITCHES[name]
        changes = {spec.setting: on}
        self.likes = replace(self.likes, **changes)  # type: ignore[arg-type]  # switches are bool
        self._keep(spec.setting, on)
        return spec.on if on else spec.off
