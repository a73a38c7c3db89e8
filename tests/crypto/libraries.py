"""The two ways to load libsodium; either may be missing on the machine that runs the tests."""

from collections.abc import Callable
from functools import cache

import pytest

from protocol.crypto.group_sodium import (
    SodiumGroup,
    SodiumUnavailable,
    load_rbcl,
    load_system,
)


def _library(load: Callable[[], SodiumGroup]) -> Callable[[], SodiumGroup]:
    @cache
    def loaded() -> SodiumGroup | str:
        try:
            return load()
        except SodiumUnavailable as why:
            return str(why)

    def library_or_skip() -> SodiumGroup:
        """Return the library, or skip the test if this machine lacks it."""
        found = loaded()
        if isinstance(found, str):
            pytest.skip(f"not on this machine: {found}")
        return found

    return library_or_skip


LIBRARIES = {"sodium": _library(load_rbcl), "system": _library(load_system)}
"""rbcl's library and the system's, by their names in the tests."""
