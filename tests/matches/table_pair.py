"""Two real seats connected in memory, for every test of a match.

Everything is real, with real identities, real proofs and the real referee on both sides; only the
wire is a list. Effects are performed as the network layer performs them, one at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ginpeer.adviser.advise import choose
from ginpeer.rules.match import View
from ginpeer.rules.moves import Move
from ginpeer.rules.ruleset import STANDARD, RuleSet
from ginpeer.seat.seat import (
    Close,
    Effect,
    Options,
    Persist,
    PersistEvidence,
    PersistSeed,
    Seat,
    Send,
    Show,
)
from protocol.crypto.identity import IdentityKey
from protocol.entry import CAPACITY, Capacity
from protocol.messages import Disclosure

Chooser = Callable[[View], Move]


def seeded_rng(seed: str) -> Callable[[int], bytes]:
    """Return a reproducible source of random bytes, for tests only."""
    counter = iter(range(2**62))

    def insecure_test_rng(length: int) -> bytes:
        block = f"{seed}/{next(counter)}".encode()
        return hashlib.shake_256(block).digest(length)

    return insecure_test_rng


@dataclass
class Performer:
    """A performer of one seat's effects that remembers them."""

    seat: Seat
    stored: list[bytes] = field(default_factory=list)
    seeds: dict[int, bytes] = field(default_factory=dict)
    outbox: list[bytes] = field(default_factory=list)
    shown: list[object] = field(default_factory=list)
    evidence: tuple[bytes, ...] | None = None
    closed: Close | None = None

    def perform(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case PersistSeed(_, hand, seed):
                    self.seeds[hand] = seed
                case Persist(_, entry):
                    self.stored.append(entry)
                case PersistEvidence(_, entries):
                    self.evidence = entries
                case Send(entry):
                    assert entry in self.stored, "sent before it was stored"
                    self.outbox.append(entry)
                case Show(event):
                    self.shown.append(event)
                case Close():
                    self.closed = effect


class TablePair:
    """Host and guest; `play` lets two choosers play until nothing is left to do."""

    def __init__(
        self,
        seed: str = "table pair",
        rules: RuleSet = STANDARD,
        disclosure: Disclosure = Disclosure.AFTER_MATCH,
        *,
        identities: tuple[IdentityKey, IdentityKey] | None = None,
        names: tuple[str, str] = ("Ada", "Ben"),
        started: int = 1_700_000_000,
        capacity: Capacity = CAPACITY,
    ) -> None:
        rng = seeded_rng(seed)
        self.identities = identities or (IdentityKey(rng(32)), IdentityKey(rng(32)))
        self.performers = tuple(
            Performer(
                Seat(
                    seat=seat,
                    identity=self.identities[seat],
                    name=name,
                    rng=seeded_rng(f"{seed}/{name}"),
                    now=lambda: started,
                    options=Options(rules, disclosure),
                    peer_key=self.identities[1 - seat].public,
                    consents=True,
                    capacity=capacity,
                )
            )
            for seat, name in enumerate(names)
        )
        for performer in self.performers:
            performer.perform(performer.seat.start())

    @property
    def host(self) -> Performer:
        return self.performers[0]

    @property
    def guest(self) -> Performer:
        return self.performers[1]

    def deliver(self) -> bool:
        """Deliver everything that is waiting; return whether there was anything."""
        moved = False
        for seat, performer in enumerate(self.performers):
            other = self.performers[1 - seat]
            while performer.outbox:
                moved = True
                other.perform(other.seat.receive(performer.outbox.pop(0)))
        return moved

    def settle(self) -> None:
        """Deliver entries until a player must choose something, or the match is over."""
        while self.deliver() or self.accept():
            pass

    def accept(self) -> bool:
        """Let a restored guest accept a repeated offer; return whether there was one."""
        asked = [p for p in self.performers if p.seat.offer_to_consider() is not None]
        for performer in asked:
            performer.perform(performer.seat.accept())
        return bool(asked)

    def to_choose(self) -> Performer | None:
        """Deliver everything; return a player who must then choose something, or None."""
        self.settle()
        for performer in self.performers:
            if performer.seat.owes_choice():
                return performer
        return None

    def turns(self, chooser: Chooser = choose) -> Iterator[tuple[Performer, Move]]:
        """Play move by move. Yield the player and the move after each has been delivered."""
        while (performer := self.to_choose()) is not None:
            move = chooser(performer.seat.view())
            performer.perform(performer.seat.play(move))
            self.settle()
            yield performer, move

    def play(self, chooser: Chooser = choose) -> TablePair:
        """Play the whole match."""
        for _ in self.turns(chooser):
            pass
        return self
