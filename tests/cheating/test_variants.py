"""A modified client under other rules: lays, several discards, the toss for the knock card."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import pytest

from ginpeer.referee import table as tables
from ginpeer.referee.referee import Referee
from ginpeer.referee.table import Awaiting, Table
from ginpeer.referee.transitions import TRANSITIONS, Violation, final_score
from ginpeer.rules import moves
from ginpeer.rules.cards import cards_of, parse_card
from ginpeer.rules.hand import Phase
from ginpeer.rules.moves import parse_move
from ginpeer.rules.ruleset import parse_ruleset
from protocol import messages as m
from protocol.crypto.elgamal import encode_ciphertexts
from protocol.deck import prover
from protocol.deck.secrets import HandSecrets, toss_commitment
from tests.cheating.cheat import (
    Cheat,
    RecordedMatch,
    mover,
    numbers,
    one_hand,
    play,
    violation,
)
from tests.cheating.lies import unchecked
from tests.cheating.test_audit import OtherToss
from tests.matches.table_pair import TablePair
from tests.matches.variants import dawdling, lay_of, mahjong, second_deck, staged

pytestmark = pytest.mark.usefixtures("in_the_toy_group_unless_deep")


class Place(NamedTuple):
    """The table before an entry whose author now cheats."""

    match: RecordedMatch
    k: int
    cheat: Cheat
    table: Table

    @property
    def honest(self) -> m.Message:
        return self.match.steps[self.k].message

    def lay(self, text: str, **lies: object) -> m.Lay:
        """Return a lay by the cheat, built with `lay_of`."""
        return lay_of(self.cheat, self.table, text, **lies)

    def refuses(self, message: m.Message, code: str) -> None:
        """Check that this message by the cheat is refused with this code."""
        raw = self.cheat.sign(self.table, message)
        violation(self.match, self.k, raw, code, by=self.cheat.seat)


def at(kind: type[m.Message], number: int = 0, match: RecordedMatch | None = None) -> Place:
    """Return the place of an entry of this kind."""
    match = match or mahjong()
    k = [step.sequence for step in match.steps if type(step.message) is kind][number]
    return Place(match, k, match.author(k), match.table_at(k))


# --- lays that the rules refuse -------------------------------------------------------------------

FIRST, SECOND, LATE, LAST = range(4)  # the lays of the staged hand


@pytest.mark.parametrize(
    ("number", "text", "code"),
    [
        (FIRST, "3c4c", "not-a-meld"),
        (FIRST, "3c4c5c 7c7h7sKd", "not-a-meld"),
        (FIRST, "3c4cKd", "not-a-meld"),
        (FIRST, "add Kd@0", "add-does-not-fit"),  # no meld has this number
        (FIRST, "3c4c5c add 7c@0", "add-does-not-fit"),
        (FIRST, "3c4c5c add 7c@1", "add-does-not-fit"),
        (FIRST, "3c4c5c add 7c@16", "add-does-not-fit"),
        (SECOND, "JsQsKs add 6c@0 7d@0", "add-does-not-fit"),
        (SECOND, "add 8d@1", "add-does-not-fit"),
        (LAST, "add 2d@3 8s@2", "add-does-not-fit"),  # the nine must come first
        # Each card fits the meld as it is at that point.
        (LAST, "add 8s@2 9s@2", "add-does-not-fit"),
    ],
)
def test_a_lay_that_makes_no_melds_is_refused(number: int, text: str, code: str) -> None:
    """Every card is held and every opening is valid, but the rules refuse the lay."""
    place = at(m.Lay, number)
    place.refuses(place.lay(text), code)


def test_melds_and_additions_must_use_the_opened_cards() -> None:
    place = at(m.Lay)
    for opened in ("3c4c5cKd", "3c4cKd", "Kd", "3c4c5c7c7h7s"):
        lie = place.lay("3c4c5c", opened=opened)
        place.refuses(lie, "wrong-cards")
    lie = place.lay("3c4c5c 7c7h7s", opened="3c4c5c")
    place.refuses(lie, "wrong-cards")
    honest = place.lay("3c4c5c 7c7h7s")
    place.refuses(replace(honest, melds=honest.melds[:1]), "wrong-cards")
    doubled = replace(honest, cards=(honest.cards[0], *honest.cards[:-1]))
    place.refuses(doubled, "wrong-cards")


def test_a_card_is_laid_once() -> None:
    place = at(m.Lay)
    honest = place.lay("3c4c5c 7c7h7s")
    run, threes = honest.melds
    for melds, adds in (
        ((run, run, threes), ()),
        ((run, threes), (m.LayOff(threes[0], 1),)),
        ((run,), tuple(m.LayOff(card, 0) for card in (*threes, threes[0]))),
    ):
        place.refuses(replace(honest, melds=melds, adds=adds), "card-used-twice")


def test_an_empty_meld_or_too_many_melds_are_refused() -> None:
    place = at(m.Lay)
    honest = place.lay("3c4c5c 7c7h7s")
    place.refuses(replace(honest, melds=(*honest.melds, ())), "unreadable-move")
    place.refuses(replace(honest, melds=(*honest.melds, *[()] * 16)), "unreadable-move")


def test_a_card_visible_elsewhere_cannot_be_laid() -> None:
    place = at(m.Lay, SECOND)
    claims = {"Js": "Kd"}  # the jack is in the pile
    lie = place.lay("KdQsKs", opened="JsQsKs", shown=claims)
    place.refuses(lie, "card-not-held")
    # The three is on the table.
    lie = place.lay("QsKs3c", opened="JsQsKs", shown={"Js": "3c"})
    place.refuses(lie, "card-not-held")


def test_a_card_that_the_other_player_took_cannot_be_laid() -> None:
    # D's discard, after N has taken the two of hearts with two other cards.
    place = at(m.Discard, 3)
    assert str(parse_card("2h")) in map(
        str, cards_of(place.table.hand.known_held(1 - place.cheat.seat))
    )
    lie = place.lay("AcAh2h", opened="AcAh3h", shown={"3h": "2h"})
    place.refuses(lie, "card-not-held")


def test_a_player_may_not_keep_only_the_card_just_taken() -> None:
    """N takes the eight of diamonds and lays everything else, so that no legal discard would be
    left."""
    match, k, cheat, table = at(m.DrawStock, -1)
    assert table.hand.size(cheat.seat) == 2
    referee = match.referee_at(k)
    referee.admit(cheat.sign(table, m.TakeUpcard()))
    table = referee.table
    lie = lay_of(cheat, table, "add 9s@2 8s@2")
    with pytest.raises(Violation) as caught:
        referee.admit(cheat.sign(table, lie))
    assert (caught.value.code, caught.value.seat) == ("just-taken", cheat.seat)
    # The card itself may be laid as well, or another card kept.
    referee.admit(cheat.sign(table, lay_of(cheat, table, "add 9s@2")))
    assert referee.table.awaiting is Awaiting.DISCARD


def test_a_knock_in_mahjong_gin_is_refused() -> None:
    place = at(m.Lay)
    knock = place.cheat.knock(place.table, [numbers("3c4c5c")], numbers("Kd")[0])
    place.refuses(knock, "no-knocking")


@pytest.mark.parametrize("kind", [m.Lay, m.TakeDiscards])
@pytest.mark.parametrize("melds", [((0, 1, 2), (0, 1, 2)), ((3, 4, 5),), ((),) * 20])
def test_a_lay_in_an_ordinary_game_is_not_even_examined(
    kind: type[m.Message], melds: tuple[tuple[int, ...], ...]
) -> None:
    """Not even its cards or the phase are checked: PROTOCOL 8.11 has a single code for a lay in
    every match that isn't Mahjong gin."""
    match = one_hand()
    lay = m.Lay(b"", b"", (0, 1, 2), (0, 1, 2), melds, (), b"")
    message = lay if kind is m.Lay else m.TakeDiscards(2, lay)
    seen = set()
    for k in range(len(match)):
        table = match.table_at(k)
        if (table.awaiting, kind) in TRANSITIONS:
            cheat = match.author(k)
            violation(match, k, cheat.sign(table, message), "not-mahjong", by=cheat.seat)
            assert table.hand is not None
            seen.add(table.hand.phase)
    assert seen == ({Phase.DISCARD} if kind is m.Lay else {Phase.FIRST_DRAW, Phase.DRAW})


