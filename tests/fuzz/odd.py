"""What must not happen at a door, and the bytes that made it happen."""


class Odd(Exception):
    """It has happened."""


def odd(what, data):
    """That it happened, and the bytes that did it."""
    return Odd(f"{what}: {data[:400].hex()}")
