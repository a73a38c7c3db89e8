"""An error for what must not happen while decoding, with the bytes that caused it."""


class Odd(Exception):
    """Something happened that must not."""


def odd(what, data):
    """Return an Odd that says what happened, with the bytes that caused it."""
    return Odd(f"{what}: {data[:400].hex()}")
