"""Compile the kernel, and call it from Python."""

from __future__ import annotations

import ctypes as c
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from ginpeer.adviser.observation import Observation
from ginpeer.rules import CardSet

FOLDER = Path(__file__).parent
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


class CSight(c.Structure):
    _fields_ = (
        *((name, c.c_int) for name in ("ways", "limit", "top", "takes", "since")),
        *((name, c.c_int) for name in ("last", "before", "earlier", "stock", "waited", "knocks")),
        *((name, c.c_uint64) for name in ("pile", "held", "shown", "thrown", "left")),
    )


class CRow(c.Structure):
    _fields_ = (("count", c.c_int), ("at", c.c_short * 160), ("amount", c.c_short * 160))


class Plan(c.Structure):
    """How to learn. The rates are Adam's. ``explores`` is a temperature. ``keep`` is the part of
    its previous value that the mean of the weights keeps at each step. ``ways`` says how cards meld
    (cards.h). ``limits`` is a knock limit, or says what sets it (kernel.c). With ``seeks``, the
    learner knocks only with gin."""

    _fields_ = (
        *((name, c.c_double) for name in ("rate", "last_rate", "trace", "explores", "keep")),
        *((name, c.c_long) for name in ("hands", "seed")),
        *((name, c.c_int) for name in ("ways", "limits", "batch", "seeks")),
    )


class Player(c.Structure):
    """A simple player of the league. ``learns`` = 1 means the learner's oldest past version."""

    _fields_ = (
        ("brain", c.c_void_p),
        ("learns", c.c_int),
        ("waits", c.c_int),
        *((name, c.c_float) for name in ("dead", "seven", "danger", "explores")),
        *((name, c.c_int) for name in ("take_rule", "knock_early", "knock_late", "early")),
    )


def compiled(source: Path) -> c.CDLL:
    """Compile this source in a temporary folder, which is removed at once. Return the library."""
    if COMPILER is None:
        raise RuntimeError(f"{source.name} needs a C compiler")
    folder = Path(tempfile.mkdtemp(prefix="ginpeer-training-"))
    target = folder / f"{source.stem}.so"
    flags = ["-O3", "-march=native", "-shared", "-fPIC", "-ffp-contract=off"]
    subprocess.run([COMPILER, *flags, "-o", str(target), str(source), "-lm"], check=True)
    library = c.CDLL(str(target))
    shutil.rmtree(folder)
    return library


@cache
def kernel() -> c.CDLL:
    """Return the kernel that trains."""
    library = compiled(FOLDER / "kernel.c")
    library.weights.restype = library.outs.restype = c.POINTER(c.c_float)
    library.error_of.restype = c.c_double
    library.outcome.restype = c.c_long
    library.begin.argtypes = (c.c_long, c.c_int)
    library.train.argtypes = (c.POINTER(Plan), c.c_long, c.c_long)
    library.measure.argtypes = (
        *(c.c_long, c.c_int, c.c_int, c.c_int),
        *(c.POINTER(Player), c.c_int, c.POINTER(c.c_double)),
    )
    library.deadwood_of.argtypes = library.after_discard_of.argtypes = (c.c_int, c.c_uint64)
    library.answer_of.argtypes = (c.c_int, c.c_uint64, c.c_uint64, c.c_uint64)
    library.features_of.argtypes = (
        *(c.c_int, c.POINTER(CSight), c.c_uint64, c.c_int, c.c_int, c.c_uint64),
        c.POINTER(CRow),
    )
    return library


def c_sight(seen: Observation, ways: int, pile: CardSet, top: int) -> CSight:
    return CSight(
        *(ways, seen.limit, top, seen.takes, seen.since),
        *(seen.last, seen.before, seen.earlier, seen.stock, seen.waited, seen.knocks),
        *(pile, seen.held, seen.shown, seen.thrown, seen.left),
    )
