"""Measure whether the time that a bot takes to move tells its opponent something about its hand.

    python -m tests.bench.timing [TURNS [SLOWER]]

Two bots play in this process, and nothing waits: the clock counts the processor time of this
process, *SLOWER* times (default 1, a machine like this one), and skips to the next timer whenever
there is nothing to do. So other programs on the machine hardly affect the figures.

A turn is measured as the opponent sees it, from the share it sends to the discard it receives. The
bot discards the same card when it could knock: a knock would give itself away.

AUC is how often, of two turns, the one of the first kind took longer; 0.5 is no better than a coin.
The first column compares turns in which the bot could knock with the others. The second compares
the quarter of the turns with the lowest deadwood with the quarter with the highest. Only turns with
equally many cards in the stock are compared: deadwood falls during a hand, and so does the time for
a turn, but the length of the hand isn't secret. "After its moment" covers only the part of a turn
after the moment drawn for it (ginpeer/net/timing.py): the proof, and sending it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from unittest import mock

from twisted.internet.task import Clock

from cli.match.bot_player import AutomaticPlayer
from ginpeer.adviser.advise import choose
from ginpeer.net import in_process
from ginpeer.net.session import Session, Side
from ginpeer.net.timing import STEP
from ginpeer.rules import Discard as DiscardMove
from ginpeer.rules import Knock, parse_ruleset
from ginpeer.rules.hand import Phase
from ginpeer.rules.melds import melding
from ginpeer.seat.seat import Options, Seat
from protocol.crypto.identity import IdentityKey
from protocol.entry import RawEntry
from protocol.frames import EntryFrame
from protocol.messages import Discard, Share

HANDS = 5  # in one match
TURNS = 4000
FEW = 300  # turns, for the table of all benchmarks


class WorkingClock(Clock):
    """A clock that counts processor time and skips waits."""

    def __init__(self, slower: float) -> None:
        super().__init__()
        self._slower, self._skipped = slower, 0.0

    def seconds(self) -> float:
        return self._skipped + self._slower * time.process_time()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Don't count the time of the measurement itself."""
        now = self.seconds()
        yield
        self._skipped -= self.seconds() - now

    def run_until(self, over) -> None:  # type: ignore[no-untyped-def]
        while not over():
            self.advance(0)
            waits = min((call.getTime() for call in self.calls), default=0) - self.seconds()
            self._skipped += max(0.0, waits)


class _Memory:
    """A journal that keeps nothing."""

    def persist(self, table: bytes, entry: bytes) -> None:
        pass

    def persist_seed(self, table: bytes, hand: int, seed: bytes) -> None:
        pass

    def persist_evidence(self, table: bytes, entries: tuple[bytes, ...]) -> None:
        pass


@dataclass
class Turn:
    """One turn from the stock; times in seconds."""

    could_knock: bool
    deadwood: int
    stock: int
    played: float = 0.0
    whole: float = 0.0
    after: float = 0.0  # the part of the time after the moment chosen for the move


def _sides(player_for):  # type: ignore[no-untyped-def]
    keys = [IdentityKey(os.urandom(32)) for _ in range(2)]
    for number, key in enumerate(keys):

        def seat_for(peer, number=number, key=key):  # type: ignore[no-untyped-def]
            return Seat(
                seat=number,
                identity=key,
                name=f"bot {number}",
                rng=os.urandom,
                now=lambda: 0,
                options=Options(parse_ruleset(f"standard hands={HANDS}")),
                peer_key=peer.key,
                consents=True,
            )

        yield Side(key, "bench", seat_for, player_for, _Memory())


def turns(grid: float, count: int, slower: float = 1.0) -> list[Turn]:
    """Return at least *count* turns, from whole matches."""
    found: list[Turn] = []
    while len(found) < count:
        found += _match(grid, slower)
    return found


