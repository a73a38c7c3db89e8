"""The invariants, checked whenever something leaves a process and after every event.

1. One byte string for each (table, position, author): in what an honest player has sent, shown or
   stored, no position is ever filled in two ways, unless its machine continued from an older copy.
2. What is shown or sent is durable: a power cut at this moment leaves it in the log. So are the
   seeds that it was made from.
3. Of any two honest logs of one table, one is a prefix of the other, and a log only ever grows at
   its end.
4. No frame contains a secret early: identity keys and invite secrets never, hand seeds only in the
   entry in which the rules disclose them. In the real group the same goes for hand keys, blindings,
   proof nonces and permutations; in the toy group they equal the public values that hide them, so
   this can't be checked.
5. No proof nonce is used with two statements. Challenges are hashed from the statement and the
   nonces' commitments, so no nonce is used with two challenges either.
6. No honest player is convicted, and every session ends with a listed code that the faults explain.
7. No exception escapes to the scheduler or reaches Twisted's log, and no buffer exceeds its limit.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from twisted.logger import globalLogPublisher

from ginpeer.net import session as session_module
from ginpeer.net.connection import MAX_OUTGOING
from ginpeer.net.interfaces import CloseReason
from ginpeer.referee.referee import Admitted
from ginpeer.seat import seat as seat_module
from protocol.crypto.group import encode_scalar
from protocol.crypto.hashing import Nonces
from protocol.crypto.shuffle import Shuffle
from protocol.deck.secrets import HandSecrets
from protocol.entry import RawEntry, record_bytes
from protocol.frames import MAX_FRAME, PREFIX_BYTES, EntryFrame, decode_frame
from protocol.messages import Body, CutReveal, Disclose, Disclosure, Settle
from tests.faults.disk import Crash
from tests.simulator.world import World

if TYPE_CHECKING:
    from tests.simulator.machine import Machine
    from tests.simulator.process import Process

STORE_CODES = frozenset({"disk-full", "disk-error", "store-closed", "store-failed"})
"""Codes with which a failing disk may end a session."""

OLD_COPY_CODES = frozenset({"seed-lost", "signed-twice", "match-ended"})
"""Codes with which a match continued from an older copy of a home may end (PROTOCOL 1.2)."""

LOCAL_CODES = frozenset(
    {
        *("finished", "left", "peer-left", "paused", "declined", "takes-up-stored"),
        # not a frame, or not one allowed now
        *("frame-empty", "frame-too-large", "frame-not-canonical", "frame-unexpected"),
        *("pong-unasked", "flood", "pause-malformed", "whereabouts-malformed"),
        *("proposal-malformed", "consent-malformed", "chat-malformed", "chat-empty"),
        *("chat-too-long", "entry-malformed", "goodbye-malformed", "position-malformed"),
        *("versions-malformed", "proof-malformed", "signature-malformed", "software-malformed"),
        *("extensions-malformed", "token-malformed", "version-mismatch", "welcome-forged"),
        "peer-not-reading",
    }
)
"""Codes of endings that no entry causes."""

DOCUMENTED = frozenset(
    re.findall(
        r"`([a-z]+(?:-[a-z]+)*)`",
        (Path(__file__).parents[2] / "proto" / "PROTOCOL.md")
        .read_text(encoding="utf-8")
        .partition("\n## 9. ")[0],
    )
)
"""Every code in PROTOCOL.md before section 9, which is about the wire; a refused entry ends a
session with one of these."""

LIED_CODES = frozenset({"match-ended"})
"""Codes that a host may cause by lying about the match that continues."""

_PIECE = 64 * 1024


class Observer:
    """An observer that sees everything, and raises Violated if an invariant is broken."""

    def __init__(self, world: World, *, real: bool) -> None:
        self.world = world
        self.real = real
        self.disclosure = Disclosure.AFTER_MATCH
        self.codes: set[str] = set()
        self.logged: list[str] = []
        self.history: dict[bytes, list[bytes]] = {}
        self._left: dict[tuple[str, bytes, int], bytes] = {}
        self._made: dict[bytes, str] = {}
        self._read: dict[tuple[str, bytes], int] = {}
        self._secrets: dict[bytes, str] = {}
        self._told: set[bytes] = set()
        self._nonces: dict[int, bytes] = {}
        self._streams: dict[bytes, bytes] = {}
        self._connections: list[tuple[Process, Any]] = []

    # --- called by the simulated parts -------------------------------------------------

    def keep_secret(self, secret: bytes, what: str) -> None:
        """Refuse these bytes, and their hex digits, in every frame from now on."""
        if secret not in self._told:
            self._secrets.setdefault(secret, what)

    def on_connect(self, process: Process, connection: Any) -> None:
        self._connections.append((process, connection))

    def on_dial(self, process: Process, host: str, port: int) -> None:
        """Note that a process is about to connect to this address."""

    def on_send(self, process: Process, data: bytes) -> None:
        """Check a whole frame that is about to be sent."""
        if process.machine.lies:
            return
        frame = decode_frame(data[PREFIX_BYTES:])
        body = None
        if isinstance(frame, EntryFrame):
            body = RawEntry.split(frame.entry).decode()
            self._leaves(process, frame.entry, body, "sent")
        self._search(process, data, body)

    def on_show(self, process: Process, event: Admitted) -> None:
        """Check an entry that is shown to the player."""
        entry = process.seat.entries[event.sequence]
        self._leaves(process, entry, RawEntry.split(entry).decode(), "shown")

    def on_close(self, process: Process, closed: CloseReason) -> None:
        """Check why a session has ended."""
        machine, other = process.machine, process.machine.other
        self.codes.add(closed.code)
        self.world.note("closed", machine.role, closed.code, closed.failure)
        self.world.counts[f"ended: {closed.code}"] += 1
        old_copy = machine.is_behind or other.is_behind
        if machine.lies:
            return
        if closed.code not in DOCUMENTED | MEETINGS | LOCAL_CODES | STORE_CODES | OLD_COPY_CODES:
            self.world.refute(f"the {machine.role} ends with a code that is not listed: {closed}")
        if closed.failure == "B":
            machine.accuses = True
        if closed.failure == "B" and not (other.signs_lies or old_copy):
            self.world.refute(f"the {machine.role} accuses an honest player of {closed.code}")
        if closed.failure == "C":
            explained = closed.code in STORE_CODES and machine.disk_failed
            explained |= old_copy and closed.code in OLD_COPY_CODES
            explained |= other.lies and closed.code in LIED_CODES
            if not explained:
                self.world.refute(f"the {machine.role} ends by a fault of its own: {closed.code}")
        if closed.failure == "A" and closed.code not in MEETINGS and not other.lies:
            self.world.refute(f"honest players part as garbled: {closed.code}")

    def check_process(self, process: Process) -> None:
        """Check this process after each of its events."""
        self.complain()
        kept = []
        for owner, connection in self._connections:
            if owner.is_over or connection._phase.name == "GONE":
                continue
            kept.append((owner, connection))
            if connection._outgoing_bytes > MAX_OUTGOING + connection._log_bytes + MAX_FRAME:
                self.world.refute(f"{connection._outgoing_bytes} bytes wait for a peer to read")
            if len(connection._reader._buffer) > MAX_FRAME + PREFIX_BYTES + _PIECE:
                self.world.refute(
                    f"{len(connection._reader._buffer)} bytes wait for the rest of a frame"
                )
        self._connections = kept
        self.check_stored(process)

    def complain(self) -> None:
        """Raise Violated if an error was logged that nobody would have seen."""
        if self.logged:
            self.world.refute(f"logged: {self.logged[0]}")

    def check_stored(self, process: Process) -> None:
        """Compare what this process has stored with everything ever stored for its table."""
        journal = None if process.keeper is None else process.keeper.stored
        if journal is None or process.machine.lies:
            return  # a liar may store anything; only the honest log must grow
        table = journal.notes.table
        history = self.history.setdefault(table, [])
        known = self._read.get((process.machine.role, table), 0)
        for number in range(min(known, len(journal.entries)), len(journal.entries)):
            if number == len(history):
                history.append(journal.entries[number])
            elif history[number] != journal.entries[number]:
                self.world.refute(f"two logs of one table differ at entry {number}")
        self._read[process.machine.role, table] = len(journal.entries)

    def on_restore(self, machine: Machine) -> None:
        """Forget what only this machine had, because its home is now an older copy."""
        for table, history in self.history.items():
            self._read.pop((machine.role, table), None)
            del history[self._read.get((machine.other.role, table), 0) :]

    # --- inside ------------------------------------------------------------------------

    def _leaves(self, process: Process, entry: bytes, body: Body, how: str) -> None:
        machine = process.machine
        if not self._is_durable(machine, body.table, record_bytes(entry)):
            self.world.refute(
                f"the {machine.role} has {how} entry {body.sequence} and not stored it"
            )
        seat = process.seat_at(body.table)
        for hand, seed in () if seat is None else seat._seeds.items():
            if f"{hand} {seed.hex()}\n".encode() not in machine.durable_seeds(body.table):
                self.world.refute(
                    f"the {machine.role} has used a seed of hand {hand} and not kept it"
                )
        author = self._made.get(entry)
        if author is None:
            if machine.other.lies:
                return
            self.world.refute(f"nobody has signed entry {body.sequence}, which was {how}")
        place = author, body.table, body.sequence
        if self._left.setdefault(place, entry) != entry:
            signer = machine if author == machine.role else machine.other
            if not signer.restored:
                self.world.refute(f"the {author} has filled place {body.sequence} in two ways")
            signer.signed_twice = True

    def _is_durable(self, machine: Machine, table: bytes, stored: bytes) -> bool:
        return stored in machine.durable_log(table)

    def _search(self, process: Process, data: bytes, body: Body | None) -> None:
        told: set[bytes] = set()
        if body is not None and isinstance(body.message, Disclose | CutReveal):
            told = {*_disclosed(body)}
            self._check_time(process, body)
        for seed in process.seat._seeds.values() if process.has_seat else ():
            self.keep_secret(seed, "a seed")
        for secret, what in self._secrets.items():
            if secret not in told and (secret in data or secret.hex().encode() in data):
                self.world.refute(f"the {process.machine.role} sends {what} in the open")
        for seed in told:
            self._secrets.pop(seed, None)
        self._told |= told

    def _check_time(self, process: Process, body: Body) -> None:
        """Check that seeds are disclosed only when the offer says so."""
        if not isinstance(body.message, Disclose):
            return
        seat = process.seat_at(body.table)
        log = self.history[body.table] if seat is None else seat.entries
        before = (RawEntry.split(raw).decode() for raw in log[: body.sequence])
        settled = sum(isinstance(one.message, Settle) for one in before)
        early = self.disclosure is Disclosure.AFTER_MATCH and settled < 2
        if early or self.disclosure is Disclosure.NEVER:
            self.world.refute("seeds are told before their time")

    # --- instrumented parts of the product ---------------------------------------------

    @contextmanager
    def instrumented(self) -> Iterator[None]:
        """Record signatures, nonces and secrets where the product makes them."""
        sign, make = seat_module.sign_entry, HandSecrets.__init__
        shuffle, begin, draw = HandSecrets._shuffle, Nonces.__init__, Nonces.scalars
        observer = self

        def sign_entry(signer: Any, body: Body) -> bytes:
            entry = sign(signer, body)
            observer.on_sign(entry)
            return entry

        def make_secrets(secrets: HandSecrets, seed: bytes) -> None:
            make(secrets, seed)
            observer.keep_secret(seed, "a hand seed")
            observer.keep_real_secret(encode_scalar(secrets.key), "a hand key")

        def make_shuffle(secrets: HandSecrets, *about: Any) -> Shuffle:
            made = shuffle(secrets, *about)
            if len(made.permutation) > 8:  # shorter ones occur by chance
                observer.keep_real_secret(bytes(made.permutation), "a permutation")
            for blinding in made.blindings:
                observer.keep_real_secret(encode_scalar(blinding), "a blinding")
            return made

        def begin_nonces(nonces: Any, secret: bytes, statement: Any) -> None:
            begin(nonces, secret, statement)
            observer._streams[nonces._key] = statement.digest()

        def draw_nonces(nonces: Any, count: int) -> list[int]:
            drawn = draw(nonces, count)
            for nonce in drawn:
                observer.on_nonce(nonce, observer._streams[nonces._key])
            return drawn

        def observe(event: Any) -> None:
            failure = event.get("log_failure")
            if failure is not None and not failure.check(Crash):
                observer.logged.append(failure.getTraceback())

        def log_fault(error: Exception, debug: bool) -> None:
            if not isinstance(getattr(error, "code", None), str):
                observer.logged.append("".join(traceback.format_exception(error)))

        globalLogPublisher.addObserver(observe)
        try:
            with (
                mock.patch.object(seat_module, "sign_entry", sign_entry),
                mock.patch.object(session_module, "log_fault", log_fault),
                mock.patch.object(HandSecrets, "__init__", make_secrets),
                mock.patch.object(HandSecrets, "_shuffle", make_shuffle),
                mock.patch.object(Nonces, "__init__", begin_nonces),
                mock.patch.object(Nonces, "scalars", draw_nonces),
            ):
                yield
        finally:
            globalLogPublisher.removeObserver(observe)

    def on_sign(self, entry: bytes) -> None:
        """Record that the running process's player has signed this entry."""
        self._made[entry] = self.running

    running = ""
    """The role of the machine whose event is running."""

    def on_nonce(self, nonce: int, statement: bytes) -> None:
        if self._nonces.setdefault(nonce, statement) != statement:
            self.world.refute("a proof nonce meets two statements")
        self.keep_real_secret(encode_scalar(nonce), "a proof nonce")

    def keep_real_secret(self, secret: bytes, what: str) -> None:
        """Keep this secret only in the real group, where logarithms are hard."""
        if self.real:
            self.keep_secret(secret, what)


def _disclosed(body: Body) -> tuple[bytes, ...]:
    match body.message:
        case Disclose(seeds):
            return tuple(seeds)
        case CutReveal(value):
            return (value,)
    return ()


MEETINGS = frozenset(
    {
        *("connection-lost", "peer-silent", "peer-came-back", "greeting-timeout", "table-taken"),
        *("invite-used", "invite-wrong", "not-expected", "peer-closed", "other-match"),
        *("connection-refused", "connect-timeout", "host-unreachable", "pinned-key-mismatch"),
        "log-withheld",
    }
)
"""Codes with which two honest players may fail to connect, or may lose their connection."""
