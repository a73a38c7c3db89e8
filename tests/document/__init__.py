"""The documents of the protocol, and tests that compare the program with them."""

from pathlib import Path

_FOLDER = Path(__file__).parents[2] / "proto"

PROTOCOL = (_FOLDER / "PROTOCOL.md").read_text(encoding="utf-8")
WIRE = (_FOLDER / "WIRE.md").read_text(encoding="utf-8")
"""WIRE.md, whose sections are numbered together with those of PROTOCOL.md."""
