"""Log files, and the bodies of entries in their canonical encoding (PROTOCOL 2.1, 2.2, 2.7, 3.4).

A message is a dict from field names to int, str, bytes, dict or list; a body's `message` is the
pair (name, dict). A field of default value that the encoding left out is there.
"""

import re
from collections.abc import Iterator
from typing import Any

from .refusal import Refusal, require

MAGIC = b"ginlog1\n"
MAX_ENTRY = 65_600
MAX_RECORD = 131_072
MAX_FILE = 64 * 2**20
MAX_ENTRIES = 131_072
MAX_SEEDS = 300

Message = dict[str, Any]

# entry.proto: the number in the body, and the fields, which are numbered 1, 2, 3 ..
# A `*` marks a repeated field, a `?` an optional one.
_PROTO = """
10 offer: version u32, key bytes, name str, rules str, disclosure u32, nonce bytes, started u64
11 accept: key bytes, name str, rules str, nonce bytes
12 cut_commit: commitment bytes
13 cut_value: value bytes
14 cut_reveal: value bytes
20 deal_commit: commitment bytes, toss bytes
21 deal_key: commitment bytes, key bytes, possession bytes, toss bytes
22 deal_deck: key bytes, possession bytes, deck bytes, argument bytes, toss bytes
23 deal_shuffle: deck bytes, argument bytes, shares bytes, proof bytes
24 deal_shares: shares bytes, proof bytes
30 pass:
31 take_upcard:
32 draw_stock:
33 share: share bytes, proof bytes
34 discard: hand bytes, argument bytes, position u32, card u32, opening bytes
35 knock: hand bytes, argument bytes, cards bytes, discard u32?, melds bytes*, opening bytes
36 spread: cards bytes, melds bytes*, layoffs layoff*, opening bytes
37 lay: hand bytes, argument bytes, positions bytes, cards bytes, melds bytes*, adds layoff*, \
 opening bytes
38 take_discards: count u32, lay lay?
40 resign:
41 settle: hands u32, host_total s32, guest_total s32, winner u32
42 disclose: seeds bytes*
0 layoff: card u32, meld u32
0 body: table bytes, sequence u32, previous bytes
"""
_FIELDS: dict[str, dict[int, tuple[str, str]]] = {}
_NUMBERS: dict[str, int] = {}
for _number, _kind, _list in re.findall(r"(\d+) (\w+):(.*)", _PROTO):
    _pairs = [item.split() for item in _list.split(",") if item.strip()]
    _FIELDS[_kind] = {i: (name, kind) for i, (name, kind) in enumerate(_pairs, 1)}
    if _number != "0":
        _NUMBERS[_kind] = int(_number)
KINDS = {number: kind for kind, number in _NUMBERS.items()}

_DEFAULTS = {
    **{"u32": 0, "u64": 0, "s32": 0, "bytes": b"", "str": ""},
    **{"u32?": None, "lay?": None},
}


def split_log(data: bytes) -> tuple[list[bytes], str | None]:
    """The entries of a log file, and what is behind them: nothing, "torn", "bad-record" or
    "log-too-large" (PROTOCOL 2.7, 7.2)."""
    require(data != b"", "empty-log", convicts=False)
    require(len(data) <= MAX_FILE, "log-too-large", convicts=False)
    require(not re.match(rb"ginlog[2-9]\n", data), "too-new", convicts=False)
    require(data[:8] == MAGIC[: len(data)], "not-a-log", convicts=False)
    entries: list[bytes] = []
    place = len(MAGIC)
    while place + 4 <= len(data):
        length = int.from_bytes(data[place : place + 4], "big")
        if length == 0 and not any(data[place:]):
            break
        if not 1 <= length <= MAX_RECORD:
            return entries, "bad-record"
        if len(entries) == MAX_ENTRIES:
            return entries, "log-too-large"
        if place + 4 + length > len(data):
            break
        entries.append(data[place + 4 : place + 4 + length])
        place += 4 + length
    return entries, "torn" if place != len(data) else None


# ---------------------------------------------------------------- protobuf


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            break
        number |= (data[place] & 127) << shift
        place += 1
        if data[place - 1] < 128:
            return number % 2**64, place
    raise ValueError("a varint does not end")


def _read_fields(data: bytes) -> Iterator[tuple[int, int | bytes | None]]:
    """Field numbers with a varint, a byte string, or None for what has another wire type."""
    place = 0
    while place < len(data):
        tag, place = _read_varint(data, place)
        wire_type = tag & 7
        if wire_type == 0:
            number, place = _read_varint(data, place)
            yield tag >> 3, number
            continue
        if wire_type not in (1, 2, 5) or not tag >> 3:
            raise ValueError("no such field")
        size = {1: 8, 5: 4}.get(wire_type, 0)
        if wire_type == 2:
            size, place = _read_varint(data, place)
        if place + size > len(data):
            raise ValueError("a field does not end")
        yield tag >> 3, data[place : place + size] if wire_type == 2 else None
        place += size


def _decode(kind: str, data: bytes) -> Message:
    """Forgiving, as protobuf is: the last of several wins, what is unknown is left out."""
    fields = _FIELDS[kind]
    message: Message = {n: [] if k.endswith("*") else _DEFAULTS[k] for n, k in fields.values()}
    for number, raw in _read_fields(data):
        name, field = fields.get(number, ("", ""))
        base = field.rstrip("*?")
        value: Any = raw
        if kind == "body" and number in KINDS and isinstance(raw, bytes):
            name, value = "message", (KINDS[number], _decode(KINDS[number], raw))
        elif not base or raw is None or isinstance(raw, int) != (base in ("u32", "u64", "s32")):
            continue
        elif isinstance(raw, int):
            value = raw % 2 ** int(base[1:])
            if base == "s32":
                value = value >> 1 ^ -(value & 1)
        elif base == "str":
            value = raw.decode()
        elif base in _FIELDS:
            value = _decode(base, raw)
        if field.endswith("*"):
            message[name].append(value)
        else:
            message[name] = value
    return message


