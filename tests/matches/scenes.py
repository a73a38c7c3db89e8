"""Hands in which a player may lie.

Two players who cheat together deal any cards they like (`stacked`), so that each hand is as short
as its lie allows. Unless the lie is about a proof, every proof is valid, and only the rules refuse
the lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ginpeer.referee.referee import Referee
from ginpeer.referee.table import GUEST, HOST, Table
from ginpeer.referee.transitions import final_score
from ginpeer.rules.cards import parse_card
from ginpeer.rules.ruleset import parse_ruleset
from protocol import messages as m
from tests.cheating.cheat import Cheat, cheat_in, mover, numbers, play, stacked
from tests.matches.table_pair import TablePair
from tests.matches.variants import lay_of

ORDINARY = "standard first-dealer=host target=1"
MAHJONG = "mahjong first-dealer=host opening=either-pile target=1"

# The guest plays first: the first row of each pair is its hand.
#
#      4c 5c 6c   9d 9h 9s   Kc Ac 2c (no run)   2d         and takes Qc
NEAR_GIN = ("Kc Ac 2c 4c 5c 6c 9d 9h 9s 2d", "Kd Qh Ts 8c 7h 6s 4d 3h Jc 8d", "Qc")
#      3c 4c 5c 6c   7d 7h 7s   Kd Kh Ks                    and takes Kc: big gin
ELEVEN = ("3c 4c 5c 6c 7d 7h 7s Kd Kh Ks", "7c 2c 8d 8h 8s Qd Jh 9s 2d Ah", "Kc")
#      3c 4c 5c 6c   7d 7h 7s   Kd Kh Ks, draws Kc; or, when two cards lie in the pile,
#      the host takes both: Tc, and the Kc that the guest has discarded
LAYING = (ELEVEN[0], "Jc Qc 2c 8d 8h 9s 2d Ah 4h 6h", "Tc", "Kc")


@dataclass
class Scene:
    """Two players in the middle of a hand; the player to move cheats."""

    pair: TablePair
    cheat: Cheat
    table: Table

    @classmethod
    def after(cls, hands: Sequence[str], rules: str, *moves: str) -> Scene:
        pair = stacked(*hands, rules=parse_ruleset(rules))
        play(pair, *moves)
        seat = mover(pair).seat
        return cls(pair, cheat_in(pair, seat.seat), seat.table)

    def signed(self, message: m.Message) -> tuple[bytes, ...]:
        """Return the log so far, with this message appended."""
        return (*self.pair.host.seat.entries, self.cheat.sign(self.table, message))

    def knock(self, melds: Iterable[str], discard: str | None, **shown: str) -> m.Knock:
        """Return a knock with valid openings. *shown* replaces cards in the claim: Qc="Jd"."""
        claims = {int(parse_card(true)): int(parse_card(lie)) for true, lie in shown.items()}
        own = self.cheat.riffled(self.table)[1]
        return self.cheat.knock(
            self.table,
            map(numbers, melds),
            None if discard is None else int(parse_card(discard)),
            [claims.get(card, card) for card in own],
        )

    def spread(self, *layoffs: tuple[str, int], melds: Sequence[str] = ()) -> m.Spread:
        """Return a spread that shows the whole hand in its order."""
        assert self.table.deck is not None
        cards = self.cheat.hand(self.table)
        held = self.table.deck.hands[self.cheat.seat]
        return m.Spread(
            cards,
            tuple(map(numbers, melds)),
            tuple(m.LayOff(int(parse_card(card)), at) for card, at in layoffs),
            self.cheat.opening(self.table, list(zip(held, cards, strict=True))),
        )

    def lay(self, text: str, opened: str | None = None) -> m.Lay:
        return lay_of(self.cheat, self.table, text, opened=opened)

    def taking(self, count: int, text: str, opened: str | None = None) -> m.TakeDiscards:
        assert self.table.hand is not None
        taken = [int(card) for card in self.table.hand.pile[-count:]]
        lay = lay_of(self.cheat, self.table, text, opened=opened, taken=taken)
        return m.TakeDiscards(count, lay)


def given_up(
    pair: TablePair, entries: Sequence[bytes], *ends: Callable[[Table], m.Message]
) -> tuple[bytes, ...]:
    """Return the log after the player who owes an entry has resigned, both players have settled,
    and host and guest have signed these disclosures. The last one is the lie."""
    referee = Referee()
    for raw in entries:
        referee.admit(raw)
    signed: list[tuple[int, Callable[[Table], m.Message]]] = [
        (GUEST if referee.table.owed_by else HOST, lambda _: m.Resign()),
        *((seat, final_score) for seat in (HOST, GUEST)),
        *enumerate(ends),
    ]
    for number, (seat, message) in enumerate(signed, 1):
        raw = cheat_in(pair, seat).sign(referee.table, message(referee.table))
        if number < len(signed):
            referee.admit(raw)
    return (*referee.entries, raw)


def seeds_of(pair: TablePair, seat: int) -> Callable[[Table], m.Message]:
    """Return a function that discloses the seeds that this seat has committed to."""
    seeds = pair.performers[seat].seeds
    return lambda table: m.Disclose(tuple(seeds[n] for n in table.disclosed_next(seat)))
