"""What libsodium can refuse, and loading it in this process (test_group_loading starts others).

A working library never refuses a proven element. If a broken one does, the program must stop
instead of using the library's buffer, which would be a share of nothing.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.crypto import group, group_sodium
from protocol.crypto.group import BASE, ORDER
from protocol.crypto.group_pure import PureGroup
from protocol.crypto.group_sodium import SodiumGroup, SodiumUnavailable
from protocol.crypto.identity import (
    BadPublicKey,
    BadSignature,
    IdentityKey,
    check_public_key,
    verify_signature,
)

B = BASE.encoded


class Answering:
    """A library whose functions all return the same value, except those that it lacks."""

    def __init__(self, answer: int, lacks: str = "") -> None:
        self.answer = answer
        self.lacks = lacks

    def __getitem__(self, name: str) -> Callable[..., int]:
        if self.lacks and name.startswith(self.lacks):
            raise AttributeError(name)
        return lambda *_: self.answer


OPERATIONS: list[tuple[str, Callable[[SodiumGroup], bytes]]] = [
    ("add", lambda group: group.add(B, B)),
    ("subtract", lambda group: group.subtract(B, B)),
    ("multiply", lambda group: group.multiply(5, B)),
    ("multiply", lambda group: group.multi_multiply([5], [B])),
    ("multiply the base", lambda group: group.base_multiple(5)),
    ("map", lambda group: group.map_uniform(bytes(64))),
]


@pytest.mark.parametrize(("operation", "perform"), OPERATIONS)
def test_an_operation_refused_by_the_library_is_an_error(
    operation: str, perform: Callable[[SodiumGroup], bytes]
) -> None:
    refusing = SodiumGroup(Answering(-1))  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match=f"refused to {operation} elements"):
        perform(refusing)


@pytest.mark.parametrize("encoded", [b"\1" + bytes(31), b"\xff" * 32])
def test_the_pure_group_computes_only_with_decoded_elements(encoded: bytes) -> None:
    for compute in (
        lambda: PureGroup().add(encoded, B),
        lambda: PureGroup().multiply(3, encoded),
    ):
        with pytest.raises(RuntimeError, match="never decoded"):
            compute()


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Restore the state before libsodium was loaded. The end of the test restores the back-end."""
    monkeypatch.setattr(group, "load_sodium", group_sodium.load_sodium.__wrapped__)
    monkeypatch.setattr(group_sodium, "_system_names", lambda: iter(()))
    monkeypatch.setattr(group, "_backend", group._backend)
    monkeypatch.setattr(group, "_why_not_sodium", group._why_not_sodium)
    return monkeypatch


@pytest.mark.parametrize("error", [ImportError, OSError, AttributeError, RuntimeError])
def test_any_loading_error_makes_the_library_unavailable(
    unloaded: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """The pure back-end then replaces it, but only for verifying."""

    def hindered(folder: Path) -> ctypes.CDLL:
        raise error("not today")

    unloaded.setattr(group_sodium, "_import_library", hindered)
    with pytest.raises(SodiumUnavailable, match="not today"):
        group.load_sodium()
    with pytest.raises(group.NoConstantTimeGroup, match="not today") as wanted:
        group.select("sodium")
    assert wanted.value.code == "no-constant-time-group"
    group._choose()
    assert group._backend.name == "pure"
    with pytest.raises(group.NoConstantTimeGroup, match="not today"):
        group.require_constant_time()


def test_no_other_folder_is_tried_if_rbcl_is_not_installed(
    unloaded: pytest.MonkeyPatch,
) -> None:
    asked: list[Path] = []

    def absent(folder: Path) -> ctypes.CDLL:
        asked.append(folder)
        raise ModuleNotFoundError("No module named 'rbcl'")

    unloaded.setattr(group_sodium, "_import_library", absent)
    unloaded.setattr(group_sodium, "_temporary_folders", lambda: iter([Path("a"), Path("b")]))
    with pytest.raises(SodiumUnavailable, match=r"^rbcl: No module named 'rbcl'$"):
        group_sodium.load_rbcl()
    assert len(asked) == 1


def test_the_library_is_unavailable_without_a_folder_to_unpack_it(
    unloaded: pytest.MonkeyPatch,
) -> None:
    unloaded.setattr(group_sodium, "_temporary_folders", lambda: iter(()))
    with pytest.raises(SodiumUnavailable, match="no writable temporary folder"):
        group.load_sodium()


@pytest.mark.parametrize(
    "wrong", ["multiply", "base_multiple", "add", "subtract", "map_uniform", "is_canonical"]
)
def test_a_library_that_computes_wrongly_is_not_used(
    unloaded: pytest.MonkeyPatch, tmp_path: Path, wrong: str
) -> None:
    true = group_sodium._import_library(tmp_path)
    unloaded.setattr(group_sodium, "_import_library", lambda folder: true)
    unloaded.setattr(SodiumGroup, wrong, lambda *_: b"" if wrong == "is_canonical" else bytes(32))
    with pytest.raises(SodiumUnavailable, match="computes wrongly"):
        group.load_sodium()


# --- the system's library -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "words"),
    [
        (Answering(0, lacks="crypto_core_ristretto255"), "no ristretto255"),
        (Answering(0, lacks="sodium_init"), "no ristretto255"),
        (Answering(-1), "doesn't start"),
        (Answering(0), "computes wrongly"),
    ],
)
def test_an_unsuitable_system_library_is_not_used(
    unloaded: pytest.MonkeyPatch, library: Answering, words: str
) -> None:
    unloaded.setattr(group_sodium, "_system_names", lambda: ["libodd.so"])
    unloaded.setattr(ctypes, "CDLL", lambda name: library)
    with pytest.raises(SodiumUnavailable, match=f"libodd.so: .*{words}"):
        group_sodium.load_system()


