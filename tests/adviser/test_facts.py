"""What a seat remembers about its opponent, and the numbers behind a choice, which a player can
count at the table."""

from ginpeer.adviser.advise import DiscardFacts, KnockFacts, TakeFacts, explain
from ginpeer.adviser.observation import NO_CARD, observe
from ginpeer.rules import (
    DECK,
    STANDARD,
    Discard,
    Knock,
    Match,
    TakeUpcard,
    View,
    cards_of,
    parse_card,
    parse_result,
    set_text,
)
from tests.rules.drawing import deal, drawn, played

#  7c 7d 7h   3s 4s 5s   9h 8d Qd 2h
MINE, OTHER = "7c 7d 7h  3s 4s 5s  9h 8d Qd 2h", "Ac 2c 4d 6d 8h Th Js Ks Qc 5c"


def facts(hand, move):
    return explain(View(hand.to_move, hand, Match.begin(STANDARD, 1)), move)


def thrown(hand, card):
    found = facts(hand, Discard(parse_card(card)))
    assert isinstance(found, DiscardFacts)
    return found


def after_two_nines():
    """Return a hand in which the opponent took 9d and 9s and discarded a queen and a king. Jc was
    just drawn."""
    hand = deal(1, MINE, OTHER, "Kh")
    hand = played(hand, "pass", "pass", "draw 9d", "discard 9d", "take", "discard Qc")
    hand = played(hand, "draw 9s", "discard 9s", "take", "discard Ks")
    return played(hand, "draw Jc")


def test_discarding_a_card_of_a_meld_breaks_it_but_a_loose_one_does_not():
    hand = after_two_nines()
    assert thrown(hand, "2h").broken == 0
    assert thrown(hand, "Qd").broken == 0
    assert thrown(hand, "4s").broken == 8  # 3s and 5s are left
    assert thrown(hand, "Qd").deadwood == 9 + 8 + 2 + 10


def test_the_opponents_takes_and_discards_show_what_it_wants_and_shuns():
    hand = after_two_nines()
    nine = thrown(hand, "9h")
    assert set_text(nine.wants) == "9d9s"
    assert nine.sure == (drawn("9d 9s"),)
    assert nine.sure[0] in nine.melds
    queen = thrown(hand, "Qd")
    assert set_text(queen.shuns) == "Qc"
    assert not queen.sure
    assert set_text(thrown(hand, "8d").near) == "7d"


def test_a_card_that_the_opponent_took_wants_none_that_it_can_no_longer_meld_with():
    hand = played(deal(1, MINE, OTHER, "Kh"), "pass", "pass", "draw 5d", "discard 5d", "take")
    assert set_text(thrown(played(hand, "discard Ks", "draw Jc"), "7d").wants) == "5d"
    assert not thrown(played(hand, "discard 6d", "draw Jc"), "7d").wants  # 6d is covered


def test_the_draws_that_help_are_counted():
    hand = after_two_nines()
    after, ways = thrown(hand, "Qd").after, hand.melding
    kept = drawn("7c 7d 7h 3s 4s 5s 9h 8d 2h Jc")
    unseen = cards_of(DECK & ~(kept | drawn("Kh Qc Ks Qd 9d 9s")))
    left = {card: ways.deadwood_after_discard(kept | card.bit) for card in unseen}
    now = 9 + 8 + 2 + 10
    better = [card for card in unseen if left[card] < now]
    # A seven or a card at the end of a run replaces the worst card and is melded. A low card only
    # replaces it.
    seven, six, ace, king = map(parse_card, ("7s", "6s", "As", "Kd"))
    assert {seven, six, ace} <= {*better}
    assert king not in better
    melds = [card for card in better if ways.deadwood(kept | card.bit) < now + ways.pips(card.bit)]
    assert {seven, six} <= {*melds}
    assert ace not in melds
    assert (after.unseen, after.gin) == (len(unseen), 0) == (52 - 10 - 4 - 2, 0)
    assert (after.better, after.melds) == (len(better), len(melds))
    assert after.knock == sum(pips <= 10 for pips in left.values())


