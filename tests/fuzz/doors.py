"""Every decoder of untrusted bytes, with one interface: `DOORS[name].take(data)`.

A door reads any bytes, or refuses them with a listed code; any other exception is a fault.
Coverage-guided fuzzing (tests/campaign/guided.py) searches the doors, and test_corpus.py replays
the inputs that it found.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ginpeer.net.connection import MAX_GREETING
from ginpeer.net.mapping.results import REFUSALS, Refusal
from protocol.frames import MAX_FRAME, enclose, encode_frame
from tests.faults.disk import in_memory
from tests.fuzz import inputs
from tests.fuzz.entries import judged, matches
from tests.fuzz.frames import COMMON, heard
from tests.fuzz.logs import Sound, check, judged_file, remembered
from tests.fuzz.odd import odd
from tests.net.mapping import test_fuzz as routers
from tests.toy_group import toy_group

LONGEST_LOG = 70  # entries


@dataclass(frozen=True)
class Door:
    """*seeds*: valid inputs to start from. *take*: reads or refuses one input."""

    seeds: Callable[[], list[bytes]]
    take: Callable[[bytes], object]


def _frames() -> Door:
    def take(data: bytes) -> None:
        heard(data[1:], MAX_FRAME if data[:1] > b"\x7f" else MAX_GREETING)

    return Door(lambda: [b"\xff" + enclose(encode_frame(frame)) for frame in COMMON], take)


def _entries() -> Door:
    """Return the door for entries: two bytes select a recorded match, the signer and the place; the
    rest is the body to sign."""

    def take(data: bytes) -> None:
        with toy_group():
            match = _recorded()[data[0] % 4 if data else 0]
            k = data[1] % (len(match) + 1) if len(data) > 1 else 0
            by = 0 if k == 0 else (data[0] >> 7 if data else 0)
            raw = match.cheat(by).sign_bytes(data[2:] or b"\0")
            judged(match, match.referee_at(k), k, raw, by)

    def seeds() -> list[bytes]:
        with toy_group():
            return [
                bytes([number + 128 * step.author, step.sequence])
                + match.entries[step.sequence][:-64]
                for number, match in enumerate(_recorded())
                for step in match.steps[:40]
            ]

    return Door(seeds, take)


def _logs() -> Door:
    def take(data: bytes) -> None:
        with toy_group(), in_memory() as folder:
            path, logs = folder / "a.ginlog", _sound_logs()
            path.write_bytes(data)
            with remembered(logs):
                found = judged_file(path)
            check(data, found, logs)

    def seeds() -> list[bytes]:
        with toy_group():
            return [log.data for log in _sound_logs()]

    return Door(seeds, take)


@cache
def _recorded():
    return [match for match in matches() if len(match) < 255][:4]


@cache
def _sound_logs():
    return [Sound.of(match) for match in matches() if len(match) <= LONGEST_LOG]


def _router(name: str) -> Door:
    take_answer, sound = routers.BYTES[name]

    def take(data: bytes) -> None:
        try:
            held = take_answer(data)
        except Refusal as refusal:
            held = refusal.code in REFUSALS and refusal.sentence.isprintable()
        if not held:
            raise odd("not as it should be", data)

    return Door(lambda: [bytes(each) for each in sound], take)


def _given(name: str) -> Door:
    """Return the door for a target of tests.fuzz.inputs, which may take a string, a file's bytes or
    pieces of bytes."""
    target = inputs.TARGETS[name]
    head = {"invites": "gin1", "replies": "ginr1"}.get(name)

    def read(data: bytes) -> object:
        if name == "keys":
            return [piece for piece in data.split(b"\xff") if piece]
        if isinstance(_made(name)[0], bytes):
            return data
        if head is not None and data[:1] > b"\x7f":  # a valid checksum around any payload
            return inputs._code(data[1:], head)
        return data.decode("utf-8", "replace")

    def take(data: bytes) -> None:
        if target.in_folder:
            with in_memory() as folder:
                target.take(read(data), folder)
        else:
            target.take(read(data))

    return Door(lambda: [_as_bytes(name, given) for given in _made(name)], take)


@cache
def _made(name: str) -> list[object]:
    rng = random.Random(f"seeds {name}")
    return [inputs.TARGETS[name].make(rng) for _ in range(200)]


def _as_bytes(name: str, given: object) -> bytes:
    if isinstance(given, str):
        return given.encode("utf-8", "replace")
    return b"\xff".join(given) if name == "keys" else given


DOORS: dict[str, Door] = {
    "frames": _frames(),
    "entries": _entries(),
    "logs": _logs(),
    **{f"router-{name}": _router(name) for name in routers.BYTES},
    **{name.replace(" ", "-"): _given(name) for name in inputs.TARGETS},
}

CORPUS = Path(__file__).with_name("corpus")


def corpus(name: str) -> Iterator[bytes]:
    """Yield the stored inputs with which fuzzing reached new lines or branches."""
    path = CORPUS / f"{name}.hex"
    if path.exists():
        yield from map(bytes.fromhex, path.read_text().split())
