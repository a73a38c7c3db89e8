"""Make bytes that no honest encoder writes, by changes that follow the structure of protobuf
messages.

A message is read once into a tree of fields: according to a schema, bytes that are themselves a
message become fields, too. `mutant` makes one change somewhere in the tree and corrects the outer
lengths, so that a decoder meets the change itself, not just a wrong length before it. Values have
the kinds that tests/protocol/wire.py names.
https://protobuf.dev/programming-guides/encoding/
"""

from dataclasses import dataclass

from tests.protocol.wire import (
    END_GROUP,
    FIXED32,
    FIXED64,
    GROUP,
    LENGTH,
    VARINT,
    field,
    read,
    tag,
    varint,
)

FRAME = {1: {3: {}}, 2: {2: {}}, 7: {}}
"""The fields of a Frame that are messages, by number, each with its own fields that are."""

_LAY = {6: {}}
BODY = {
    **{number: {} for number in (*range(10, 15), *range(20, 25), *range(30, 36), *range(40, 43))},
    36: {3: {}},
    37: _LAY,
    38: {2: _LAY},
}
"""The same, for the fields of a Body."""

NOT_UTF8 = (
    *(b"\xff", b"\xc0\x80", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xed\xbf\xbf"),
    *(b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xe2\x99", b"\x80"),
)
"""A stray byte, overlong forms, surrogates, a number that is too large, five bytes, a sequence cut
off, a lone continuation byte."""

NUMBERS = (0, 1, 2, 3, 17, 52, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63, 2**64 - 1)
LENGTHS = (2**7, 2**14, 2**17, 2**28, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1)
DEPTH = 150
"""The depth of nested groups: protobuf's parsers stop at 100."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field as read: its number, wire type, value, bytes, and its own fields if its value is a
    message."""

    number: int
    kind: int
    value: object
    encoded: bytes
    fields: tuple["Field", ...] | None = None


def tree(data, schema):
    """Return the fields of a canonical message."""
    fields = []
    for number, kind, value in read(data):
        is_message = kind == LENGTH and number in schema
        inner = tree(value, schema[number]) if is_message else None
        fields.append(Field(number, kind, value, field(number, kind, value), inner))
    return tuple(fields)


def mutant(fields, rng):
    """Return the bytes of the message with one change, in its fields or in theirs."""
    inner = [at for at, each in enumerate(fields) if each.fields is not None]
    if inner and rng.random() < 0.8:
        at = _pick(inner, rng)
        part = field(fields[at].number, LENGTH, mutant(fields[at].fields, rng))
        return b"".join([*_encoded(fields[:at]), part, *_encoded(fields[at + 1 :])])
    return _pick(CHANGES, rng)(fields, rng)


def _pick(values, rng):
    return values[int(rng.random() * len(values))]  # three times as fast as choice()


def _encoded(fields):
    return [each.encoded for each in fields]


def _replaced(change):
    """Return a change that replaces one field with other bytes."""

    def changed(fields, rng):
        if not fields:
            return _unknown(fields, rng)
        at = int(rng.random() * len(fields))
        parts = _encoded(fields)
        parts[at] = change(fields[at], rng)
        return b"".join(parts)

    return changed


def _inserted(make):
    """Return a change that inserts other bytes before, between or after the fields."""

    def changed(fields, rng):
        parts = _encoded(fields)
        parts.insert(int(rng.random() * (len(parts) + 1)), make(rng))
        return b"".join(parts)

    return changed


def _value_of(each):
    return b"".join(_encoded(each.fields)) if each.fields is not None else each.value


def _padded_tag(each, rng):
    return field(each.number, each.kind, each.value, pad_tag=1 + int(rng.random() * 9))


def _padded_value(each, rng):
    return field(each.number, each.kind, each.value, pad_value=1 + int(rng.random() * 9))


def _any_value(kind, rng):
    if kind == VARINT:
        return varint(_pick(NUMBERS, rng))
    if kind == FIXED64:
        return rng.randbytes(8)
    if kind == FIXED32:
        return rng.randbytes(4)
    if kind == LENGTH:
        content = rng.randbytes(int(rng.random() * 40))
        return varint(len(content)) + content
    return b""


def _other_type(each, rng):
    kind = _pick((VARINT, FIXED64, LENGTH, GROUP, END_GROUP, FIXED32, 6, 7), rng)
    value = _any_value(kind, rng)
    if kind == GROUP and rng.random() < 0.5:
        value = each.encoded + tag(each.number, END_GROUP)
    return tag(each.number, kind) + value


def _other_number(each, rng):
    number = _pick((0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 43, 2**28, 2**29 - 1, 2**29), rng)
    return field(number, each.kind, each.value)


def _twice(each, rng):
    return each.encoded * (2 + int(rng.random() * 3))


def _in_two(each, rng):
    """Split a value into two fields. Parsers merge the parts of a message; for other kinds, only
    the last field counts."""
    if each.fields is None:
        return field(each.number, each.kind, _other_value(each, rng)) + each.encoded
    cut = int(rng.random() * (len(each.fields) + 1))
    parts = each.fields[:cut], each.fields[cut:]
    return b"".join(field(each.number, LENGTH, b"".join(_encoded(part))) for part in parts)


def _other_value(each, rng):
    if each.kind == VARINT:
        return _pick(NUMBERS, rng)
    if each.kind == FIXED64:
        return rng.randbytes(8)
    value = _value_of(each)
    cut = int(rng.random() * (len(value) + 1))
    extra = int(rng.random() * 8)
    return _pick(
        (b"", value[:cut], value[cut:], value[:cut] + rng.randbytes(extra) + value[cut:]), rng
    )


def _changed(each, rng):
    return field(each.number, each.kind, _other_value(each, rng))


def _emptied(each, rng):
    """Return the field with the default value of its kind, which encoders never write."""
    return field(each.number, each.kind, {VARINT: 0, FIXED64: bytes(8)}.get(each.kind, b""))


def _bad_text(each, rng):
    if each.kind != LENGTH:
        return _changed(each, rng)
    value = _value_of(each)
    cut = int(rng.random() * (len(value) + 1))
    return field(each.number, LENGTH, value[:cut] + _pick(NOT_UTF8, rng) + value[cut:])


def _long_varint(each, rng):
    """Return a number with more than 64 bits, or more than ten bytes."""
    ones = 9 + int(rng.random() * 3)
    return tag(each.number, VARINT) + b"\xff" * ones + _pick((b"\x01", b"\x7f", b"\x02", b""), rng)


def _wrong_length(each, rng):
    """Return a length that doesn't fit the value, so that what follows is misread."""
    value = _value_of(each)
    if each.kind != LENGTH:
        return each.encoded[:-1]
    length = _pick((0, max(len(value) - 1, 0), len(value) + 1, *LENGTHS), rng)
    return tag(each.number, LENGTH) + varint(length) + value


def _in_group(each, rng):
    number = _pick((each.number, 50), rng)
    end = _pick((tag(number, END_GROUP), tag(number + 1, END_GROUP), b""), rng)
    return tag(number, GROUP) + each.encoded + end


def _nested(rng):
    """Return groups in groups, or messages in messages, deeper than any parser reads."""
    depth = _pick((3, 90, 99, 100, 101, DEPTH), rng)
    number = _pick((1, 8, 50), rng)
    if rng.random() < 0.5:
        close = tag(number, END_GROUP) * (depth if rng.random() < 0.8 else depth - 1)
        return tag(number, GROUP) * depth + close
    content = b""
    for _ in range(depth):
        content = field(number, LENGTH, content)
    return content


def _unknown_field(rng):
    kind = _pick((VARINT, FIXED64, LENGTH, FIXED32), rng)
    return tag(_pick((8, 9, 15, 16, 19, 50, 2**29 - 1), rng), kind) + _any_value(kind, rng)


def _stray(rng):
    return rng.randbytes(1 + int(rng.random() * 4))


def _empty_messages(rng):
    """Return many empty messages: two bytes each, but an object in memory."""
    return field(_pick((1, 2, 3, 6, 7, 10, 36), rng), LENGTH, b"") * (1 + int(rng.random() * 20))


def _swapped(fields, rng):
    parts = _encoded(fields)
    if len(parts) < 2:
        return b"".join(parts * 2)
    at = int(rng.random() * (len(parts) - 1))
    parts[at], parts[at + 1] = parts[at + 1], parts[at]
    return b"".join(parts)


def _dropped(fields, rng):
    parts = _encoded(fields)
    if parts:
        del parts[int(rng.random() * len(parts))]
    return b"".join(parts)


def _cut(fields, rng):
    data = b"".join(_encoded(fields))
    return data[: int(rng.random() * len(data))]


def _bytes(fields, rng):
    """Change, remove or double one to three bytes anywhere."""
    return spoilt(b"".join(_encoded(fields)), rng)


def spoilt(data, rng):
    """Return *data* with a few bytes changed, flipped, removed, doubled or inserted."""
    changed = bytearray(data or b"\0")
    for _ in range(1 + int(rng.random() * 3)):
        at = int(rng.random() * len(changed))
        kind = int(rng.random() * 5)
        if kind == 0:
            changed[at] = int(rng.random() * 256)
        elif kind == 1:
            changed[at] ^= 1 << int(rng.random() * 8)
        elif kind == 2 and len(changed) > 4:
            del changed[at : at + 1 + int(rng.random() * 4)]
        elif kind == 3:
            changed[at:at] = changed[at : at + 1 + int(rng.random() * 40)]
        else:
            changed[at:at] = rng.randbytes(1 + int(rng.random() * 3))
        if not changed:
            return b"\0"
    return bytes(changed)


_unknown = _inserted(_unknown_field)

CHANGES = (
    *[_replaced(_changed)] * 6,  # all of these encodings are valid: only the field is wrong
    *[_dropped] * 3,
    _swapped,
    _cut,
    _bytes,
    _unknown,
    _inserted(_stray),
    _inserted(_nested),
    _inserted(_empty_messages),
    *map(
        _replaced,
        (
            *(_padded_tag, _padded_value, _other_type, _other_number, _twice, _in_two, _emptied),
            *(_bad_text, _long_varint, _wrong_length, _in_group),
        ),
    ),
)