def test_the_facts_of_a_knock_give_its_deadwood_and_possible_layoffs():
    hand = deal(1, "7c 7d 7h  3s 4s 5s  9c Tc Jc 2h", OTHER.replace("Ac", "Ad"), "As")
    hand = played(hand, "pass", "pass", "draw Kd")
    knock = next(
        move
        for move in hand.sensible_moves()
        if isinstance(move, Knock) and move.discard == parse_card("Kd")
    )
    found = facts(hand, knock)
    assert isinstance(found, KnockFacts)
    assert (found.deadwood, found.limit, found.gin) == (2, 10, False)
    assert set_text(found.layoffs) == "8cQc2s6s7s"
    assert 0 <= found.undercut <= 100


def test_the_facts_of_taking_give_the_melds_and_the_next_discard():
    hand = deal(1, "7c 7d 3s 4s  Kd Qh 9c Jc 2h 8s", OTHER, "7h")
    found = facts(hand, TakeUpcard())
    assert isinstance(found, TakeFacts)
    assert set_text(found.melds) == "7c7d"
    assert found.before == 7 + 7 + 3 + 4 + 10 + 10 + 9 + 10 + 2 + 8
    assert found.throw is not None
    assert found.deadwood == found.before - 14 - min(found.throw.pips, 10)
    assert not found.knocks


# --- what a seat remembers --------------------------------------------------------------


def seen(*moves):
    hand = played(deal(1, MINE, OTHER, "Kh"), *moves)
    return observe(View(0, hand, Match.begin(STANDARD, 1)))


def test_the_opponents_latest_discards_are_seen_in_order():
    first = ("pass", "pass", "draw 9c", "discard Qd", "draw Td", "discard Ks")
    assert (seen("pass").last, seen("pass").before) == (NO_CARD, NO_CARD)
    once = seen(*first)
    assert (once.last, once.before, once.earlier) == (parse_card("Ks"), NO_CARD, NO_CARD)
    then = ("draw Ad", "discard 9c", "draw 3c", "discard Js", "draw As", "discard Ad")
    thrice = seen(*first, *then, "draw 6c", "discard Th")
    assert [thrice.last, thrice.before, thrice.earlier] == [
        parse_card(card) for card in ("Th", "Js", "Ks")
    ]


def test_the_opponents_draws_are_counted_since_it_took_a_card():
    first = ("pass", "pass", "draw 9c", "discard Qd", "draw Td", "discard Ks")
    assert (seen(*first).takes, seen(*first).since) == (0, 1)
    taken = (*first, "draw Ad", "discard 2h", "take", "discard Js")
    assert (seen(*taken).takes, seen(*taken).since) == (1, 0)
    later = (*taken, "draw As", "discard Ad", "draw 6c", "discard Th")
    assert (seen(*later).takes, seen(*later).since) == (1, 1)


def how_it_played(*results):
    match = Match.begin(STANDARD, 1)
    for text in results:
        match = match.record(parse_result(text))
    found = observe(View(0, deal(match.dealer, MINE, OTHER, "Kh"), match))
    return found.waited, found.knocks


def test_an_opponent_with_gin_or_little_deadwood_counts_as_waiting():
    assert how_it_played() == (0, 0)
    assert how_it_played("gin: seat 1 knocked with 0 against 9, 34 to seat 1") == (1, 0)
    assert how_it_played("knock: seat 0 knocked with 4 against 10, 6 to seat 0") == (1, 0)
    assert how_it_played("undercut: seat 0 knocked with 4 against 4, 25 to seat 1") == (1, 0)
    assert how_it_played("gin: seat 0 knocked with 0 against 10, 35 to seat 0") == (1, 0)


def test_an_opponent_with_much_deadwood_or_a_knock_did_not_wait():
    assert how_it_played("knock: seat 0 knocked with 4 against 11, 7 to seat 0") == (0, 0)
    assert how_it_played("knock: seat 1 knocked with 4 against 7, 3 to seat 1") == (0, 1)
    assert how_it_played("void") == (0, 0)
