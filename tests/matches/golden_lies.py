"""Lies in dealt hands, for the golden logs: one for each code that the rules of a hand can give.

Two players who cheat together deal any cards they like (`stacked`), so that each hand is as short
as its lie allows. Every proof is valid, unless the lie is about a proof, so only the rules refuse
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ginpeer.referee.referee import Referee
from ginpeer.referee.table import GUEST, HOST, Table
from ginpeer.referee.transitions import final_score
from ginpeer.rules.cards import cards_of, parse_card, parse_set
from ginpeer.rules.ruleset import parse_ruleset
from protocol import messages as m
from protocol.crypto.elgamal import encode_ciphertexts
from tests.cheating.cheat import Cheat, OtherKey, cheat_in, mover, play, stacked
from tests.matches.table_pair import TablePair
from tests.matches.variants import lay_of, numbers

ORDINARY = "standard first-dealer=host target=1"
CLASSIC = "classic first-dealer=host target=1"
MAHJONG = "mahjong first-dealer=host opening=either-pile target=1"

# The guest plays first: the first row of each pair is its hand.
#
#      4c 5c 6c   9d 9h 9s   Kc Ac 2c (no run)   2d         and takes Qc
NEAR_GIN = ("Kc Ac 2c 4c 5c 6c 9d 9h 9s 2d", "Kd Qh Ts 8c 7h 6s 4d 3h Jc 8d", "Qc")
#      3c 4c 5c 6c   7d 7h 7s   Kd Kh Ks                    and takes Kc: big gin
ELEVEN = ("3c 4c 5c 6c 7d 7h 7s Kd Kh Ks", "7c 2c 8d 8h 8s Qd Jh 9s 2d Ah", "Kc")
#      3c 4c 5c   9d 9h 9s   Kd Kh Ks   2d                  and draws 5h
KNOCKER = ("3c 4c 5c 9d 9h 9s Kd Kh Ks 2d", "6c 7c 9c Jd Jh 8s 4d Ah 6h Qs", "Tc", "5h")
#      3c 4c 5c 6c   7d 7h 7s   Kd Kh Ks, draws Kc; or, when two cards lie in the pile,
#      the host takes both: Tc, and the Kc that the guest has thrown
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
        """Return a knock with true openings; *shown* claims other cards for some: Qc="Jd"."""
        hand, own, argument = self.cheat.riffled(self.table)
        claims = {int(parse_card(true)): int(parse_card(lie)) for true, lie in shown.items()}
        cards = tuple(claims.get(card, card) for card in own)
        return m.Knock(
            encode_ciphertexts(hand),
            argument,
            cards,
            None if discard is None else int(parse_card(discard)),
            tuple(tuple(int(card) for card in cards_of(parse_set(meld))) for meld in melds),
            self.cheat.opening(self.table, list(zip(hand, cards, strict=True))),
        )

    def discard(self, card: str, claimed: str) -> m.Discard:
        """Return a discard of one card as another."""
        hand, own, argument = self.cheat.riffled(self.table)
        place = own.index(int(parse_card(card)))
        named = int(parse_card(claimed))
        opening = self.cheat.opening(self.table, [(hand[place], named)])
        return m.Discard(encode_ciphertexts(hand), argument, place, named, opening)

    def spread(self, *layoffs: tuple[str, int], melds: Sequence[str] = ()) -> m.Spread:
        """Return a spread of the whole hand, in its order."""
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


def near_gin() -> Scene:
    return Scene.after(NEAR_GIN, ORDINARY, "take")


def spreading() -> Scene:
    knock = "knock 5h melds 3c4c5c 9d9h9s KdKhKs deadwood 2d"
    return Scene.after(KNOCKER, ORDINARY, "pass", "pass", "draw", knock)


def laying() -> Scene:
    return Scene.after(LAYING, MAHJONG, "draw")


def taking() -> Scene:
    """Return the scene in which it is the host's turn, and two cards are in the pile."""
    return Scene.after(LAYING, MAHJONG, "draw", "discard Kc")


Entries = tuple[bytes, ...]

KNOCK = ("4c5c6c", "9d9h9s")

# --- refusals by the rules of a hand ------------------------------------------------------------


def wrong_phase() -> Entries:
    """Take the upcard after both have passed it."""
    return Scene.after(KNOCKER, ORDINARY, "pass", "pass").signed(m.TakeUpcard())


