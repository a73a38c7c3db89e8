"""What a player likes, kept in the home for the next time. To lose it costs nothing."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from ginpeer.store import files

_FILE: Final = "settings.json"
_MAX_BYTES: Final = 4096


@dataclass(frozen=True, slots=True)
class Settings:
    """`words`: cards are read out in words."""

    words: bool = False


def read_settings(home: Path) -> Settings:
    """The settings kept in this home; the usual ones where none can be read."""
    try:
        match json.loads(files.read_small(home / _FILE, _MAX_BYTES)):
            case {"words": bool(words)}:
                return Settings(words)
    except (OSError, ValueError, RecursionError):
        pass
    return Settings()


def write_settings(home: Path, settings: Settings) -> None:
    """Keep them. Raises StoreError."""
    data = json.dumps(asdict(settings), indent=1).encode("ascii") + b"\n"
    files.write_atomically(home / _FILE, data, replace=True)