# --- lays that the proofs refuse ------------------------------------------------------------------


def test_a_card_that_is_not_held_cannot_be_laid() -> None:
    """Nobody can see where 3d 4d 5d are, so only the opening of three other cards gives it away."""
    place = at(m.Lay)
    claims = {"3c": "3d", "4c": "4d", "5c": "5d"}
    place.refuses(place.lay("3d4d5d", opened="3c4c5c", shown=claims), "bad-proof")


def test_a_card_of_a_meld_cannot_be_claimed_to_be_another() -> None:
    place = at(m.Lay)
    lie = place.lay("KdKhKs", opened="KdQh2s", shown={"Qh": "Kh", "2s": "Ks"})
    place.refuses(lie, "bad-proof")
    lie = place.lay("5c6c7c", opened="5c2s7c", shown={"2s": "6c"})
    place.refuses(lie, "bad-proof")


def test_cards_must_leave_the_places_where_they_are_opened() -> None:
    """The opened cards are exactly those laid; otherwise other places would leave the hand."""
    place = at(m.Lay)
    honest = place.lay("3c4c5c")
    others = tuple(p for p in range(11) if p not in honest.positions)[:3]
    place.refuses(replace(honest, positions=others), "bad-proof")
    place.refuses(replace(honest, cards=honest.cards[::-1]), "bad-proof")


