"""A modified client during the play: cases 11, 15 to 20 and 26 of tests/campaign/cases.txt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Awaiting, Table
from ginpeer.rules.cards import CARDS, cards_of, mask_of, parse_set
from ginpeer.rules.melds import ORDINARY
from ginpeer.seat.seat import Persist, Send, Show
from protocol import messages as m
from tests.cheating.cheat import (
    Cheat,
    RecordedMatch,
    garbled,
    gin,
    laid_off,
    numbers,
    one_hand,
    tiny,
    two_hands,
    violation,
)

pytestmark = pytest.mark.usefixtures("in_the_toy_group_unless_deep")

Place = tuple[RecordedMatch, int, Cheat, Table]


def before(match: RecordedMatch, k: int) -> Place:
    """Return the table before entry k, whose author now cheats."""
    return match, k, match.author(k), match.table_at(k)


def at(kind: type[m.Message]) -> Place:
    match = one_hand()
    return before(match, match.find(kind))


# --- 11: asking for cards at the wrong time ----------------------------------------------


@pytest.mark.parametrize("awaiting", Awaiting)
def test_a_card_is_asked_for_only_when_a_draw_is_owed(awaiting: Awaiting) -> None:
    """Send DrawStock in every state, by either player: the opponent's seat sends no share."""
    match = one_hand()
    for k in [step.sequence for step in match.steps if step.before.awaiting is awaiting][:2]:
        table = match.table_at(k)
        for seat in (0, 1):
            if table.owed_by == seat and awaiting is Awaiting.DRAW:
                continue
            raw = match.cheat(seat).sign(table, m.DrawStock())
            if table.keys[seat] is None:
                garbled(match, k, raw, "bad-signature", by=seat)
            else:
                code = "not-allowed-now" if table.owed_by == seat else "out-of-turn"
                violation(match, k, raw, code, by=seat)


def test_a_draw_releases_exactly_one_share() -> None:
    """If a player draws twice, only the share for the first draw is sent."""
    match, k, cheat, table = at(m.DrawStock)
    honest = match.seat_at(1 - cheat.seat, k)
    effects = list(honest.receive(cheat.sign(table, m.DrawStock())))
    assert [type(e) for e in effects] == [Persist, Show, Persist, Send, Show]
    assert isinstance(effects[-1].event.message, m.Share)

    again = cheat.sign(honest.table, m.DrawStock())
    effects = list(honest.receive(again))
    assert [type(e).__name__ for e in effects] == ["PersistEvidence", "Close"]
    assert effects[-1].code == "not-allowed-now"


def _sign(match: RecordedMatch, k: int, message: m.Message) -> tuple[RecordedMatch, int, bytes]:
    return match, k, match.author(k).sign(match.table_at(k), message)


@pytest.mark.parametrize(
    ("kind", "after", "message", "code"),
    [
        (m.Share, 1, m.DrawStock(), "not-allowed-now"),
        (m.Share, 1, m.TakeUpcard(), "not-allowed-now"),
        (m.TakeUpcard, 1, m.DrawStock(), "not-allowed-now"),
        (m.TakeUpcard, 1, m.TakeUpcard(), "not-allowed-now"),
        (m.Pass, 0, m.DrawStock(), "not-allowed-now"),  # while the upcard is offered
        (m.DrawStock, 0, m.TakeUpcard(), "wrong-phase"),  # after two passes
        (m.DrawStock, 0, m.Pass(), "not-allowed-now"),
    ],
)
def test_a_player_draws_only_once_and_only_when_allowed(
    kind: type[m.Message], after: int, message: m.Message, code: str
) -> None:
    match = one_hand()
    k = match.find(kind) + after
    violation(*_sign(match, k, message), code, by=match.steps[k].author)


def test_drawing_before_the_share_has_come_is_out_of_turn() -> None:
    match, k, cheat, table = at(m.Share)
    drawer = match.cheat(1 - cheat.seat)
    violation(match, k, drawer.sign(table, m.DrawStock()), "out-of-turn", by=drawer.seat)


# --- 15, 16, 17: discards ----------------------------------------------------------------


def test_the_card_just_taken_cannot_be_discarded() -> None:
    match = one_hand()
    k = match.find(m.TakeUpcard) + 1
    match, k, cheat, table = before(match, k)
    taken = table.hand.taken
    raw = cheat.sign(table, cheat.discard(table, taken))
    violation(match, k, raw, "just-taken", by=cheat.seat)