def _match(grid: float, slower: float) -> list[Turn]:
    clock = WorkingClock(slower)
    measured: list[Turn] = []
    shared, turn = 0.0, None
    send, play = in_process._LocalWire.send, Session.play

    def sending(wire, frame):  # type: ignore[no-untyped-def]
        nonlocal shared, turn
        if isinstance(frame, EntryFrame):
            match RawEntry.split(frame.entry).decode().message:
                case Share():
                    shared, turn = clock.seconds(), None
                case Discard() if turn is not None:
                    now = clock.seconds()
                    turn.whole, turn.after = now - shared, now - turn.played
                    measured.append(turn)
                    shared, turn = 0.0, None
        send(wire, frame)

    def choosing(view):  # type: ignore[no-untyped-def]
        nonlocal turn
        move = choose(view)
        if view.hand.phase is Phase.DISCARD and shared:
            with clock.stopped():
                could = any(isinstance(each, Knock) for each in view.legal_moves())
                turn = Turn(could, _deadwood(view), view.hand.stock_left)
        if isinstance(move, Knock) and move.discard is not None:
            return DiscardMove(move.discard)
        return move

    def playing(session, move):  # type: ignore[no-untyped-def]
        if turn is not None:
            turn.played = clock.seconds()
        play(session, move)

    sides = _sides(lambda session: AutomaticPlayer(session, choosing))
    with (
        mock.patch.object(in_process._LocalWire, "send", sending),
        mock.patch.object(Session, "play", playing),
    ):
        host, guest = in_process.connect_in_process(*sides, clock, grid=grid)
        clock.run_until(lambda: host.done.called and guest.done.called)
    if host.ending is None or host.ending.code != "finished":
        raise RuntimeError(f"the match ended otherwise: {host.ending}")
    return measured


def _deadwood(view) -> int:  # type: ignore[no-untyped-def]
    """Return the deadwood that remains after the best discard."""
    ways, hand = melding(view.match.rules), view.cards
    return min(ways.deadwood(hand & ~(1 << card)) for card in range(52) if hand >> card & 1)


def auc(longer: Sequence[Turn], shorter: Sequence[Turn], taken) -> float:  # type: ignore[no-untyped-def]
    """Return the area under the curve, by counting pairs with equally many cards in the stock
    (Mann-Whitney, in the strata of van Elteren)."""
    others: dict[int, list[float]] = {}
    for turn in shorter:
        others.setdefault(turn.stock, []).append(taken(turn))
    won = pairs = 0.0
    for turn in longer:
        for other in others.get(turn.stock, ()):
            won += (taken(turn) > other) + 0.5 * (taken(turn) == other)
            pairs += 1
    if not pairs:
        raise ValueError("turns of both kinds are needed")
    return won / pairs


@dataclass(frozen=True)
class TimingLeak:
    """How much one way of timing reveals, over how many turns, and its mean in milliseconds."""

    could_knock: float
    deadwood: float
    turns: int
    mean: float


def measured_leak(found: Sequence[Turn], taken) -> TimingLeak:  # type: ignore[no-untyped-def]
    ranked = sorted(turn.deadwood for turn in found)
    low, high = ranked[len(ranked) // 4], ranked[3 * len(ranked) // 4]
    times = [taken(turn) for turn in found]
    return TimingLeak(
        auc(
            [turn for turn in found if turn.could_knock],
            [turn for turn in found if not turn.could_knock],
            taken,
        ),
        auc(
            [turn for turn in found if turn.deadwood <= low],
            [turn for turn in found if turn.deadwood >= high],
            taken,
        ),
        len(found),
        1000 * sum(times) / len(times),
    )


def run(count: int = FEW, slower: float = 1.0) -> dict[str, TimingLeak]:
    """Return how much moving at once reveals, and moving at a moment drawn beforehand."""
    at_once, drawn = turns(0.0, count, slower), turns(STEP, count, slower)
    return {
        "at once": measured_leak(at_once, lambda turn: turn.whole),
        "at its moment": measured_leak(drawn, lambda turn: turn.whole),
        "after its moment": measured_leak(drawn, lambda turn: turn.after),
    }


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    factor = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    for name, row in run(wanted, factor).items():
        print(
            f"{name}: AUC of could knock {row.could_knock:.3f}, of low against high deadwood "
            f"{row.deadwood:.3f}, over {row.turns} turns of {row.mean:.1f} ms"
        )
