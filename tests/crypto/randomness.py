"""Random sources that can be run again, and one that is broken; for tests only."""

import hashlib


def insecure_test_rng(seed):
    """A stream of bytes that looks random and is the same for the same seed."""
    count = 0

    def source(length):
        nonlocal count
        count += 1
        return hashlib.shake_256(f"{seed}/{count}".encode()).digest(length)

    return source
