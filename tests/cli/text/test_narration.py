"""The narration of a match: complete, from either seat, and as lines for programs."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from cli.text.cards import Style
from cli.text.event_lines import event_lines, quoted
from cli.text.narration import narrate
from ginpeer.adviser import choose
from ginpeer.referee.referee import Admitted, result_of
from ginpeer.referee.transitions import final_score
from ginpeer.rules import HandResult, Outcome, parse_ruleset
from protocol import messages as m
from tests.matches.table_pair import TablePair
from tests.rules.played import GUEST, HOST, VOID, knock, mahjong, match_of
from tests.toy_group import toy_group

STYLE = Style()
EVENT = re.compile(r'event [a-z-]+( [a-z-]+=([^ "]+|"([^"\\]|\\.)*"))*')


@pytest.fixture(
    scope="module",
    params=[
        "standard target=40",
        "mahjong target=1",
        "tedesco target=10 first-dealer=guest wall=last-discard",
        "oklahoma knock-limit=second-deck target=10",
    ],
)
def match(request):
    with toy_group():  # the real group takes three times as long
        pair = TablePair("narration", parse_ruleset(request.param)).play(choose)
    assert all(isinstance(event, Admitted) for event in pair.host.shown)
    return pair.host.shown


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
    """Return a real entry that ended a hand, moved to another match."""
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
            knock(GUEST, 100),  # the points of the game that it ends
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
            "games=1:2 pays=guest payment=149",  # the winner pays, for the loser's boxes
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
