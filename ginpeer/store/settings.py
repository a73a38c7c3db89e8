"""A player's preferences and name, kept for the next time. Losing them does no harm."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

from ginpeer.store import files
from ginpeer.store.json_files import plain, read_record, within, write_json
from protocol.messages import clean_name

_FILE: Final = "settings.json"
_MAX_BYTES: Final = 4096
_MAX_LEVEL: Final = 9  # there may be fewer levels; then the best one plays


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one home. A setting that can't be read has its default."""

    words: bool = False  # whether cards are read out in words
    name: Annotated[str, clean_name] = ""
    """The name that our player wants, fit to be signed, or empty."""
    brief: bool = False  # whether a turn is described in as few words as possible
    hand: bool = True  # whether the question of what to discard shows the hand
    lines: bool = True  # whether blank lines separate turns, and ruled lines separate hands
    pace: bool = True  # whether to pause after each hand, for a moment or until Enter is pressed
    confirm: bool = True  # whether we ask before a discard that looks like a slip
    bell: bool = False  # whether the terminal rings when our turn comes after a wait
    four_colours: bool = False  # whether each suit has its own colour
    level: Annotated[int, within(0, _MAX_LEVEL)] = 0
    """The bot's level in the next practice; 0 until the first practice is over."""
    won: bool | None = None
    """Whether our player won the last practice; None if there was none, or if it
    didn't count for the level."""
    stun: bool | None = None
    """Whether we may ask public STUN servers for our address; None until our player has
    answered."""


DEFAULT_SETTINGS: Final = Settings()  # the settings until a player changes them


def read_settings(home: Path) -> Settings:
    return read_record(Settings, home / _FILE, _MAX_BYTES, lenient=True) or DEFAULT_SETTINGS


def change_settings(home: Path, **changes: Any) -> None:
    settings = read_settings(home)
    changed = replace(settings, **changes)
    if changed != settings:
        files.make_folder(home)
        write_json(home / _FILE, plain(changed))
