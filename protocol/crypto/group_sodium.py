"""The constant-time back-end of `protocol.crypto.group`: libsodium's ristretto255.

The shared library is the one that the package rbcl contains or, if that is missing, the system's
own. Both give the same bytes. A library is used only if it has all functions of the group and
passes known-answer tests; otherwise the next is tried.

What this module has to work around:

- rbcl writes its library (0.9 MB) to a temporary file when it is imported, and never deletes
  it. We make it write into a fresh private directory, which we remove as soon as the library is
  mapped. (Windows can't delete a mapped file, so the copy stays in the user's own temporary
  folder.) If the temporary folder isn't writable or is mounted noexec, which is common enough,
  the home directory is tried; if that fails, SodiumUnavailable says why.
- The system's library is first looked up under its usual names, where the system's loader looks
  (never in the current directory). Only then do we use ctypes' own search, which starts ldconfig
  and a compiler. A library older than 1.0.18, or built without the group, lacks the functions. We
  call sodium_init for every library.
- rbcl's add and sub ignore libsodium's return code, so an invalid operand silently yields the
  identity. We call the library itself and check every return code. Only valid encodings reach
  this module, so a failure is our own bug, and its message says so.
- libsodium's scalar multiplication fails (-1) if the result is the identity. Zero scalars and
  the identity are therefore handled before libsodium is called.
- Scalars of L and above are accepted and their top bit is masked: the caller must reduce them.
- is_valid_point accepts the identity, so `is_canonical` is documented to accept it, too.
- is_valid_point ignores the topmost bit, so it accepts a second encoding of every element (in the
  libsodium of rbcl 1.0.1; RFC 9496 section 4.3.1 forbids it). The range and sign of the field
  element are therefore checked here, before libsodium sees the bytes.

ctypes releases the interpreter lock during each call, and no two threads share an output buffer,
so threads may share a SodiumGroup.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.machinery
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, reduce
from pathlib import Path
from typing import Any

_BYTES = 32
_P = 2**255 - 19
_IDENTITY = bytes(_BYTES)
_Buffer = ctypes.c_char * _BYTES

CORES = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
"""How many threads can compute at once: libsodium runs without the interpreter's lock."""

_TERMS_PER_THREAD = 24  # starting a thread takes as long as two multiplications

_NAMES = {
    "linux": ("libsodium.so.26", "libsodium.so.23"),  # libsodium 1.0.19 and later, and 1.0.18
    "darwin": (  # a bare name would be looked up in the current directory as well
        "/opt/homebrew/lib/libsodium.dylib",  # Homebrew's, on ARM and on Intel; MacPorts'
        "/usr/local/lib/libsodium.dylib",
        "/opt/local/lib/libsodium.dylib",
    ),
    "win32": ("libsodium.dll", "libsodium-26.dll", "libsodium-23.dll", "sodium.dll"),
}

_SEARCHED_BY_PATH = ("darwin", "win32")
"""The systems on which ctypes' search returns a path. A relative path is one in the current
directory, where macOS looks first. On other systems it returns a name for the system's loader."""

HOW_TO_INSTALL = {
    # libsodium-dev is in every release of Debian, and depends on its libsodium23 or libsodium26
    "linux": "Install it: apt install libsodium-dev (Debian, Ubuntu), dnf install libsodium "
    "(Fedora), apk add libsodium (Alpine).",
    "darwin": "Install it: brew install libsodium.",
    "win32": (
        "Install the x64 Python, which also runs on ARM, and in its environment: python -m pip "
        "install rbcl. Or put libsodium.dll, for your Python's processor, on the PATH."
    ),
}
"""How to install a missing library, by sys.platform."""

# RFC 9496 appendix A.1: the multiples 1 and 5 of the base; A.3: the one-way map's first vector.
# A library that gets these wrong (a damaged file, a wrong symbol) is not used.
BASE_ENCODED = bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")
_FIVE_TIMES_BASE = bytes.fromhex("e882b131016b52c1d3337080187cf768423efccbb517bb495ab812c4160ff44e")

