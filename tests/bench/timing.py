"""Whether a bot's time to move tells that it may knock: as its opponent measures it, from the share
sent to the move received, where the moves leave at once and on the time grid (ginpeer/net/grid.py).

The bot thinks as it does, and throws the same card where it would knock: a knock tells by itself
that it may be made, and takes longer to prove.

AUC: how often, of a turn in which the bot may knock and one in which it may not, the longer time is
that of the first; 0.5 is no better than a coin. Run by hand: `python -m tests.bench.timing`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from unittest import mock

from twisted.internet.task import Clock

from ginpeer.bot import choose
from ginpeer.net import in_process
from ginpeer.net.automatic_player import AutomaticPlayer
from ginpeer.net.grid import STEP
from ginpeer.net.session import Side
from ginpeer.rules import Discard as DiscardMove
from ginpeer.rules import Knock, parse_ruleset
from ginpeer.rules.hand import Phase
from ginpeer.seat.seat import Options, Seat
from protocol.crypto.identity import IdentityKey
from protocol.entry import RawEntry
from protocol.frames import EntryFrame
from protocol.messages import Discard, Share

HANDS = 5


class WallClock(Clock):
    """Twisted's clock for tests, going as the wall's does."""

    def seconds(self) -> float:
        return time.monotonic()

    def run_until(self, over) -> None:  # type: ignore[no-untyped-def]
        while not over():
            self.advance(0)
            waits = min((call.getTime() for call in self.calls), default=0) - self.seconds()
            if waits > 0:
                time.sleep(waits)


class _Memory:
    """A journal that keeps nothing."""

    def persist(self, table: bytes, entry: bytes) -> None:
        pass

    def persist_seed(self, table: bytes, hand: int, seed: bytes) -> None:
        pass

    def persist_evidence(self, table: bytes, entries: tuple[bytes, ...]) -> None:
        pass


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


def turns(grid: float) -> list[tuple[bool, float]]:
    """Of each turn from the stock in a match of two bots: whether the bot could knock, and the
    milliseconds that its opponent saw it take."""
    clock, measured, could, shared = WallClock(), [], [], [0.0]
    send = in_process._LocalWire.send

    def sending(wire, frame):  # type: ignore[no-untyped-def]
        if isinstance(frame, EntryFrame):
            match RawEntry.split(frame.entry).decode().message:
                case Share():
                    shared[0] = clock.seconds()
                case Discard() if shared[0]:
                    measured.append((could[-1], 1000 * (clock.seconds() - shared[0])))
                    shared[0] = 0.0
        send(wire, frame)

    def choosing(view):  # type: ignore[no-untyped-def]
        if view.hand.phase is Phase.DISCARD:
            could.append(any(isinstance(move, Knock) for move in view.legal_moves()))
        move = choose(view)
        if isinstance(move, Knock) and move.discard is not None:
            return DiscardMove(move.discard)
        return move

    sides = _sides(lambda session: AutomaticPlayer(session, choosing))
    with mock.patch.object(in_process._LocalWire, "send", sending):
        host, guest = in_process.sit_down(*sides, clock, grid=grid)
        clock.run_until(lambda: host.done.called and guest.done.called)
    if host.ending is None or host.ending.code != "finished":
        raise RuntimeError(f"the match ended otherwise: {host.ending}")
    return measured


def auc(measured: Sequence[tuple[bool, float]]) -> float:
    """The area under the curve, by counting pairs (Mann-Whitney)."""
    yes = [taken for could, taken in measured if could]
    no = [taken for could, taken in measured if not could]
    if not yes or not no:
        raise ValueError("turns of both kinds are needed")
    return sum((a > b) + 0.5 * (a == b) for a in yes for b in no) / (len(yes) * len(no))


def run() -> dict[str, tuple[float, int, float]]:
    """AUC, how many turns, and the mean of their milliseconds: at once, and on the grid."""
    found = {}
    for name, grid in (("at once", 0.0), ("on the grid", STEP)):
        measured = turns(grid)
        mean = sum(taken for _, taken in measured) / len(measured)
        found[name] = auc(measured), len(measured), mean
    return found


if __name__ == "__main__":
    for name, (area, count, mean) in run().items():
        print(f"{name}: AUC {area:.2f} over {count} turns, {mean:.1f} ms each")
