"""What a person switches on or off at the table, and what is kept of it for the next time."""

from __future__ import annotations

from collections.abc import Callable

from cli.table.command import Switch
from ginpeer.store.settings import Settings

_SAID = {
    ("confirm", True): "Good; you are asked before a discard that breaks a meld, or that throws "
    "away gin or a knock.",
    ("confirm", False): "Good; no discard is asked about any more.",
    ("bell", True): "Good; after two seconds of waiting or more, the bell rings for your turn.",
    ("bell", False): "Good; the bell stays silent.",
}


class Switches:
    """How one person's switches stand."""

    def __init__(
        self, likes: Settings, keep: Callable[[str, bool], None] = lambda what, on: None
    ) -> None:
        """*keep*: what is switched is to be remembered."""
        self.confirm = likes.confirm
        self.bell = likes.bell
        self._keep = keep

    def obey(self, command: Switch) -> str:
        """Switch it, remember it, and say so in a sentence or two."""
        setattr(self, command.what, command.on)
        self._keep(command.what, command.on)
        return _SAID[command.what, command.on]
