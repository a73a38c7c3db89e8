"""Write learned values in the format that ginpeer.adviser.value_model reads."""

import json
import struct
import zlib
from typing import Any

from ginpeer.adviser.features import WHOLE
from ginpeer.adviser.value_model import COLUMNS, FACTORS, HEADS, SHIFT, SIZES, UNITS, VERSION

_MOST = 63  # the largest weight. 127 is no stronger and makes larger files; 31 wins 1 % less


def write_values(about: dict[str, Any], nets: list[tuple[list[float], list[float]]]) -> bytes:
    """Return the file for these nets.

    Each net has the weights of all features, in rows of twelve, and the factors of its units, in
    rows of four. 1 means a certain win, or one point.
    """
    head = json.dumps({"version": VERSION, **about}).encode()
    # To a search for repetitions, weights look like noise: coding them mostly one by one saves 2 %
    # of the space, and separating those of the units from the linear ones saves another 1 %.
    packing = zlib.compressobj(9, strategy=zlib.Z_FILTERED, memLevel=9)
    parts = [head, b"\n"]
    for size, (weights, outs) in zip(SIZES, nets, strict=True):
        factors, columns = [], []
        for column in range(COLUMNS):
            found = weights[column : COLUMNS * size : COLUMNS]
            scale = max(map(abs, found), default=0.0) / _MOST or 1.0
            columns.append([round(weight / scale) for weight in found])
            whole = scale * 1000 * (1 << SHIFT) / WHOLE
            if column < UNITS:
                of_unit = outs[column * HEADS : (column + 1) * HEADS]
                factors += [round(out * whole) for out in of_unit]
            else:
                factors.append(round(whole))
        parts.append(packing.compress(FACTORS.pack(*factors)))
        for feature, linear in enumerate(zip(*columns[UNITS:], strict=True)):
            if not any(linear):  # never met, so still as before learning
                for bytes_of in columns:
                    bytes_of[feature] = 0
        for some in (columns[:UNITS], columns[UNITS:]):
            packed = [struct.pack(f"<{size}b", *column) for column in some]
            parts += [packing.compress(b"".join(packed)), packing.flush(zlib.Z_BLOCK)]
    return b"".join((*parts, packing.flush()))