def test_the_card_just_taken_cannot_be_discarded_with_a_knock() -> None:
    match, k, cheat, table = before(two_hands(), _taken(two_hands()))
    raw = cheat.sign(table, cheat.knock(table, [], int(table.hand.taken)))
    violation(match, k, raw, "just-taken", by=cheat.seat)


def _taken(match: RecordedMatch) -> int:
    return match.find(m.TakeUpcard) + 1


def test_the_card_just_taken_cannot_be_discarded_under_another_name() -> None:
    """Discard the card by its place, claiming that it is another card of the hand."""
    match, k, cheat, table = before(one_hand(), _taken(one_hand()))
    taken = int(table.hand.taken)
    other = next(card for card in cheat.hand(table) if card != taken)
    lie = cheat.discard(table, taken, claimed=other)
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_a_card_in_the_pile_cannot_be_discarded() -> None:
    match, k, cheat, table = at(m.Discard)
    assert table.hand.pile
    lie = cheat.discard(table, cheat.hand(table)[0], claimed=int(table.hand.pile[0]))
    violation(match, k, cheat.sign(table, lie), "card-not-held", by=cheat.seat)


def test_a_card_taken_by_the_other_player_cannot_be_discarded() -> None:
    match = two_hands()
    k = match.find(m.Discard, lambda step: bool(step.before.hand.known_held(1 - step.author)))
    match, k, cheat, table = before(match, k)
    card = int(cards_of(table.hand.known_held(1 - cheat.seat))[0])
    lie = cheat.discard(table, cheat.hand(table)[0], claimed=card)
    violation(match, k, cheat.sign(table, lie), "card-not-held", by=cheat.seat)


def test_a_hidden_card_that_is_not_held_cannot_be_discarded() -> None:
    """Nobody can see that the card isn't in the hand; only the proof can show it."""
    match, k, cheat, table = at(m.Discard)
    own = cheat.hand(table)
    theirs = match.cheat(1 - cheat.seat).hand(table)
    seen = {int(card) for card in table.hand.pile}
    stock = next(c for c in range(52) if c not in {*own, *theirs, *seen})
    for card in (theirs[0], stock):
        lie = cheat.discard(table, own[0], claimed=card)
        violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_a_discard_opens_to_one_value_only() -> None:
    match, k, cheat, table = at(m.Discard)
    own = cheat.hand(table)
    lie = cheat.discard(table, own[0], claimed=own[1])
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_a_discard_is_opened_at_its_own_place() -> None:
    """The opening is valid, but for another place: the pile and the hand would disagree."""
    match, k, cheat, table = at(m.Discard)
    honest = match.steps[k].message
    lie = replace(honest, position=(honest.position + 1) % 11)
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


@pytest.mark.parametrize("place", [11, 51])
def test_a_discard_comes_from_a_place_of_the_hand(place: int) -> None:
    match, k, cheat, table = at(m.Discard)
    lie = replace(match.steps[k].message, position=place)
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_a_discard_of_the_last_turn_cannot_be_repeated() -> None:
    match = one_hand()
    first = match.find(m.Discard)
    seat = match.steps[first].author
    k = match.find(m.Discard, lambda s: s.sequence > first and s.author == seat)
    violation(*_sign(match, k, match.steps[first].message), "card-not-held", by=seat)


# --- 17, 18, 19: knocks --------------------------------------------------------------------


def at_knock() -> tuple[Place, m.Knock]:
    place = at(m.Knock)
    return place, place[0].steps[place[1]].message


def test_a_knock_over_the_limit_is_refused() -> None:
    """At the first discard the hand is far from a knock: shown honestly, it counts too much."""
    match, k, cheat, table = at(m.Discard)
    thrown = cheat.hand(table)[0]
    raw = cheat.sign(table, cheat.knock(table, [], thrown))
    violation(match, k, raw, "knock-over-limit", by=cheat.seat)


