"""The narration of a match: in sentences, and as lines for programs."""

from dataclasses import replace
from itertools import pairwise

import pytest

from cli.text.cards import Style
from cli.text.event_lines import event_lines, quoted
from cli.text.narration import narrate
from ginpeer.referee.referee import Admitted, judge, result_of
from ginpeer.referee.table import Table
from ginpeer.referee.transitions import final_score
from ginpeer.rules import (
    HandResult,
    Match,
    Outcome,
    cards_of,
    parse_card,
    parse_move,
    parse_ruleset,
    popcount,
)
from protocol import messages as m
from tests.cli.table.script import EVENT
from tests.matches.recorded import recorded
from tests.rules.drawing import deal, played, second_deck_deal
from tests.rules.played import GUEST, HOST, VOID, knock, mahjong, match_of

STYLE = Style()


@pytest.fixture(scope="module")
def match():
    """Return the events of a recorded match."""
    events = []
    judge(recorded().entries, events.append)
    return events


def test_lines_for_programs_have_one_shape_and_are_plain_ascii(match):
    lines = [line for event in match for line in event_lines(event)]
    assert all(EVENT.fullmatch(line) and line.isascii() for line in lines)
    kinds = [line.split()[1] for line in lines]
    assert kinds[:2] == ["offer", "accept"]
    assert kinds[2] in ("cut", "first-dealer")
    assert kinds[3:5] == ["shuffle", "deal"]
    assert kinds[-4:] == ["settle", "settle", "disclose", "disclose"]
    assert all(
        a in ("knock", "discard", "spread", "pass") for a, b in pairwise(kinds) if b == "result"
    )


def test_free_text_cannot_leave_its_quotes_or_its_line():
    text = quoted('" seat=guest\n\x1b[2J é \u202e')
    line = f"event chat seat=host text={text}"
    assert line == 'event chat seat=host text="\\" seat=guest \\ufffd[2J \\u00e9 \\ufffd"'
    assert EVENT.fullmatch(line)


def ended_by(match, before, result):
    """Return the event of a hand's end in the recorded match, moved to another match that stood at
    *before*."""
    event = next(event for event in match if result_of(event) is not None)
    return replace(
        event,
        before=replace(event.before, match=before),
        after=replace(event.after, match=before.record(result)),
    )


@pytest.mark.parametrize(
    ("rules", "results", "last", "words"),
    [
        (
            "oklahoma",
            [],
            HandResult(Outcome.GIN, GUEST, 80, GUEST, 0, 15, doubled=True),
            "winner=guest points=80 host=0 guest=80 other=0 doubled=yes game=1 columns=0:80 "
            "ends=hand",
        ),
        (
            "mahjong target=100",
            [],
            mahjong(HOST, 110, -5),
            "winner=host points=110 host=110 guest=-5 other=-5 doubled=no game=1 columns=110:-5 "
            "ends=match",
        ),
        (
            "hollywood",
            [knock(HOST, 40)],
            knock(HOST, 70),
            "winner=host points=70 host=110 guest=0 other=0 doubled=no game=1 "
            "columns=110:0,70:0,0:0 ends=hand",
        ),
        (
            "standard best-of=3",
            [knock(HOST, 100), knock(HOST, 9)],
            knock(GUEST, 100),  # this hand's points end a game
            "winner=guest points=100 host=9 guest=100 other=0 doubled=no game=2 columns=9:100 "
            "ends=game",
        ),
        (
            "standard best-of=3",
            [knock(HOST, 100)],
            VOID,
            "winner=none points=0 host=0 guest=0 other=0 doubled=no game=2 columns=0:0 ends=hand",
        ),
    ],
)
def test_the_result_line_has_games_and_columns(match, rules, results, last, words):
    event = ended_by(match, match_of(*results, rules=rules), last)
    line = event_lines(event)[-1]
    kind = last.kind.value.replace(" ", "-")
    assert line == f"event result hand={event.before.hand_number} kind={kind} {words}"
    assert EVENT.fullmatch(line)


