"""What a seat remembers of its opponent's actions."""

from ginpeer.adviser.observation import NO_CARD, observe
from ginpeer.rules import STANDARD, Match, View, parse_card, parse_result
from tests.rules.drawing import deal, played

MINE, OTHER = "7c 7d 7h  3s 4s 5s  9h 8d Qd 2h", "Ac 2c 4d 6d 8h Th Js Ks Qc 5c"


def seen(*moves):
    hand = played(deal(1, MINE, OTHER, "Kh"), *moves)
    return observe(View(0, hand, Match.begin(STANDARD, 1)))


def test_the_latest_discards_of_the_other_are_seen_in_their_order():
    first = ("pass", "pass", "draw 9c", "discard Qd", "draw Td", "discard Ks")
    assert (seen("pass").last, seen("pass").before) == (NO_CARD, NO_CARD)
    once = seen(*first)
    assert (once.last, once.before, once.earlier) == (parse_card("Ks"), NO_CARD, NO_CARD)
    then = ("draw Ad", "discard 9c", "draw 3c", "discard Js", "draw As", "discard Ad")
    thrice = seen(*first, *then, "draw 6c", "discard Th")
    assert [thrice.last, thrice.before, thrice.earlier] == [
        parse_card(card) for card in ("Th", "Js", "Ks")
    ]


def test_the_other_s_draws_count_since_it_took_a_card():
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


def test_who_goes_gin_or_holds_little_when_the_other_knocks_has_waited():
    assert how_it_played() == (0, 0)
    assert how_it_played("gin: seat 1 knocked with 0 against 9, 34 to seat 1") == (1, 0)
    assert how_it_played("knock: seat 0 knocked with 4 against 10, 6 to seat 0") == (1, 0)
    assert how_it_played("undercut: seat 0 knocked with 4 against 4, 25 to seat 1") == (1, 0)
    assert how_it_played("gin: seat 0 knocked with 0 against 10, 35 to seat 0") == (1, 0)


def test_who_holds_much_or_knocks_has_not_waited():
    assert how_it_played("knock: seat 0 knocked with 4 against 11, 7 to seat 0") == (0, 0)
    assert how_it_played("knock: seat 1 knocked with 4 against 7, 3 to seat 1") == (0, 1)
    assert how_it_played("void") == (0, 0)
