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
from ginpeer.rules import HandResult, Outcome, parse_card, parse_ruleset
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


def told(match, seat=None):
    return [line for event in match for line in narrate(event, STYLE, seat)]


@pytest.mark.deep(keep=2)
def test_every_line_consists_of_whole_sentences_without_layout(match):
    for line in told(match):
        assert re.fullmatch(r"[A-Z].*[.:]", line)
        assert "  " not in line
        assert line.isprintable()


def test_a_reader_without_a_seat_reads_names_only(match):
    text = "\n".join(told(match))
    assert "Ada" in text
    assert "Ben" in text
    assert not re.search(r"\b(You|you)\b", text)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_is_addressed_as_you(match, seat):
    text = "\n".join(told(match, seat))
    assert ("Ada", "Ben")[seat] not in text
    assert "You draw" in text or "You take" in text
    assert f"{('Ben', 'Ada')[seat]} discards" in text


def test_nothing_about_a_hidden_card_is_shown(match):
    for event in match:
        if isinstance(event.message, m.DrawStock | m.Share):
            assert not re.search(r"\b([A2-9JQK]|10)[cdhs]\b", " ".join(narrate(event, STYLE)))


def test_a_known_draw_is_narrated_with_its_share(match):
    share = next(event for event in match if isinstance(event.message, m.Share))
    taker = ("Ada", "Ben")[1 - share.author]
    assert narrate(share, STYLE, None, parse_card("7d")) == [f"{taker} draws 7d from the stock."]
    assert narrate(share, STYLE) == []


def test_the_final_account_is_narrated_once(match):
    assert sum("the match," in line for line in told(match)) == 1


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


def test_the_result_line_carries_the_points_so_far(match):
    lines = [line for event in match for line in event_lines(event)]
    results = [dict(re.findall(r"(\S+)=(\S+)", line)) for line in lines if " result " in line]
    totals = {"host": 0, "guest": 0}
    for result in results:
        if result["winner"] != "none":
            totals[result["winner"]] += int(result["points"])
            loser = "guest" if result["winner"] == "host" else "host"
            totals[loser] += int(result["other"])
        assert {seat: int(result[seat]) for seat in totals} == totals


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