def offered_version(data: bytes) -> int:
    """The version that an offer names (PROTOCOL 7.4); 0 for anything else."""
    try:
        offers = [raw for number, raw in _few_fields(data) if number == 10]
        messages = [raw for raw in offers if isinstance(raw, bytes)]
        versions = [raw for number, raw in _few_fields(messages[-1]) if number == 1]
        return [raw for raw in versions if isinstance(raw, int)][-1] % 2**32
    except (ValueError, IndexError):
        return 0


def _few_fields(data: bytes) -> list[tuple[int, int | bytes | None]]:
    fields = list(_read_fields(data))
    if len(fields) > 64 or not all(0 < number < 2**29 for number, _ in fields):
        raise ValueError("no offer of any version")
    return fields


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _encode_field(number: int, kind: str, value: Any) -> bytes:
    if kind.endswith("*"):
        return b"".join(_encode_field(number, kind[:-1] + "!", item) for item in value)
    if value == _DEFAULTS.get(kind):
        return b""
    if isinstance(value, int):
        unsigned = (value << 1 ^ value >> 31) if kind == "s32" else value
        return _varint(number << 3) + _varint(unsigned)
    if isinstance(value, dict):
        value = _encode(kind.rstrip("!?"), value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _encode(kind: str, message: Message) -> bytes:
    return b"".join(_encode_field(n, k, message[name]) for n, (name, k) in _FIELDS[kind].items())


def encode_body(body: Message) -> bytes:
    """The canonical encoding (PROTOCOL 2.2)."""
    kind, message = body["message"]
    return _encode("body", body) + _encode_field(_NUMBERS[kind], kind + "!", message)


def decode_body(data: bytes) -> Message:
    """The body, if its encoding is canonical [2.2] and its fields are possible [3.4]."""
    try:
        body = _decode("body", data)
    except ValueError:
        raise Refusal("not-canonical") from None
    require("message" in body, "not-canonical")
    require(encode_body(body) == data, "not-canonical")
    kind, message = body["message"]
    possible = _is_possible(kind, message) and len(body["table"]) == len(body["previous"]) == 32
    require(possible, "malformed")
    return body


# ---------------------------------------------------------------- possible fields

_BAD_IN_NAMES = [
    *[(0x00, 0x1F), (0x7F, 0xA0), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E)],
    *[(0x2000, 0x200F), (0x2028, 0x202F), (0x205F, 0x206F), (0x3000, 0x3000)],
    *[(0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xFFF0, 0xFFFB), (0xE0000, 0xE0FFF)],
]
# Elements, scalars and what is made of them have their lengths checked where they are read [4.1].
_OF_32_BYTES = {
    "offer": ["key", "nonce"],
    "accept": ["key", "nonce"],
    "cut_commit": ["commitment"],
    "cut_value": ["value"],
    "cut_reveal": ["value"],
    "deal_commit": ["commitment"],
    "deal_key": ["commitment"],
}


def is_name(name: str) -> bool:
    """PROTOCOL 3.5."""
    return (
        1 <= len(name.encode()) <= 64
        and name == name.strip(" ")
        and not any(low <= ord(c) <= high for c in name for low, high in _BAD_IN_NAMES)
    )


def _is_possible(kind: str, m: Message) -> bool:
    """PROTOCOL 3.4."""
    if kind in ("offer", "accept"):
        rules: str = m["rules"]
        if not (is_name(m["name"]) and len(rules) in range(1, 513)):
            return False
        if not all(" " <= c <= "~" for c in rules):
            return False
    if kind == "offer" and not (
        1 <= m["version"] < 2**16 and m["disclosure"] in (1, 2, 3) and m["started"] < 2**53
    ):
        return False
    if kind == "settle" and not (
        m["winner"] <= 2
        and m["hands"] < 2**31
        and all(abs(m[name]) < 2**31 for name in ("host_total", "guest_total"))
    ):
        return False
    if kind == "take_discards":
        lay = m["lay"]
        return 2 <= m["count"] <= 31 and lay is not None and _is_possible("lay", lay)
    if kind == "lay" and not len(m["positions"]) == len(m["cards"]) > 0:
        return False
    layoffs, adds = m.get("layoffs", []), m.get("adds", [])
    ascending = [*m.get("melds", []), m.get("positions", b"")]
    below_52 = [*m.get("cards", b""), m.get("card", 0), m.get("discard") or 0]
    below_52 += [m.get("position", 0), *(layoff["card"] for layoff in [*layoffs, *adds])]
    below_52 += [number for numbers in ascending for number in numbers]
    return (
        all(len(m[name]) == 32 for name in _OF_32_BYTES.get(kind, []))
        and len(m.get("toss", b"")) in (0, 32)
        and len(m.get("seeds", [])) <= MAX_SEEDS
        and all(len(m.get(name, [])) <= 52 for name in ("cards", "melds", "layoffs", "adds"))
        and all(len(seed) == 32 for seed in m.get("seeds", []))
        and all(number < 52 for number in below_52)
        and all(list(numbers) == sorted(set(numbers)) for numbers in ascending)
        and all(layoff["meld"] < 4 for layoff in layoffs)
        and all(add["meld"] < 17 for add in adds)
    )
