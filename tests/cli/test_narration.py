"""A match as it is told: complete, from any seat, and line by line for programs."""

import re
from itertools import pairwise

import pytest

from cli.narration import event_line, event_lines, narrate, quoted
from cli.text import Style
from ginpeer.bot import choose
from ginpeer.referee.referee import Admitted
from ginpeer.rules import parse_card, parse_ruleset
from protocol import messages as m
from tests.peer.table_pair import TablePair

STYLE = Style()
EVENT = re.compile(r'event [a-z-]+( [a-z-]+=([^ "]+|"([^"\\]|\\.)*"))*')


@pytest.fixture(scope="module")
def match():
    pair = TablePair("narration", parse_ruleset("standard target=40")).play(choose)
    assert all(isinstance(event, Admitted) for event in pair.host.shown)
    return pair.host.shown


def told(match, seat=None):
    return [line for event in match for line in narrate(event, STYLE, seat)]


def test_every_line_is_one_sentence_or_more_without_layout(match):
    for line in told(match):
        assert re.fullmatch(r"[A-Z].*[.:]", line)
        assert "  " not in line
        assert line.isprintable()


def test_a_reader_without_a_seat_hears_names_only(match):
    text = "\n".join(told(match))
    assert "Ada" in text
    assert "Ben" in text
    assert not re.search(r"\b(You|you)\b", text)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_is_spoken_to(match, seat):
    text = "\n".join(told(match, seat))
    assert ("Ada", "Ben")[seat] not in text
    assert "You discard" in text
    assert f"{('Ben', 'Ada')[seat]} discards" in text


def test_nothing_of_a_hidden_card_is_told(match):
    for event in match:
        if isinstance(event.message, m.DrawStock | m.Share):
            assert not re.search(r"\b([A2-9JQK]|10)[cdhs]\b", " ".join(narrate(event, STYLE)))


def test_a_known_draw_is_told_at_the_share(match):
    share = next(event for event in match if isinstance(event.message, m.Share))
    taker = ("Ada", "Ben")[1 - share.author]
    assert narrate(share, STYLE, None, parse_card("7d")) == [f"{taker} draws 7d from the stock."]
    assert narrate(share, STYLE) == []


def test_the_account_is_told_once(match):
    assert sum("the match," in line for line in told(match)) == 1


def test_lines_for_programs_have_one_shape_and_are_plain_ascii(match):
    lines = [line for event in match for line in event_lines(event)]
    assert all(EVENT.fullmatch(line) and line.isascii() for line in lines)
    kinds = [line.split()[1] for line in lines]
    assert kinds[:5] == ["offer", "accept", "cut", "shuffle", "deal"]
    assert kinds[-4:] == ["settle", "settle", "disclose", "disclose"]
    assert all(a in ("knock", "discard", "spread") for a, b in pairwise(kinds) if b == "result")


def test_free_text_cannot_leave_its_quotes_or_its_line():
    line = event_line("chat", seat="host", text=quoted('" seat=guest\n\x1b[2J é \u202e'))
    assert line == 'event chat seat=host text="\\" seat=guest \\ufffd[2J \\u00e9 \\ufffd"'
    assert EVENT.fullmatch(line)


def test_the_result_line_carries_the_points_so_far(match):
    lines = [line for event in match for line in event_lines(event)]
    results = [dict(re.findall(r"(\S+)=(\S+)", line)) for line in lines if " result " in line]
    totals = {"host": 0, "guest": 0}
    for result in results:
        if result["winner"] != "none":
            totals[result["winner"]] += int(result["points"])
        assert {seat: int(result[seat]) for seat in totals} == totals