@pytest.mark.parametrize("positions", [(0, 1, 11), (9, 10, 11), (0, 1, 51), (49, 50, 51)])
def test_a_lay_must_come_from_places_of_the_hand(positions: tuple[int, ...]) -> None:
    place = at(m.Lay)
    place.refuses(replace(place.lay("3c4c5c"), positions=positions), "bad-proof")


@pytest.mark.parametrize(
    "change",
    [
        {"positions": (2, 1, 0)},
        {"positions": (0, 0, 1)},
        {"positions": (0, 1)},
        {"positions": (0, 1, 52)},
        {"positions": ()},
        {"positions": (), "cards": ()},
        {"cards": (0, 1, 52)},
        {"melds": ((2, 1, 0),)},
    ],
)
def test_a_lay_of_an_impossible_shape_is_malformed(change: dict[str, object]) -> None:
    place = at(m.Lay)
    honest = place.lay("3c4c5c")
    place.refuses(unchecked(honest, **change), "malformed")
    taking = unchecked(m.TakeDiscards(2, honest), lay=unchecked(honest, **change))
    at(m.TakeDiscards).refuses(taking, "malformed")


@pytest.mark.parametrize("count", [1, 32])
def test_an_impossible_number_of_discards_is_malformed(count: int) -> None:
    place = at(m.TakeDiscards)
    place.refuses(unchecked(place.honest, count=count), "malformed")


def test_a_hand_must_be_riffled_before_each_lay() -> None:
    place = at(m.Lay)
    honest = place.lay("3c4c5c")
    unriffled = encode_ciphertexts(place.table.deck.hands[place.cheat.seat])
    for lie, code in (
        (replace(honest, hand=b"", argument=b""), "bad-length"),
        (replace(honest, hand=unriffled, argument=b""), "bad-length"),
        (replace(honest, hand=unriffled), "bad-proof"),
        (replace(honest, hand=honest.hand[:-64]), "bad-length"),
    ):
        place.refuses(lie, code)


def test_a_riffle_with_another_card_in_it_is_refused() -> None:
    """A card from the opponent's hand takes the place of one of the cheat's own."""
    place = at(m.Lay)
    honest = place.lay("3c4c5c")
    theirs = place.table.deck.hands[1 - place.cheat.seat][0].remask(
        place.cheat.secrets(place.table).public_key, 5
    )
    hand = theirs.encoded + honest.hand[64:]
    place.refuses(replace(honest, hand=hand), "bad-proof")


def test_an_earlier_riffle_or_opening_is_refused() -> None:
    place = at(m.Lay, LAST)
    honest = place.lay("add 2d@3 9s@2")
    place.refuses(replace(honest, argument=at(m.Lay).honest.argument), "bad-length")
    place.refuses(replace(honest, opening=at(m.Lay, LATE).honest.opening), "bad-proof")


