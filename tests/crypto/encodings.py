"""32 bytes that must not pass for an element, and 32 bytes that must not pass for a scalar."""

from protocol.crypto.group import BASE, ORDER, BadEncoding, Element, decode_scalar

_P = 2**255 - 19


def _little(number):
    return number.to_bytes(32, "little")


def _first(numbers):
    """The first of these that is canonical as a field element and yet no group element."""
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
    """The same scalar plus the order: what a lenient reader would take for the same number."""
    return _little(decode_scalar(scalar) + ORDER)


def slots(data):
    """The 32-byte pieces of a field."""
    return [data[at : at + 32] for at in range(0, len(data), 32)]


def replaced(data, slot, piece):
    """A field with one of its 32-byte pieces replaced."""
    return data[: 32 * slot] + piece + data[32 * slot + 32 :]