def test_the_hand_that_ends_a_game_tells_who_won_it(match, transcript):
    event = ended_by(match, match_of(rules="standard best-of=3"), knock(HOST, 100))
    transcript(narrate(event, STYLE)[-2:])


@pytest.mark.parametrize(
    ("rules", "results", "words"),
    [
        ("standard stake=3", [knock(HOST, 100)], "games=1:0 pays=guest payment=975"),
        ("standard", [knock(HOST, 100)], "games=1:0 pays=none payment=0"),
        ("standard hands=1", [VOID], "games=0:0 pays=none payment=0"),
        (
            "standard best-of=3 stake=1",
            [knock(HOST, 100), *[knock(HOST, 9)] * 11, knock(GUEST, 100), knock(GUEST, 100)],
            "games=1:2 pays=guest payment=149",  # the winner pays for the loser's boxes
        ),
    ],
)
def test_the_settle_line_says_who_pays(match, rules, results, words):
    settle = next(event for event in match if isinstance(event.message, m.Settle))
    table = replace(settle.after, match=match_of(*results, rules=rules))
    event = replace(settle, message=final_score(table), before=table, after=table)
    (line,) = event_lines(event)
    assert line.startswith("event settle seat=host winner=")
    assert line.endswith(f" {words}")
    assert EVENT.fullmatch(line)


# --- variants: lays, the last discard, knock cards, and an agreed dealer -------------------


MAHJONG = parse_ruleset("mahjong")


def entry(message, before, after, author=0):
    """Return the event of an entry that changed a hand from *before* to *after*, in a match of
    which nothing else is known."""
    match = Match.begin(before.rules, before.dealer)
    return Admitted(
        9, author, message, Table(match=match, hand=before), Table(match=match, hand=after)
    )


def lay_message(lay):
    return m.Lay(
        b"",
        b"",
        tuple(range(popcount(lay.cards))),
        tuple(map(int, cards_of(lay.cards))),
        tuple(tuple(map(int, cards_of(meld))) for meld in lay.melds),
        tuple(m.LayOff(int(card), at) for card, at in lay.adds),
        b"",
    )


def hands_around(hand, text):
    """Return the hand before and after a move."""
    return hand, hand.apply(parse_move(text))


def taking():
    """Return a hand with 9s and Ts, and a pile in which 8s lies below Jh and 4h."""
    cards, other = "9s Ts  2c 2d 2h  5c 6h Jh Kd Ks", "3c 4c 5d 7c 7h 7d 9d 4h Ac Ah"
    hand = deal(1, cards, other, "8s", MAHJONG)
    return played(hand, "pass", "pass", "draw 3h", "discard Jh", "draw 3d", "discard 4h")


def shown(event, seat=None):
    """Return the lines that a player reads about an entry, and those for programs."""
    return narrate(event, STYLE, seat), event_lines(event)


def test_several_taken_discards_are_listed_from_the_top_with_the_meld_laid(transcript):
    text = "take 3 lay 8s9sTs"
    lay = lay_message(parse_move(text).lay)
    event = entry(m.TakeDiscards(3, lay), *hands_around(taking(), text))
    transcript(shown(event, 0), narrate(event, STYLE, 1))


def test_cards_added_to_a_meld_are_shown_with_the_whole_meld(transcript):
    hand = played(taking(), "take 3 lay 8s9sTs", "discard Kd", "draw Js", "lay add Js@0")
    before = played(hand, "discard 3c", "draw 7s")
    text = "lay 2c2d2h add 7s@0"
    event = entry(lay_message(parse_move(text)), *hands_around(before, text))
    transcript(shown(event))


def going_gin(last):
    """Return a hand in which the dealer has ten cards in melds and has just drawn *last*."""
    dealers = "3c 3d 3s 4c 4d 4h 4s 5d 5h 5s"
    hand = deal(1, "9s Ts 8c 5c 6h Jh Kd Ks 2c 2d", dealers, "8s", MAHJONG)
    return played(hand, "pass", "pass", "draw 3h", "discard 2c", f"draw {last}")