def card_not_held() -> Entries:
    """Discard a card that is in the pile."""
    scene = Scene.after(KNOCKER, ORDINARY, "pass", "pass", "draw")
    return scene.signed(scene.discard("5h", "Tc"))


def card_missing() -> Entries:
    """Show another card in place of the upcard that was taken."""
    scene = near_gin()
    return scene.signed(scene.knock(KNOCK, "Kc", Qc="Jd"))


def card_used_twice() -> Entries:
    scene = near_gin()
    return scene.signed(scene.knock([*KNOCK, "4c5c6c"], "Kc"))


def wrong_hand() -> Entries:
    scene = near_gin()
    knock = scene.knock(KNOCK, "Kc")
    return scene.signed(replace(knock, cards=knock.cards[:-1]))


def unreadable_move() -> Entries:
    """Knock with a meld of no cards."""
    scene = near_gin()
    knock = scene.knock(KNOCK, "Kc")
    return scene.signed(replace(knock, melds=(*knock.melds, ())))


def not_a_meld() -> Entries:
    """Meld king, ace, two: the ace is low."""
    scene = near_gin()
    return scene.signed(scene.knock([*KNOCK, "KcAc2c"], "2d"))


def knock_over_limit() -> Entries:
    scene = near_gin()
    return scene.signed(scene.knock(KNOCK, "Kc"))


def no_discard() -> Entries:
    scene = near_gin()
    return scene.signed(scene.knock(KNOCK, None))


def no_big_gin() -> Entries:
    scene = Scene.after(ELEVEN, CLASSIC, "take")
    return scene.signed(scene.knock(["3c4c5c6c", "7d7h7s", "KcKdKhKs"], None))


def layoff_on_gin() -> Entries:
    scene = Scene.after(ELEVEN, ORDINARY, "take", "knock melds 3c4c5c6c 7d7h7s KcKdKhKs")
    return scene.signed(scene.spread(("2c", 0)))


def layoff_does_not_fit() -> Entries:
    """Lay off a seven on three, four, five."""
    scene = spreading()
    return scene.signed(scene.spread(("7c", 0)))


# --- refusals in Mahjong gin --------------------------------------------------------------------


def not_mahjong() -> Entries:
    """Lay melds in a game other than Mahjong gin."""
    scene = near_gin()
    return scene.signed(scene.lay("4c5c6c"))


def not_mahjong_in_the_first_draw() -> Entries:
    """Take discards in a game other than Mahjong gin, when only the stock may be drawn from."""
    scene = Scene.after(KNOCKER, ORDINARY, "pass", "pass")
    return scene.signed(m.TakeDiscards(2, scene.lay("3c4c5c")))


def no_knocking() -> Entries:
    scene = laying()
    return scene.signed(scene.knock(["3c4c5c6c", "7d7h7s", "KdKhKs"], "Kc"))


def wrong_cards() -> Entries:
    """Open a card other than the one laid."""
    scene = laying()
    return scene.signed(scene.lay("3c4c5c", opened="3c4c6c"))


def add_does_not_fit() -> Entries:
    scene = laying()
    return scene.signed(scene.lay("3c4c5c add 7d@0"))


def pile_too_small() -> Entries:
    """Take three discards of two."""
    scene = taking()
    return scene.signed(replace(scene.taking(2, "TcJcQc"), count=3))


def lowest_not_laid() -> Entries:
    """Take ten and king, and lay jack, queen, king: the ten is lower in the pile."""
    scene = taking()
    return scene.signed(scene.taking(2, "JcQcKc"))


def too_late() -> Entries:
    """Name melds when the hand is over."""
    scene = Scene.after(LAYING, MAHJONG, "draw", "lay 3c4c5c6c 7d7h7s KcKdKhKs")
    return scene.signed(scene.spread(melds=["2c2dAh"]))


# --- two faults in one entry: which comes first (PROTOCOL 7.5) ---------------------------------


def first_of_a_knock() -> Entries:
    """Knock in Mahjong gin using a card twice: the card is checked before the game."""
    scene = laying()
    return scene.signed(scene.knock(["3c4c5c6c", "3c4c5c6c"], "Kc"))


