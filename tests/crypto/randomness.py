"""A repeatable source of random bytes; for tests only."""

import hashlib


def insecure_test_rng(seed):
    """Return a source of bytes that look random and are the same for the same seed."""
    count = 0

    def source(length):
        nonlocal count
        count += 1
        return hashlib.shake_256(f"{seed}/{count}".encode()).digest(length)

    return source