def test_a_hand_of_one_card_has_no_riffle() -> None:
    place = at(m.Discard, -1)
    honest = place.honest
    (last,) = place.table.deck.hands[place.cheat.seat]
    for lie in (
        replace(honest, hand=last.encoded),
        replace(honest, argument=bytes(416)),
        replace(honest, hand=last.encoded, argument=bytes(416)),
    ):
        place.refuses(lie, "bad-length")
    place.refuses(replace(honest, position=1), "bad-proof")
    place.refuses(replace(honest, card=numbers("6d")[0]), "bad-proof")


# --- taking several discards ----------------------------------------------------------------------


def taking(place: Place, count: int, text: str, **lies: object) -> m.TakeDiscards:
    taken = [int(card) for card in place.table.hand.pile[-count:]]
    return m.TakeDiscards(count, place.lay(text, taken=taken, **lies))


def test_the_lowest_of_several_cards_taken_must_be_laid_at_once() -> None:
    place = at(m.TakeDiscards)
    place.refuses(taking(place, 3, "add 9s@2", opened="9s"), "lowest-not-laid")
    place.refuses(taking(place, 2, "add 9s@2", opened="9s"), "lowest-not-laid")


def test_no_more_cards_are_taken_than_the_pile_has() -> None:
    place = at(m.TakeDiscards)
    match, k, _, table = place
    assert len(table.hand.pile) == 3
    honest = match.steps[k].message
    place.refuses(replace(honest, count=4), "pile-too-small")
    place.refuses(replace(honest, count=31), "pile-too-small")


def test_a_lay_made_with_more_cards_than_are_taken_is_refused() -> None:
    """Two discards are taken, but the riffle includes the third as well, so the lowest isn't
    laid."""
    place = at(m.TakeDiscards)
    place.refuses(replace(place.honest, count=2), "lowest-not-laid")


def test_a_riffle_after_taking_must_include_the_cards_taken() -> None:
    """Without the cards taken the hand would be too short; with others it would be wrong."""
    place = at(m.TakeDiscards)
    match, k, cheat, table = place
    honest = match.steps[k].message
    hand, _, argument = cheat.riffled(table)
    short = replace(honest.lay, hand=encode_ciphertexts(hand), argument=argument)
    place.refuses(replace(honest, lay=short), "bad-length")
    wrong = [int(card) for card in table.hand.pile[-2:]] + [numbers("6d")[0]]
    lie = lay_of(cheat, table, "add Ts@2", opened="Kd", shown={"Kd": "Ts"}, taken=wrong)
    place.refuses(m.TakeDiscards(3, lie), "bad-proof")


def test_after_two_passes_only_the_stock_is_open() -> None:
    place = at(m.DrawStock)
    lay = place.lay("3c4c5c")
    place.refuses(m.TakeDiscards(2, lay), "wrong-phase")


def test_a_player_who_has_taken_discards_cannot_draw_again() -> None:
    match = mahjong()
    k = match.find(m.TakeDiscards) + 1
    cheat, table = match.author(k), match.table_at(k)
    again = match.steps[k - 1].message
    for message in (again, m.TakeUpcard(), m.DrawStock()):
        violation(match, k, cheat.sign(table, message), "not-allowed-now", by=cheat.seat)


# --- second entries, and the end ------------------------------------------------------------------


@pytest.mark.parametrize("kind", [m.Lay, m.TakeDiscards])
def test_two_lays_at_one_place_convict_their_author(kind: type[m.Message]) -> None:
    match, k, cheat, table = at(kind)
    other = m.DrawStock() if kind is m.TakeDiscards else lay_of(cheat, table, "3c4c5c")
    error = violation(match, k + 1, cheat.sign(table, other), "fork", by=cheat.seat)
    assert error.entry == k