def test_a_hand_that_cannot_knock_cannot_be_shown_as_one_that_can() -> None:
    """Claim that the same hand is a gin of three clean runs: the opening is invalid."""
    match, k, cheat, table = at(m.Discard)
    hidden = unseen(table)
    runs = [range(13 * suit + low, 13 * suit + low + 5) for suit in range(4) for low in (0, 6)]
    runs = [tuple(run) for run in runs if set(run) <= hidden][:2]
    discard = next(c for c in sorted(hidden) if c not in {*runs[0], *runs[1]})
    lie = cheat.knock(table, runs, discard, claimed=(*runs[0], *runs[1], discard))
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_one_card_shown_as_another_breaks_the_opening() -> None:
    """Claim that a costly card of deadwood is a cheaper one that nobody has seen."""
    (match, k, cheat, table), honest = at_knock()
    used = {card for meld in honest.melds for card in meld} | {honest.discard}
    loose = next(card for card in honest.cards if card not in used)
    hidden = sorted(unseen(table) - set(honest.cards), key=lambda card: CARDS[card].pips)
    assert CARDS[hidden[0]].pips <= CARDS[loose].pips
    shown = tuple(hidden[0] if card == loose else card for card in honest.cards)
    lie = cheat.knock(table, honest.melds, honest.discard, claimed=shown)
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_cards_shown_in_another_order_break_the_opening() -> None:
    (match, k, cheat, table), honest = at_knock()
    cards = (honest.cards[1], honest.cards[0], *honest.cards[2:])
    raw = cheat.sign(table, replace(honest, cards=cards))
    violation(match, k, raw, "bad-proof", by=cheat.seat)


# Cards that can't be a meld, claimed with cards that nobody has seen. The rules are checked before
# the proofs, so it doesn't matter that the cheat doesn't hold them.
NOT_MELDS = {
    "king-ace-two": "KcAc2c",
    "queen-king-ace": "QdKdAd",
    "mixed suits": "3c4d5c",
    "two of a kind": " ".join(f"{r}c{r}d" for r in "789TJQK"),
    "a run of two": "3h4h",
    "a gap": "3h4h6h",
    "a set with a stranger": " ".join(f"{r}c{r}d{r}hKs" for r in "A23456789TJQ"),
    "one card": "Ks",
}


def unseen(table: Table) -> set[int]:
    """Return the cards whose place isn't publicly known."""
    hand = table.hand
    seen = mask_of(hand.pile) | hand.known_held(0) | hand.known_held(1)
    if hand.knock is not None:
        seen |= hand.knock.cards
    return {int(card) for card in CARDS} - {int(card) for card in cards_of(seen)}


def of_unseen(cards: str, table: Table) -> list[int]:
    """Return the first of these card sets of which no card has been seen, perhaps after changing
    its suits."""
    suits = "cdhs"
    for text in cards.split():
        for turn in range(4):
            turned = str.maketrans(suits, suits[turn:] + suits[:turn])
            meld = [int(card) for card in cards_of(parse_set(text.translate(turned)))]
            if set(meld) <= unseen(table):
                return meld
    raise AssertionError("too much of the deck has been seen")


@pytest.mark.parametrize("name", NOT_MELDS)
def test_a_knock_with_an_invalid_meld_is_refused(name: str) -> None:
    match, k, cheat, table = at(m.Discard)
    meld = of_unseen(NOT_MELDS[name], table)
    rest = [card for card in cheat.hand(table) if card not in meld]
    shown = (*meld, *rest[: 11 - len(meld)])
    lie = cheat.knock(table, [tuple(meld)], shown[-1], claimed=shown)
    violation(match, k, cheat.sign(table, lie), "not-a-meld", by=cheat.seat)


STRANGERS = ("Ac2c3c", "JhQhKh", "4d5d6d", "8s9sTs")


def lies_of_a_knock(honest: m.Knock) -> list[tuple[str, dict[str, object]]]:
    """Return false values for fields of this knock, each with the code of its refusal."""
    cards, melds, meld = honest.cards, honest.melds, honest.melds[0]
    spare = next(card for card in range(52) if card not in cards)
    strange = map(numbers, STRANGERS)
    return [
        ("card-used-twice", {"melds": (*melds, meld)}),
        ("card-used-twice", {"discard": meld[0]}),
        ("wrong-hand", {"cards": (*cards[:-1], cards[0])}),
        ("wrong-hand", {"cards": (*cards, cards[0])}),
        *(("wrong-hand", {"cards": (*cards, spare)[:count]}) for count in (0, 10, 12)),
        *(
            ("card-not-held", {"melds": (*melds, each)})
            for each in strange
            if not set(each) & set(cards)
        ),
        ("card-not-held", {"discard": spare}),
        ("no-discard", {"discard": None}),
        ("unreadable-move", {"melds": (*melds, ())}),
        ("unreadable-move", {"melds": ((),) * 52}),
    ]