def test_the_next_system_library_is_tried(unloaded: pytest.MonkeyPatch) -> None:
    libraries = {"libodd.so": Answering(-1), "libsodium.so.23": Answering(1)}

    def loads(name: str) -> Answering:
        if name not in libraries:
            raise OSError("there is no such file")
        return libraries[name]

    unloaded.setattr(group_sodium, "_checked", lambda library: library)
    unloaded.setattr(group_sodium, "_system_names", lambda: ["libabsent.so", *libraries])
    unloaded.setattr(ctypes, "CDLL", loads)
    assert group_sodium.load_system() is libraries["libsodium.so.23"]


def test_the_systems_library_is_initialised_before_use(unloaded: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Listed(Answering):
        def __getitem__(self, name: str) -> Callable[..., int]:
            asked.append(name)
            return super().__getitem__(name)

    unloaded.setattr(group_sodium, "_system_names", lambda: ["x"])
    unloaded.setattr(ctypes, "CDLL", lambda name: Listed(0))
    with pytest.raises(SodiumUnavailable, match="computes wrongly"):
        group_sodium.load_system()
    assert asked[0] == "sodium_init"


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32", "freebsd14"])
def test_the_library_is_looked_up_on_every_platform(
    monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    """It is looked up first by its names on that system, and then by ctypes' own search, but never
    in the current folder."""
    opened: list[str] = []

    def loads(name: str) -> ctypes.CDLL:
        opened.append(name)
        raise OSError(f"{name} is not here")

    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(ctypes, "CDLL", loads)
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: f"/found/{name}")
    with pytest.raises(SodiumUnavailable, match="the system has no libsodium"):
        group_sodium.load_system()
    assert opened.pop() == "/found/sodium"
    if platform == "darwin":
        assert all(name.startswith("/") for name in opened)
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: None)
    with pytest.raises(SodiumUnavailable, match="the system has no libsodium"):
        group_sodium.load_system()
    assert None not in opened  # None would open this program itself
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: "libsodium.so.99")
    with pytest.raises(SodiumUnavailable):
        group_sodium.load_system()
    # On these systems, the loader never looks in the current folder.
    by_name = platform in ("linux", "freebsd14")
    assert ("libsodium.so.99" in opened) is by_name
    refusal = str(group.NoConstantTimeGroup("no library"))
    assert "nstall" in refusal
    assert refusal.endswith(" (no library)")


def test_a_library_in_the_current_folder_is_not_opened(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On macOS, ctypes' search looks in the current folder first."""
    (tmp_path / "libsodium.dylib").write_bytes(b"\xcf\xfa\xed\xfe")
    monkeypatch.chdir(tmp_path)
    dyld = pytest.importorskip("ctypes.macholib.dyld", reason="Debian leaves it out")
    found = dyld.dyld_find("libsodium.dylib")
    assert found == "libsodium.dylib"
    opened: list[str] = []

    def loads(name: str) -> ctypes.CDLL:
        opened.append(name)
        raise OSError(f"{name} is not here")

    monkeypatch.setattr(ctypes, "CDLL", loads)
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: found)
    for platform in ("darwin", "win32"):
        monkeypatch.setattr(sys, "platform", platform)
        with pytest.raises(SodiumUnavailable, match="the system has no libsodium"):
            group_sodium.load_system()
    assert found not in opened


def test_a_package_without_its_library_is_not_used(
    unloaded: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "packages" / "rbcl"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    into = tmp_path / "into"
    into.mkdir()
    unloaded.syspath_prepend(package.parent)
    for name in [name for name in sys.modules if name.partition(".")[0] == "rbcl"]:
        unloaded.delitem(sys.modules, name)
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'rbcl\._sodium'"):
        group_sodium._import_library(into)
    (package / "_sodium.py").write_text("_sodium = 'no library'")
    with pytest.raises(ImportError, match="expected place"):
        group_sodium._import_library(into)
    assert list(into.iterdir()) == []


def test_the_environment_chooses_the_back_end(unloaded: pytest.MonkeyPatch) -> None:
    unloaded.setenv("GINPEER_GROUP", "pure")
    group._choose()
    assert group._backend.name == "pure"
    unloaded.setenv("GINPEER_GROUP", "openssl")
    with pytest.raises(group.UnknownGroup) as caught:
        group._choose()
    assert caught.value.code == "unknown-group"


# --- lengths and types of incoming bytes ----------------------------------------------------

KEY = IdentityKey(bytes(range(32)))


def test_a_bytearray_is_refused_as_key_or_signature() -> None:
    """A bytearray is accepted almost everywhere that bytes are, but may change afterwards."""
    with pytest.raises(BadPublicKey) as key:
        check_public_key(bytearray(KEY.public))  # type: ignore[arg-type]
    assert key.value.failed == "length"
    with pytest.raises(BadSignature) as signature:
        verify_signature(KEY.public, b"", bytearray(KEY.sign(b"")))  # type: ignore[arg-type]
    assert signature.value.failed == "length"


def test_zero_scalars_need_no_multiplication(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each back-end's loop skips zero scalars, and the group removes them before it calls a
    back-end."""
    asked: list[int] = []

    class Counting:
        def multi_multiply(self, scalars: list[int], elements: list[bytes]) -> bytes:
            asked.extend(scalars)
            return B

        def base_multiple(self, scalar: int) -> bytes:
            return B

        def add(self, a: bytes, b: bytes) -> bytes:
            return a

    monkeypatch.setattr(group, "_backend", Counting())
    group.multi_multiply([0, 3, ORDER], [group.Element(b"\2" * 32)] * 3)
    assert asked == [3]
