"""A learned function: a linear part, and a few units that count what is above zero.

It tells four things of how a hand ends for a seat (``Heads``). Its weights are bytes and its sums
whole numbers, so that every machine comes to the same. A file of values holds three of them, behind
one line of JSON that says what they were learned for and how (``tests.training`` writes it)::

    {"version": 2, "name": "standard", "seed": 1, ...}
    compressed (zlib), for each net: 36 factors of 4 bytes, then 12 times a byte for each feature
"""

from __future__ import annotations

import json
import pkgutil
import struct
import zlib
from dataclasses import dataclass
from functools import cache
from typing import Any

from ginpeer.adviser.features import DRAWING, KEEPING, KNOCKING, WHOLE, Row

VERSION = 2
UNITS = 8
HEADS = 4
_COLUMNS = UNITS + HEADS  # the linear parts last
_FACTORS = struct.Struct(
    f"<{(UNITS + 1) * HEADS}i"
)  # of each unit for each head; of the linear parts
_MOST = 63  # of a weight; 127 played no better, 31 won 1 % less, and the files grew with it
_SHIFT = 16  # a factor is in 65,536ths

# The twelve sums of a row are added up in one number, a lane of 32 bits for each: an addition takes
# little longer than that of two small ones. No lane overflows: _MOST * WHOLE * 100 features.
_LANES = struct.Struct(f"<{_COLUMNS}I")
_MIDDLE = 1 << 31
_OFFSET = sum(_MIDDLE << 32 * lane for lane in range(_COLUMNS))

Heads = tuple[int, int, int, int]
"""The chance to win the hand, the points that brings, the chance to lose it, the points that costs:
each in thousandths, the points with the chance in them. A void hand is neither won nor lost."""


@dataclass(frozen=True, slots=True)
class Net:
    """One function. ``packed`` has for each feature its weights, a lane for each column."""

    packed: tuple[int, ...]
    factors: tuple[tuple[int, ...], ...]

    def sums(self, row: Row) -> int:
        """The part of this row, to be added to that of others."""
        packed = self.packed
        return sum([packed[at] * amount for at, amount in row])

    def heads(self, sums: int) -> Heads:
        """What all parts together come to."""
        lanes: tuple[int, ...] = _LANES.unpack((sums + _OFFSET).to_bytes(4 * _COLUMNS, "little"))
        linear = self.factors[UNITS]
        won, points_won, lost, points_lost = [
            (lane - _MIDDLE) * factor for lane, factor in zip(lanes[UNITS:], linear, strict=True)
        ]
        for lane, factors in zip(lanes, self.factors[:UNITS], strict=False):
            if lane > _MIDDLE:
                count = lane - _MIDDLE
                won += count * factors[0]
                points_won += count * factors[1]
                lost += count * factors[2]
                points_lost += count * factors[3]
        return won >> _SHIFT, points_won >> _SHIFT, lost >> _SHIFT, points_lost >> _SHIFT


@dataclass(frozen=True, slots=True)
class Values:
    """What one file holds: how a hand ends after ten cards are kept, a card is drawn, a knock."""

    about: dict[str, Any]
    keeping: Net
    drawing: Net
    knocking: Net


_SIZES = (KEEPING, DRAWING, KNOCKING)


@cache
def values_for(name: str) -> Values:
    """The values that were learned for these rules; read when they are first asked for."""
    content = pkgutil.get_data("ginpeer.adviser", f"{name}.values")
    if content is None:
        raise AssertionError(f"the installation lacks {name}.values")
    return read(content)


def read(content: bytes) -> Values:
    """The values of a file. Raises ValueError for one that was made for other features."""
    first, _, packed_nets = content.partition(b"\n")
    about, rest = json.loads(first), zlib.decompress(packed_nets)
    if about["version"] != VERSION or len(rest) != sum(
        _FACTORS.size + _COLUMNS * size for size in _SIZES
    ):
        raise ValueError("these values were made for other features")
    nets, at = [], 0
    for size in _SIZES:
        numbers = _FACTORS.unpack_from(rest, at)
        at += _FACTORS.size
        weights = memoryview(rest)[at : at + _COLUMNS * size].cast("b")
        at += _COLUMNS * size
        packed = [
            sum(weights[lane * size + feature] << 32 * lane for lane in range(_COLUMNS))
            for feature in range(size)
        ]
        factors = [numbers[start : start + HEADS] for start in range(0, len(numbers), HEADS)]
        nets.append(Net(tuple(packed), tuple(factors)))
    return Values(about, *nets)


def write(about: dict[str, Any], nets: list[tuple[list[float], list[float]]]) -> bytes:
    """The file for these nets, each with the weights of all features, twelve by twelve, and the
    factors of its units, four by four. 1 is a sure win, or one point."""
    head = json.dumps({"version": VERSION, **about}).encode()
    # Weights are noise to who looks for what repeats; counted mostly one by one they take 2 % less,
    # and those of the units apart from the linear ones another 1 %.
    packing = zlib.compressobj(9, strategy=zlib.Z_FILTERED, memLevel=9)
    parts = [head, b"\n"]
    for size, (weights, outs) in zip(_SIZES, nets, strict=True):
        factors, columns = [], []
        for column in range(_COLUMNS):
            found = weights[column : _COLUMNS * size : _COLUMNS]
            scale = max(map(abs, found), default=0.0) / _MOST or 1.0
            columns.append([round(weight / scale) for weight in found])
            whole = scale * 1000 * (1 << _SHIFT) / WHOLE
            if column < UNITS:
                of_unit = outs[column * HEADS : (column + 1) * HEADS]
                factors += [round(out * whole) for out in of_unit]
            else:
                factors.append(round(whole))
        parts.append(packing.compress(_FACTORS.pack(*factors)))
        for feature, linear in enumerate(zip(*columns[UNITS:], strict=True)):
            if not any(linear):  # never met, and still as it was before learning
                for bytes_of in columns:
                    bytes_of[feature] = 0
        for some in (columns[:UNITS], columns[UNITS:]):
            packed = [struct.pack(f"<{size}b", *column) for column in some]
            parts += [packing.compress(b"".join(packed)), packing.flush(zlib.Z_BLOCK)]
    return b"".join((*parts, packing.flush()))
