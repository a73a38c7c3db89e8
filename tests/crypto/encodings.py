"""32-byte strings that must not be accepted as an element or as a scalar."""

from protocol.crypto.group import BASE, ORDER, BadEncoding, Element, decode_scalar

_P = 2**255 - 19


def _little(number):
    return number.to_bytes(32, "little")


def _first(numbers):
    """Return the encoding of the first of these numbers that isn't a group element, though it is a
    canonical field element."""
    for number in numbers:
        try:
            Element.decode(_little(number))
        except BadEncoding:
            return _little(number)
    raise AssertionError


NO_ELEMENTS = {
    "identity": bytes(32),
    "off-group": _first(range(2, 1000, 2)),
    "negative": _little(_P - int.from_bytes(BASE.encoded, "little")),
    "field-prime": _little(_P),  # zero, not reduced
    "not-reduced": _little(_P + 2),
    "top-bit": BASE.encoded[:31] + bytes([BASE.encoded[31] | 0x80]),
    "all-ones": b"\xff" * 32,
}

NO_SCALARS = {
    "order": _little(ORDER),
    "order-and-one": _little(ORDER + 1),
    "top-bit": _little(2**255),
    "all-ones": b"\xff" * 32,
}


def second_encoding(scalar):
    """Return the scalar plus the group's order, which a lenient reader would accept as the same
    scalar."""
    return _little(decode_scalar(scalar) + ORDER)


def slots(data):
    """Return the 32-byte pieces of a field."""
    return [data[at : at + 32] for at in range(0, len(data), 32)]


def replaced(data, slot, piece):
    """Return a field with one of its 32-byte pieces replaced."""
    return data[: 32 * slot] + piece + data[32 * slot + 32 :]