def test_the_loser_only_shows_the_remaining_cards() -> None:
    place = at(m.Spread)
    match, k, cheat, table = place
    honest = match.steps[k].message
    aces = numbers("AcAh3h")
    place.refuses(replace(honest, melds=(aces,)), "too-late")
    place.refuses(replace(honest, layoffs=(m.LayOff(honest.cards[0], 0),)), "too-late")
    place.refuses(replace(honest, cards=honest.cards[:-1]), "wrong-hand")
    place.refuses(replace(honest, cards=(*honest.cards[:-1], honest.cards[0])), "wrong-hand")
    cheaper = tuple(numbers("6d")[0] if card == aces[0] else card for card in honest.cards)
    opening = cheat.opening(table, list(zip(table.deck.hands[cheat.seat], cheaper, strict=True)))
    place.refuses(replace(honest, cards=cheaper, opening=opening), "bad-proof")


def test_a_card_seen_taken_must_be_shown() -> None:
    """D loses while holding a card that it took from the pile, and shows another card instead."""
    pair = staged(15)
    play(pair, "take", "discard 8d", "draw", "lay add 9s@2 8s@2", "discard 5h")
    seat = mover(pair).seat
    assert seat.table.awaiting is Awaiting.SPREAD
    king, other = numbers("Kd")[0], numbers("6d")[0]
    match = RecordedMatch.of(pair)
    k, cheat, table = len(match), match.cheat(seat.seat), seat.table
    shown = cheat.hand(table)
    assert king in shown
    lie = tuple(other if card == king else card for card in shown)
    opening = cheat.opening(table, list(zip(table.deck.hands[seat.seat], lie, strict=True)))
    raw = cheat.sign(table, m.Spread(lie, (), (), opening))
    violation(match, k, raw, "card-missing", by=cheat.seat)


# --- the last chance ------------------------------------------------------------------------------


@cache
def to_the_wall() -> RecordedMatch:
    rules = parse_ruleset("standard wall=last-discard hands=1")
    return RecordedMatch.of(TablePair("wall", rules).play(dawdling))


def test_at_the_wall_drawing_discarding_and_knocking_are_refused() -> None:
    match = to_the_wall()
    k = next(s.sequence for s in match.steps if s.before.awaiting is Awaiting.LAST_CHANCE)
    place = Place(match, k, match.author(k), match.table_at(k))
    discard = match.steps[match.find(m.Discard)].message
    for message in (m.DrawStock(), discard, one_hand().steps[one_hand().find(m.Knock)].message):
        place.refuses(message, "not-allowed-now")


def test_the_card_taken_at_the_wall_cannot_be_discarded() -> None:
    match = to_the_wall()
    k = next(s.sequence for s in match.steps if s.before.awaiting is Awaiting.LAST_CHANCE) + 1
    cheat, table = match.author(k), match.table_at(k)
    lie = cheat.discard(table, int(table.hand.taken))
    Place(match, k, cheat, table).refuses(lie, "just-taken")


# --- the toss for the knock card ------------------------------------------------------------------


TOSSING = (m.DealCommit, m.DealKey, m.DealDeck)


@pytest.mark.parametrize("kind", TOSSING)
def test_a_missing_toss_is_refused(kind: type[m.Message]) -> None:
    place = at(kind, match=second_deck())
    place.refuses(replace(place.honest, toss=b""), "wrong-toss")


@pytest.mark.parametrize("kind", TOSSING)
def test_a_toss_without_a_second_deck_is_refused(kind: type[m.Message]) -> None:
    place = at(kind, match=one_hand())
    place.refuses(replace(place.honest, toss=bytes(range(32))), "wrong-toss")


@pytest.mark.parametrize("kind", TOSSING)
@pytest.mark.parametrize("length", [1, 31, 33])
def test_half_a_toss_of_a_wrong_length_is_malformed(kind: type[m.Message], length: int) -> None:
    place = at(kind, match=second_deck())
    place.refuses(unchecked(place.honest, toss=bytes(length)), "malformed")


def test_the_dealer_cannot_choose_the_knock_card_after_the_other_half_is_known() -> None:
    """Any half other than the committed one is refused, though it would make a better card."""
    place = at(m.DealDeck, match=second_deck())
    honest = place.honest
    for half in (bytes(32), place.table.deck.toss, honest.toss[::-1]):
        place.refuses(replace(honest, toss=half), "toss-mismatch")