def first_of_a_lay() -> Entries:
    """Lay cards that aren't a meld, one of them in the pile: its place is checked first."""
    scene = Scene.after(LAYING, MAHJONG, "draw", "discard Kc", "draw")
    shown = {"2c": "Kc"}
    lay = lay_of(scene.cheat, scene.table, "JcQcKc8d", opened="JcQc2c8d", shown=shown)
    return scene.signed(lay)


def first_error_of_a_discard() -> Entries:
    """Discard from a place that the hand doesn't have, with a riffle of no cards: the place is
    checked first."""
    scene = near_gin()
    thrown = scene.discard("Kc", "Kc")
    return scene.signed(replace(thrown, position=11, hand=b""))


# --- the audit ----------------------------------------------------------------------------------


def given_up(
    pair: TablePair, entries: Sequence[bytes], *ends: Callable[[Table], m.Message]
) -> Entries:
    """Return the log after the player who owes an entry has resigned, both have settled, and host
    and guest have signed these disclosures, the last of which is the lie."""
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
    """Return the seeds that this seat has committed to and must disclose."""
    seeds = pair.performers[seat].seeds
    return lambda table: m.Disclose(tuple(seeds[n] for n in table.disclosed_next(seat)))


def dealt(stop: type[m.Message], *, other_key: bool = False) -> tuple[TablePair, list[bytes]]:
    """Return a deal up to this message, and its log. With *other_key* the guest's key isn't from
    its seed."""
    pair = TablePair("golden audit", parse_ruleset(ORDINARY))
    if other_key:
        guest = pair.guest.seat
        guest._hand_secrets = lambda: OtherKey(guest._seeds[1])  # type: ignore[method-assign]
    while pair.deliver():
        pass
    steps = [step for step in pair.host.shown if hasattr(step, "message")]
    end = next(step.sequence for step in steps if isinstance(step.message, stop))
    return pair, list(pair.host.seat.entries[: end + 1])


def wrong_seed_count() -> Entries:
    """Disclose two seeds of one hand, as the host."""
    pair, entries = dealt(m.DealCommit)
    return given_up(pair, entries, lambda table: m.Disclose((bytes(32),) * 2))


def audit_failed() -> Entries:
    """Use a key that doesn't come from the seed, as the guest."""
    pair, entries = dealt(m.DealKey, other_key=True)
    return given_up(pair, entries, seeds_of(pair, HOST), seeds_of(pair, GUEST))


def audit_failed_in_the_shuffle() -> Entries:
    """Mask the deck but leave it in its order, as the dealer, with a true argument."""
    pair = stacked(*NEAR_GIN, rules=parse_ruleset(ORDINARY), disclosure=m.Disclosure.AFTER_MATCH)
    return given_up(pair, pair.host.seat.entries, seeds_of(pair, HOST))


LIES: dict[str, Callable[[], Entries]] = {
    "evidence-wrong-phase": wrong_phase,
    "evidence-card-not-held": card_not_held,
    "evidence-card-missing": card_missing,
    "evidence-card-used-twice": card_used_twice,
    "evidence-wrong-hand": wrong_hand,
    "evidence-unreadable-move": unreadable_move,
    "evidence-not-a-meld": not_a_meld,
    "evidence-knock-over-limit": knock_over_limit,
    "evidence-no-discard": no_discard,
    "evidence-no-big-gin": no_big_gin,
    "evidence-layoff-on-gin": layoff_on_gin,
    "evidence-layoff-does-not-fit": layoff_does_not_fit,
    "evidence-not-mahjong": not_mahjong,
    "evidence-not-mahjong-in-the-first-draw": not_mahjong_in_the_first_draw,
    "evidence-no-knocking": no_knocking,
    "evidence-wrong-cards": wrong_cards,
    "evidence-add-does-not-fit": add_does_not_fit,
    "evidence-pile-too-small": pile_too_small,
    "evidence-lowest-not-laid": lowest_not_laid,
    "evidence-too-late": too_late,
    "evidence-first-of-a-knock": first_of_a_knock,
    "evidence-first-of-a-lay": first_of_a_lay,
    "evidence-first-of-a-discard": first_error_of_a_discard,
    "evidence-wrong-seed-count": wrong_seed_count,
    "evidence-audit-failed": audit_failed,
    "evidence-audit-failed-in-the-shuffle": audit_failed_in_the_shuffle,
}
"""The lies, by the names of their golden logs."""
