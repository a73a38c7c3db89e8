"""An error for outcomes that must not happen while decoding, with the bytes that caused them."""


class Odd(Exception):
    """An outcome that must not happen."""


def odd(what, data):
    """Return an Odd that says what happened, with the bytes that caused it."""
    return Odd(f"{what}: {data[:400].hex()}")
