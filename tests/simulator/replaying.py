"""A peer that sends entries of earlier connections again, and an honest player that may have lost
all its match files.

The liar runs the real program, but its frames are changed. Sometimes entries that either player has
sent before, in this match or an earlier one, replace a frame or are sent before it. Sometimes the
liar accepts an offer that the host has withdrawn, or claims an earlier log position. It signs
nothing that the rules forbid, so nobody may be convicted. Once it keeps to the rules again, every
match must end.

`Replaying` is an evening (tests/simulator/evening.py) in which many offers are declined, and its
invariants are those of an evening. `Forgetting` is a single match in which the honest player's
match files vanish at times. Its invariants are those of a match, but a match whose seeds are lost
may stop, and a guest may sign a second acceptance, after which the two logs differ for good
(PROTOCOL 7.1). Nothing else may be signed twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ginpeer.net.interfaces import CloseReason
from protocol import messages as m
from protocol.entry import RawEntry, entry_hash, sign_entry
from protocol.frames import (
    PREFIX_BYTES,
    EntryFrame,
    Position,
    decode_frame,
    enclose,
    encode_frame,
)
from protocol.messages import Body
from tests.simulator.evening import Evening, EveningObserver
from tests.simulator.liar import Liar
from tests.simulator.match import Match
from tests.simulator.observer import Observer

if TYPE_CHECKING:
    from tests.simulator.machine import Machine
    from tests.simulator.process import Process


class Replayer(Liar):
    """A wrapper that sends old entries among the frames of one machine's program."""

    def __init__(self, rng: Any, rate: float) -> None:
        super().__init__(rng, rate, signs=False)
        self._logs: dict[bytes, list[bytes]] = {}
        self._offered = b""

    def hear(self, entry: bytes) -> None:
        """Remember an entry that one of the programs sends."""
        body = RawEntry.split(entry).decode()
        log = self._logs.setdefault(body.table, [])
        if body.sequence == len(log):
            log.append(entry)
        if isinstance(body.message, m.Offer):
            self._offered = body.table

    def instead_of(self, process: Process, data: bytes) -> list[bytes]:
        rng = self._rng
        if not self.lying or not self._logs or rng.random() >= self._rate:
            return [data]
        lies = (self._one_again, self._beginning, self._beginning, self._old_offer, self._rest)
        lie = rng.choice(lies)
        process.world.fault(f"lie: {lie.__name__.strip('_').replace('_', ' ')}")
        entries = [enclose(encode_frame(EntryFrame(entry))) for entry in lie(process)]
        return [*entries, data] if rng.random() < 0.5 else entries

    def position(self, process: Process, position: Position | None) -> Position | None:
        """Return the log position that the liar claims: none, or one that a log really had."""
        rng = self._rng
        if not self.lying or not self._logs or rng.random() >= min(0.5, 4 * self._rate):
            return position
        process.world.fault("lie: position")
        if rng.random() < 0.3:
            return None
        table, log = self._any_log()
        sequence = rng.randrange(len(log))
        return Position(table, sequence, entry_hash(log[sequence]))

    def _any_log(self) -> tuple[bytes, list[bytes]]:
        return self._rng.choice([*self._logs.items()])

    def _one_again(self, process: Process) -> list[bytes]:
        return [self._rng.choice(self._any_log()[1])]

    def _beginning(self, process: Process) -> list[bytes]:
        return self._any_log()[1][: self._rng.randint(1, 8)]

    def _rest(self, process: Process) -> list[bytes]:
        log = self._any_log()[1]
        return log[self._rng.randrange(len(log)) :]

    def _old_offer(self, process: Process) -> list[bytes]:
        """Accept an offer other than the last one, and send both, if this liar is the guest."""
        table, log = self._any_log()
        offer = RawEntry.split(log[0]).decode().message
        if table == self._offered or process.machine.role == "host":
            return log[:2]
        identity = process.machine.identities[-1]
        acceptance = m.Accept(identity.public, "Guest", offer.rules, self._rng.randbytes(32))
        return [log[0], sign_entry(identity, Body(table, 1, entry_hash(log[0]), acceptance))]


class _Listening(Observer):
    """An observer that tells the liar about every entry that is sent."""

    match: Match

    def on_send(self, process: Process, data: bytes) -> None:
        super().on_send(process, data)
        frame = decode_frame(data[PREFIX_BYTES:])
        if isinstance(frame, EntryFrame):
            self.match.liar.hear(frame.entry)


class ReplayingObserver(_Listening, EveningObserver):
    """An observer of an evening with a Replayer."""


class Replaying(Evening):
    """An evening with a player that sends old entries."""

    watched_by = ReplayingObserver

    def __init__(self, seed: int, **more: Any) -> None:
        super().__init__(seed, **more)
        _begin_to_lie(self)
        self.plan.declines = 0.4


class ForgettingObserver(_Listening):
    """An observer of a match in which a player's files may vanish."""

    def on_close(self, process: Process, closed: CloseReason) -> None:
        if (
            closed.code != "unexpected-key" or not process.machine.other.lies
        ):  # PROTOCOL 11 lists it
            super().on_close(process, closed)

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.acceptances: dict[bytes, set[bytes]] = {}
        """The guest's acceptances of each match, if the guest is the honest player."""

    def _leaves(self, process: Process, entry: bytes, body: Body, how: str) -> None:
        if isinstance(body.message, m.Accept):
            self.acceptances.setdefault(body.table, set()).add(entry)
        else:
            super()._leaves(process, entry, body, how)


class Forgetting(Match):
    """A match with a player that sends old entries, and another that loses its match files."""

    watched_by = ForgettingObserver
    observer: ForgettingObserver

    def __init__(self, seed: int, **more: Any) -> None:
        super().__init__(seed, **{**more, "kind": "honest"})
        _begin_to_lie(self)

    def _dead_end(self) -> str:
        if any(len(signed) > 1 for signed in self.observer.acceptances.values()):
            return "stopped by a second acceptance"
        return super()._dead_end()

    def _returns(self, machine: Machine) -> None:
        may_forget = self.plan.is_stormy and not machine.lies and not machine.is_running
        if may_forget and self.rng.random() < 0.2:
            machine.lose_matches()
        super()._returns(machine)


def _begin_to_lie(match: Match) -> None:
    rng = match.world.random_for("replayer")
    match.observer.match = match
    match.liar = Replayer(rng, rng.choice((0.05, 0.15, 0.3)))
    rng.choice(match.machines).lies = True
    match.plan.storm = rng.choice((600.0, 1500.0))  # after a lie, a person takes a while to return