_UNIFORM = bytes.fromhex(
    "5d1be09e3d0c82fc538112490e35701979d99e06ca3e2b5b54bffe8b4dc772c1"
    "4d98b696a1bbfb5ca32c436cc61c16563790306c79eaca7705668b47dffe5bb6"
)
_MAPPED = bytes.fromhex("3066f82a1a747d45120d1740f14358531a8f04bbffe6a819f86dfe50f44a0a46")


class SodiumUnavailable(Exception):
    """Neither the libsodium of the package rbcl nor the system's can be used."""


class SodiumGroup:
    """The constant-time back-end, which calls libsodium; see rule 5 in protocol/crypto/group.py."""

    name = "sodium"
    constant_time = True

    def __init__(self, library: ctypes.CDLL) -> None:
        """Declare the functions of this library. Raises AttributeError if it lacks one."""
        text, out = ctypes.c_char_p, ctypes.c_char_p

        def function(name: str, *argtypes: Any) -> Any:
            # Looking up a function by index, not as an attribute, makes a new object, so declaring
            # its types doesn't change the one that rbcl's wrappers use.
            declared = library[name]
            declared.argtypes = argtypes
            declared.restype = ctypes.c_int
            return declared

        core, multiply = "crypto_core_ristretto255_", "crypto_scalarmult_ristretto255"
        self._is_valid = function(core + "is_valid_point", text)
        self._add = function(core + "add", out, text, text)
        self._sub = function(core + "sub", out, text, text)
        self._from_hash = function(core + "from_hash", out, text)
        self._multiply = function(multiply, out, text, text)
        self._base = function(multiply + "_base", out, text)

    def is_canonical(self, encoded: bytes) -> bool:
        """Return whether these 32 bytes are a canonical encoding; true for the identity."""
        s = int.from_bytes(encoded, "little")
        return s < _P and not s & 1 and self._is_valid(encoded) == 1

    def add(self, a: bytes, b: bytes) -> bytes:
        return _result("add", self._add, a, b)

    def subtract(self, a: bytes, b: bytes) -> bytes:
        return _result("subtract", self._sub, a, b)

    def multiply(self, scalar: int, element: bytes) -> bytes:
        if scalar == 0 or element == _IDENTITY:
            return _IDENTITY
        return _result("multiply", self._multiply, scalar.to_bytes(_BYTES, "little"), element)

    def base_multiple(self, scalar: int) -> bytes:
        if scalar == 0:
            return _IDENTITY
        return _result("multiply the base", self._base, scalar.to_bytes(_BYTES, "little"))

    def multi_multiply(self, scalars: Sequence[int], elements: Sequence[bytes]) -> bytes:
        """Sum term by term: libsodium shares no work between terms. A long sum is divided among
        threads."""
        parts = min(CORES, len(scalars) // _TERMS_PER_THREAD)
        if parts < 2:
            return self._sum_of_products(scalars, elements)
        try:
            with ThreadPoolExecutor(parts - 1) as pool:
                others = [
                    pool.submit(self._sum_of_products, scalars[at::parts], elements[at::parts])
                    for at in range(1, parts)
                ]
                first = self._sum_of_products(scalars[::parts], elements[::parts])
            return reduce(self.add, (each.result() for each in others), first)
        except RuntimeError:  # this machine can't start another thread
            return self._sum_of_products(scalars, elements)

    def _sum_of_products(self, scalars: Sequence[int], elements: Sequence[bytes]) -> bytes:
        products = map(self.multiply, scalars, elements)
        return reduce(self.add, products, _IDENTITY)

    def map_uniform(self, uniform: bytes) -> bytes:
        return _result("map", self._from_hash, uniform)


def _result(operation: str, function: Any, *arguments: bytes) -> bytes:
    result: ctypes.Array[ctypes.c_char] = _Buffer()
    if function(result, *arguments):
        raise RuntimeError(f"libsodium refused to {operation} elements that were proven valid")
    return result.raw


@cache
def load_sodium() -> SodiumGroup:
    """Return the one shared instance, loading it once. Raises `SodiumUnavailable`."""
    reasons: list[str] = []
    for load in (load_rbcl, load_system):
        try:
            return load()
        except SodiumUnavailable as why:
            reasons.append(str(why))
    raise SodiumUnavailable("; ".join(reasons))


def load_rbcl() -> SodiumGroup:
    """Load the library that rbcl contains. Raises `SodiumUnavailable`."""
    reasons: list[str] = []
    for folder in _temporary_folders():
        try:
            return _checked(_import_library(folder))
        except ModuleNotFoundError as why:
            raise SodiumUnavailable(f"rbcl: {why}") from why  # another folder wouldn't help
        except (ImportError, OSError, AttributeError, RuntimeError) as why:
            reasons.append(f"rbcl in {folder}: {why}")
    raise SodiumUnavailable("; ".join(reasons) or "rbcl: there is no writable temporary folder")


def load_system() -> SodiumGroup:
    """Load the system's library. Raises `SodiumUnavailable`."""
    refused: list[str] = []
    for name in _system_names():
        try:
            library = ctypes.CDLL(name)
        except OSError:  # there is no library of this name
            continue
        try:
            return _checked(_started(library))
        except AttributeError:
            refused.append(f"{name}: it has no ristretto255, which needs libsodium 1.0.18 or newer")
        except (OSError, RuntimeError) as why:
            refused.append(f"{name}: {why}")
    raise SodiumUnavailable("; ".join(refused) or "the system has no libsodium")


def _system_names() -> Iterator[str]:
    """Yield the names to try when opening the system's libsodium."""
    yield from _NAMES.get(sys.platform, ())
    with suppress(OSError):
        found = ctypes.util.find_library("sodium") or ctypes.util.find_library("libsodium")
        if found and (os.path.isabs(found) or sys.platform not in _SEARCHED_BY_PATH):
            yield found


def _checked(library: ctypes.CDLL) -> SodiumGroup:
    """Return the library's group if it passes the known-answer tests. Otherwise raises
    AttributeError or RuntimeError."""
    group = SodiumGroup(library)
    four = group.subtract(_FIVE_TIMES_BASE, BASE_ENCODED)
    if not (
        group.multiply(5, BASE_ENCODED) == _FIVE_TIMES_BASE
        and group.add(four, BASE_ENCODED) == _FIVE_TIMES_BASE
        and group.base_multiple(1) == BASE_ENCODED
        and group.is_canonical(BASE_ENCODED)
        and group.map_uniform(_UNIFORM) == _MAPPED
    ):
        raise RuntimeError("it was loaded, but computes wrongly")
    return group


def _temporary_folders() -> Iterator[Path]:
    with suppress(OSError):  # no candidate is writable, not even the current directory
        yield Path(tempfile.gettempdir())
    with suppress(RuntimeError):  # no home directory is known
        yield Path.home()


def _import_library(folder: Path) -> ctypes.CDLL:
    """Load rbcl's library, with its temporary file in a private folder that is then deleted.

    Only the module with the library is executed. The package itself would also import doctest,
    and with it unittest and pdb, which takes longer than loading the library.
    """
    package = importlib.util.find_spec("rbcl")
    folders = None if package is None else package.submodule_search_locations
    spec = importlib.machinery.PathFinder.find_spec("rbcl._sodium", folders) if folders else None
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("No module named 'rbcl._sodium'")
    module = importlib.util.module_from_spec(spec)
    private = tempfile.mkdtemp(prefix="ginpeer-", dir=folder)
    usual, tempfile.tempdir = tempfile.tempdir, private
    try:
        spec.loader.exec_module(module)
    finally:
        tempfile.tempdir = usual
        shutil.rmtree(private, ignore_errors=True)
    library = getattr(module, "_sodium", None)
    if not isinstance(library, ctypes.CDLL):
        raise ImportError("rbcl doesn't offer its library in the expected place")
    return _started(library)


def _started(library: ctypes.CDLL) -> ctypes.CDLL:
    """Initialise the library and return it. Raises AttributeError or RuntimeError."""
    if library["sodium_init"]() < 0:
        raise RuntimeError("it doesn't start")
    return library
