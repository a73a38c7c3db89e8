"""What a player likes and wants to be called, kept for the next time. Losing it costs nothing."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from ginpeer.store import files
from ginpeer.store.json_files import read_json, write_json
from protocol.messages import Malformed, clean_name

_FILE: Final = "settings.json"
_MAX_BYTES: Final = 4096
_MAX_LEVEL: Final = 9  # there may be fewer; whoever plays takes the best then


@dataclass(frozen=True, slots=True)
class Settings:
    """`words`: cards are read out in words. `name`: what our player wants to be called, fit to be
    signed, or empty. `brief`: a turn is told in as few words as possible. `confirm`: we ask about a
    discard that looks like a slip. `bell`: the terminal rings when our turn comes after a wait.
    `four_colours`: each suit has its own colour. `level`: the bot's in the next practice; 0 before
    the first is over. `won`: whether our player won the last practice; None before, and if nobody
    did. `stun`: whether public STUN servers may be asked for our address; None until our player
    has answered."""

    words: bool = False
    name: str = ""
    brief: bool = False
    confirm: bool = True
    bell: bool = False
    four_colours: bool = False
    level: int = 0
    won: bool | None = None
    stun: bool | None = None


DEFAULT_SETTINGS: Final = Settings()
"""Before a player has changed anything."""


def read_settings(home: Path) -> Settings:
    """Read the settings of this home; the default for any that cannot be read or used."""
    kept = read_json(home / _FILE, _MAX_BYTES)
    if not isinstance(kept, dict):
        return DEFAULT_SETTINGS
    return Settings(
        words=_switch(kept.get("words"), DEFAULT_SETTINGS.words),
        name=_usable_name(kept.get("name")),
        brief=_switch(kept.get("brief"), DEFAULT_SETTINGS.brief),
        confirm=_switch(kept.get("confirm"), DEFAULT_SETTINGS.confirm),
        bell=_switch(kept.get("bell"), DEFAULT_SETTINGS.bell),
        four_colours=_switch(kept.get("four_colours"), DEFAULT_SETTINGS.four_colours),
        level=_level(kept.get("level")),
        won=won if isinstance(won := kept.get("won"), bool) else None,
        stun=stun if isinstance(stun := kept.get("stun"), bool) else None,
    )


def _level(kept: object) -> int:
    return kept if type(kept) is int and 0 <= kept <= _MAX_LEVEL else 0  # a bool is an int, too


def _switch(kept: object, usual: bool) -> bool:
    return kept if isinstance(kept, bool) else usual


def _usable_name(kept: object) -> str:
    if isinstance(kept, str):
        with suppress(Malformed):
            return clean_name(kept)
    return ""


def change_settings(home: Path, **changes: Any) -> None:
    """Change these settings. Raises StoreError."""
    settings = read_settings(home)
    changed = replace(settings, **changes)
    if changed != settings:
        files.make_folder(home)
        write_json(home / _FILE, asdict(changed))