def test_gin_is_narrated_whether_the_last_card_is_discarded_or_laid(transcript):
    hand = played(going_gin("Ac"), "lay 3c3d3s 4c4d4h4s 5d5h5s")
    thrown = m.Discard(b"", b"", 0, int(parse_card("Ac")), b"")
    discarded = entry(thrown, *hands_around(hand, "discard Ac"), author=1)
    hand = played(going_gin("6d"), "lay 3c3d3s 4c4d4h4s", "discard 6d")
    hand = played(hand, "draw 7c", "discard 5c", "take")
    text = "lay 5c5d5h5s"
    event = entry(lay_message(parse_move(text)), *hands_around(hand, text), author=1)
    transcript(shown(discarded, 1), shown(event, 1))


def test_remaining_cards_are_shown_with_their_count(transcript):
    hand = played(going_gin("Ac"), "lay 3c3d3s 4c4d4h4s 5d5h5s", "discard Ac")
    cards = tuple(map(int, cards_of(hand.hand_of(0))))
    event = entry(m.Spread(cards, (), (), b""), hand, hand)
    transcript(shown(event, 0))


def dealt(rules, upcard):
    return deal(1, "3c 4c 5c 7c 7h 7s Ks 4d 2d Ah", "6c 8s 9s Qd Qh Jc Js Td Tc Kd", upcard, rules)


def test_the_deal_says_what_the_upcard_means(transcript):
    cases = """
        standard 6d, oklahoma 4s, oklahoma Ad, oklahoma-floating 6d, straight 6d, mahjong 6d,
        standard knock-limit=5 6d, mahjong spades-double=yes 6s, standard spades-double=yes 6s,
        standard spades-double=yes 6d, straight spades-double=yes 6s,
        oklahoma-floating spades-double=yes 6s
    """
    told = []
    for rules, _, upcard in (case.strip().rpartition(" ") for case in cases.split(",")):
        hand = dealt(parse_ruleset(rules), upcard)
        event = entry(m.DealShares(b"", b""), hand, hand)
        told += [f"{rules}: {line}" for line in narrate(event, STYLE)]
    transcript(told)


def test_a_knock_card_is_narrated_with_who_draws_first(transcript):
    rules = parse_ruleset("oklahoma knock-limit=second-deck")
    cards, other = "3c 4c 5c 7c 7h 7s Ks 4d 2d Ah", "6c 8s 9s Qd Qh Jc Js Td Tc Kd"
    hand = second_deck_deal(1, cards, other, "4s", 0, rules)
    transcript(shown(entry(m.DealShares(b"", b""), hand, hand, author=1), 0))


def test_the_last_discard_and_its_fate_are_narrated(transcript):
    hand = dealt(parse_ruleset("standard wall=last-discard"), "6d")
    hand = played(hand, "pass", "pass")._replace(stock_left=3).drawing(parse_card("9h"))
    thrown = m.Discard(b"", b"", 0, int(parse_card("9h")), b"")
    event = entry(thrown, *hands_around(hand, "discard 9h"))
    last = played(hand, "discard 9h")
    taken = entry(m.TakeUpcard(), *hands_around(last, "take"), author=1)
    passed = entry(m.Pass(), *hands_around(last, "pass"), author=1)
    transcript(shown(event, 1), shown(taken), shown(passed))
    assert narrate(taken, STYLE, 0, brief=True) == narrate(taken, STYLE, 0)


def test_an_agreed_dealer_is_narrated_instead_of_a_cut(transcript):
    rules = parse_ruleset("standard first-dealer=guest")
    before, after = Table(), Table(match=Match.begin(rules, 1))
    event = Admitted(1, 1, m.Accept(bytes(32), "Ben", str(rules), bytes(32)), before, after)
    transcript(shown(event, 1))
