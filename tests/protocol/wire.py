"""The protobuf wire format, encoded by hand, to write what no honest encoder writes.

A message is a list of fields (number, wire type, value): int for VARINT, bytes for LENGTH and
the fixed ones. https://protobuf.dev/programming-guides/encoding/
"""

VARINT, FIXED64, LENGTH, GROUP, END_GROUP, FIXED32 = range(6)


def varint(number, padding=0):
    """Encode a number in little-endian groups of seven bits, with *padding* unnecessary bytes."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    for _ in range(padding):
        out[-1] |= 0x80
        out.append(0)
    return bytes(out)


def tag(number, kind, padding=0):
    return varint(number << 3 | kind, padding)


def field(number, kind, value, pad_tag=0, pad_value=0):
    """Encode one field. Padding makes its tag, or its value or length, longer than necessary."""
    head = tag(number, kind, pad_tag)
    if kind == VARINT:
        return head + varint(value, pad_value)
    if kind == LENGTH:
        return head + varint(len(value), pad_value) + value
    return head + value


def write(fields):
    return b"".join(field(*each) for each in fields)


def read_varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return number, at


def read(data):
    """Return the fields of a canonical message, in order."""
    fields, at = [], 0
    while at < len(data):
        head, at = read_varint(data, at)
        number, kind = head >> 3, head & 7
        if kind == VARINT:
            value, at = read_varint(data, at)
        elif kind == FIXED64:
            value, at = data[at : at + 8], at + 8
        else:
            assert kind == LENGTH, "our schemas have no other wire types"
            length, at = read_varint(data, at)
            value, at = data[at : at + length], at + length
        fields.append((number, kind, value))
    return fields