def test_a_knock_shows_each_card_of_the_hand_once_and_uses_it_once() -> None:
    (match, k, cheat, table), honest = at_knock()
    for code, lie in lies_of_a_knock(honest):
        violation(match, k, cheat.sign(table, replace(honest, **lie)), code, by=cheat.seat)


def test_a_card_that_was_seen_taken_must_be_shown() -> None:
    """The cheat took a costly upcard and shows a hand without that card."""
    match = one_hand()
    k = _taken(match)
    match, k, cheat, table = before(match, k)
    taken = int(table.hand.taken)
    own = cheat.hand(table)
    seen = {int(card) for card in table.hand.pile} | set(own)
    cheap = next(card for card in range(52) if card not in seen)
    shown = [cheap if card == taken else card for card in cheat.riffled(table)[1]]
    discard = next(card for card in own if card != taken)
    raw = cheat.sign(table, cheat.knock(table, [], discard, claimed=shown))
    violation(match, k, raw, "card-missing", by=cheat.seat)


# --- 20: spreads ---------------------------------------------------------------------------


def spread_of(match: RecordedMatch) -> tuple[Place, m.Spread]:
    k = max(step.sequence for step in match.steps if type(step.message) is m.Spread)
    return before(match, k), match.steps[k].message


def test_nothing_is_laid_off_against_gin() -> None:
    """Try the best lay-off: a card that fits one of the knocker's melds, if there is one."""
    (match, k, cheat, table), honest = spread_of(gin())
    assert table.hand.knock.deadwood == 0
    used = {card for meld in honest.melds for card in meld}
    for card in [card for card in honest.cards if card not in used][:3]:
        raw = cheat.sign(table, replace(honest, layoffs=(m.LayOff(card, 0),)))
        violation(match, k, raw, "layoff-on-gin", by=cheat.seat)


def test_a_layoff_fits_its_meld() -> None:
    (match, k, cheat, table), honest = spread_of(laid_off())
    used = {card for meld in honest.melds for card in meld} | {x.card for x in honest.layoffs}
    melds = table.hand.knock.melds
    for card in [card for card in honest.cards if card not in used][:4]:
        for index in range(len(melds)):
            lie = replace(honest, layoffs=(*honest.layoffs, m.LayOff(card, index)))
            violation(match, k, cheat.sign(table, lie), "layoff-does-not-fit", by=cheat.seat)
    nowhere = replace(honest, layoffs=(m.LayOff(honest.layoffs[0].card, len(melds)),))
    violation(match, k, cheat.sign(table, nowhere), "layoff-does-not-fit", by=cheat.seat)


def test_a_card_is_laid_off_once() -> None:
    (match, k, cheat, table), honest = spread_of(laid_off())
    raw = cheat.sign(table, replace(honest, layoffs=honest.layoffs * 2))
    violation(match, k, raw, "card-used-twice", by=cheat.seat)


def test_only_own_cards_are_laid_off() -> None:
    """Try a card that would fit but isn't the defender's: the knocker's own, or one that nobody
    holds."""
    (match, k, cheat, table), honest = spread_of(laid_off())
    knocker = [int(card) for card in cards_of(table.hand.knock.cards)]
    stranger = next(c for c in range(52) if c not in {*honest.cards, *knocker})
    for card in (knocker[0], stranger):
        raw = cheat.sign(table, replace(honest, layoffs=(m.LayOff(card, 0),)))
        violation(match, k, raw, "card-not-held", by=cheat.seat)


