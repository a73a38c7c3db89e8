"""The documents of the protocol, and tests that hold the program to them."""

from pathlib import Path

_FOLDER = Path(__file__).parents[2] / "proto"

PROTOCOL = (_FOLDER / "PROTOCOL.md").read_text(encoding="utf-8")
WIRE = (_FOLDER / "WIRE.md").read_text(encoding="utf-8")
"""They share their section numbers."""