def test_a_commitment_for_another_hand_or_table_cannot_be_opened() -> None:
    """The half is right, but the commitment is for another hand, so the dealer can't open it in
    this one."""
    match, k, cheat, table = at(m.DealCommit, match=second_deck())
    honest = match.steps[k].message
    secrets = HandSecrets(cheat.seeds[1])
    for where in ((table.table_id, 2), (bytes(32), 1)):
        referee = match.referee_at(k)
        elsewhere = replace(honest, toss=toss_commitment(*where, secrets.toss))
        referee.admit(cheat.sign(table, elsewhere))
        other = match.cheat(1 - cheat.seat)
        deck, proven = referee.table.deck, HandSecrets(other.seeds[1])
        context = referee.table.context(other.seat)
        key = prover.deal_key(deck, proven, context)
        referee.admit(other.sign(referee.table, key))
        deck, context = referee.table.deck, referee.table.context(cheat.seat)
        shuffled = prover.deal_deck(deck, secrets, context)
        with pytest.raises(Violation) as caught:
            referee.admit(cheat.sign(referee.table, shuffled))
        assert (caught.value.code, caught.value.seat) == ("toss-mismatch", cheat.seat)


def test_a_share_for_the_first_stock_card_in_the_deal_is_refused() -> None:
    """With a second deck, the 21st card is the first of the stock, so eleven shares are one too
    many."""
    place = at(m.DealShares, match=second_deck())
    table = place.table
    extra = place.cheat.secrets(table).key * table.deck.cards[20].c1
    eleven = place.honest.shares + extra.encoded
    place.refuses(replace(place.honest, shares=eleven), "bad-length")


def test_a_share_cannot_be_used_again_for_the_next_card() -> None:
    match = second_deck()
    shares = [s.sequence for s in match.steps if type(s.message) is m.Share]
    k = next(k for k in shares[1:] if match.steps[k].author == match.steps[shares[0]].author)
    place = Place(match, k, match.author(k), match.table_at(k))
    place.refuses(match.steps[shares[0]].message, "bad-proof")


# --- the audit ------------------------------------------------------------------------------------


def test_the_dealers_commitment_to_a_toss_is_audited_in_an_unfinished_hand() -> None:
    """The dealer commits to a half of its own choice and the opponent resigns, so no half is ever
    revealed."""
    rules = parse_ruleset("standard knock-limit=second-deck first-dealer=host")
    pair = TablePair("toss", rules)
    pair.host.seat._hand_secrets = lambda: OtherToss(pair.host.seeds[1])  # type: ignore[method-assign]
    host, guest = pair.performers
    offer = host.outbox.pop(0)
    guest.perform(guest.seat.receive(offer))
    host.perform(host.seat.receive(guest.outbox.pop(0)))
    table = host.seat.table
    assert table.awaiting is Awaiting.DEAL_KEY
    cheats = [Cheat(s, pair.identities[s], pair.performers[s].seeds) for s in (0, 1)]
    referee = Referee()
    for raw in host.seat.entries:
        referee.admit(raw)
    referee.admit(cheats[1].sign(referee.table, m.Resign()))
    for seat in (0, 1):
        referee.admit(cheats[seat].sign(referee.table, final_score(referee.table)))
    with pytest.raises(Violation) as caught:
        referee.admit(cheats[0].sign(referee.table, m.Disclose((cheats[0].seeds[1],))))
    assert (caught.value.code, caught.value.seat) == ("audit-failed", 0)


def test_seeds_that_do_not_fit_into_one_entry_are_disclosed_in_several(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "MAX_SEEDS", 2)
    rules = parse_ruleset("standard hands=3 swap-limit=4")

    def swapping(view):  # type: ignore[no-untyped-def]
        throws = [x for x in view.legal_moves() if isinstance(x, moves.Discard)]
        return throws[0] if throws else parse_move("take")

    pair = TablePair("many hands", rules).play(swapping)
    told = [
        (event.author, len(event.message.seeds))
        for event in pair.host.shown
        if isinstance(event.message, m.Disclose)
    ]
    assert told == [(0, 2), (0, 1), (1, 2), (1, 1)]
    assert pair.host.seat.table.finished