def test_the_defender_shows_its_own_cards() -> None:
    """Swapping a costly card for a cheaper hidden one makes the opening invalid. If the other card
    is in the pile or in the knocker's melds, the rules refuse it."""
    (match, k, cheat, table), honest = spread_of(one_hand())
    used = {card for meld in honest.melds for card in meld} | {x.card for x in honest.layoffs}
    loose = next(card for card in honest.cards if card not in used)
    seen = {*honest.cards, *map(int, table.hand.pile), *cards_of(table.hand.knock.cards)}
    hidden = next(card for card in range(52) if card not in seen)
    publicly_elsewhere = int(table.hand.pile[0]), int(cards_of(table.hand.knock.cards)[0])
    deck = table.deck.hands[cheat.seat]
    for card, code in ((hidden, "bad-proof"), *((c, "card-not-held") for c in publicly_elsewhere)):
        cards = tuple(card if c == loose else c for c in honest.cards)
        opening = cheat.opening(table, list(zip(deck, cards, strict=True)))
        raw = cheat.sign(table, replace(honest, cards=cards, opening=opening))
        violation(match, k, raw, code, by=cheat.seat)


@pytest.mark.parametrize("name", NOT_MELDS)
def test_the_defender_melds_by_the_same_rules(name: str) -> None:
    (match, k, cheat, table), honest = spread_of(tiny())
    meld = of_unseen(NOT_MELDS[name], table)
    rest = [card for card in honest.cards if card not in meld]
    shown = (*meld, *rest[: 10 - len(meld)])
    lie = m.Spread(shown, (tuple(meld),), (), honest.opening)
    violation(match, k, cheat.sign(table, lie), "not-a-meld", by=cheat.seat)


@pytest.mark.parametrize("count", [0, 9, 11])
def test_the_defender_shows_ten_cards(count: int) -> None:
    (match, k, cheat, table), honest = spread_of(one_hand())
    spare = next(card for card in range(52) if card not in honest.cards)
    lie = m.Spread((*honest.cards, spare)[:count], (), (), honest.opening)
    violation(match, k, cheat.sign(table, lie), "wrong-hand", by=cheat.seat)


def test_the_defender_may_meld_less_than_possible() -> None:
    """This isn't an attack: defenders need not meld, and only lose points by not doing so."""
    (match, k, cheat, table), honest = spread_of(laid_off())
    referee = match.referee_at(k)
    admitted = referee.admit(cheat.sign(table, replace(honest, melds=(), layoffs=())))
    mine = admitted.after.match.results[-1]
    assert mine.defender_deadwood == sum(CARDS[card].pips for card in honest.cards)


# --- 19, 26: scores --------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    "change",
    [
        {"hands": 7},
        {"host_total": 1_000_000},
        {"guest_total": 1_000_000},
        {"host_total": 0},
        {"guest_total": 0},
        {"winner": m.Winner.NOBODY},
        {"winner": "loser"},
        {"host_total": "guest_total", "guest_total": "host_total", "winner": "loser"},
    ],
)
def test_the_signed_score_is_what_the_hands_add_up_to(seat: int, change: dict) -> None:
    match = two_hands()
    k = match.find(m.Settle, lambda step: step.author == seat)
    match, k, cheat, table = before(match, k)
    honest = match.steps[k].message
    fields = {
        name: m.Winner(1 - honest.winner)
        if value == "loser"
        else getattr(honest, value)
        if isinstance(value, str)
        else value
        for name, value in change.items()
    }
    lie = replace(honest, **fields)
    assert lie != honest
    violation(match, k, cheat.sign(table, lie), "wrong-score", by=seat)


def test_nothing_is_settled_before_the_end() -> None:
    match = two_hands()
    k = match.find(m.Discard)
    settle = match.steps[match.find(m.Settle)].message
    violation(*_sign(match, k, settle), "not-allowed-now", by=match.steps[k].author)


def test_a_knock_is_never_forced() -> None:
    """A player who could knock may discard instead."""
    (match, k, cheat, table), honest = at_knock()
    referee = match.referee_at(k)
    referee.admit(cheat.sign(table, cheat.discard(table, honest.discard)))
    assert referee.table.awaiting is Awaiting.DRAW


def test_these_matches_have_the_knocks_that_the_tests_assume() -> None:
    """In these matches, knocks are within the limit and no card occurs twice."""
    for match in (one_hand(), two_hands(), gin(), laid_off()):
        steps = [step for step in match.steps if type(step.message) is m.Knock]
        assert steps
        for step in steps:
            assert _within_limit(step)


def _within_limit(step: Admitted) -> bool:
    knock = step.message
    kept = mask_of(card for card in knock.cards if card != knock.discard)
    return len(set(knock.cards)) == 11 and ORDINARY.deadwood(kept) <= 10
