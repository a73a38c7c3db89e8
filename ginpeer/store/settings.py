"""What a player likes and wants to be called, kept for the next time. To lose it costs nothing."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from ginpeer.store import files
from protocol.messages import Malformed, clean_name

_FILE: Final = "settings.json"
_MAX_BYTES: Final = 4096


@dataclass(frozen=True, slots=True)
class Settings:
    """`words`: cards are read out in words. `name`: what our player wants to be called, or empty;
    fit to be signed. `four_colours`: each suit has a colour of its own."""

    words: bool = False
    name: str = ""
    four_colours: bool = False


def read_settings(home: Path) -> Settings:
    """The settings kept in this home; the usual ones for what cannot be read or used."""
    try:
        kept = json.loads(files.read_small(home / _FILE, _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return Settings()
    if not isinstance(kept, dict):
        return Settings()
    return Settings(
        words=kept.get("words") is True,
        name=_usable_name(kept.get("name")),
        four_colours=kept.get("four_colours") is True,
    )


def _usable_name(kept: object) -> str:
    if isinstance(kept, str):
        with suppress(Malformed):
            return clean_name(kept)
    return ""


def change_settings(home: Path, **changes: Any) -> None:
    """Keep them with these *changes*, if there are any. Raises StoreError."""
    settings = read_settings(home)
    changed = replace(settings, **changes)
    if changed != settings:
        files.make_folder(home)
        data = json.dumps(asdict(changed), indent=1).encode("ascii") + b"\n"
        files.write_atomically(home / _FILE, data, replace=True)
