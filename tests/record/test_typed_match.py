"""A typed match as a record: you can step through it like a log, but it proves nothing."""

import json

import pytest

from ginpeer.analysis.decisions import analyse
from ginpeer.notation import write_sheet
from ginpeer.notation.sheet import Play
from ginpeer.record import Degree, Finding, Record, UnreadableLog, sheet_of, steps_document
from ginpeer.referee.table import message_for_move, move_of
from ginpeer.rules import Unreadable, parse_card, parse_move
from tests.json_schema import faults
from tests.notation.played import played
from tests.notation.test_reading import TYPED
from tests.notation.test_round_trip import RULES
from tests.refusals import code_of

NAMES = '[Gin "1"]\n[Host "Ada"]\n[Guest "Ben\\u{1b}[2J"]\n'


@pytest.fixture
def record():
    return Record.read((NAMES + TYPED).encode())


def test_a_typed_match_proves_nothing(record):
    verdict = record.verdict
    assert (verdict.finding, verdict.code, verdict.entries) == (Finding.UNREADABLE, "unproven", 0)
    assert verdict.sentence == (
        "<bytes> was typed and isn't signed, so there is nothing to verify."
    )
    assert record.typed is not None
    assert record.winner is None
    assert [player.key for player in record.players] == [None, None]
    document = record.document()
    assert (document["verdict"], document["code"]) == ("unreadable", "unproven")
    assert document["rules"] == "standard"


def test_typed_names_are_made_harmless(record):
    assert list(map(str, record.players)) == ["Ada", "Ben\ufffd[2J"]
    assert list(map(str, Record.read(b'[Gin "1"]\n' + TYPED.encode()).players)) == ["host", "guest"]


def test_a_notation_is_recognised_by_file_name_or_first_tag(tmp_path):
    named = tmp_path / "MATCH.GIN"
    named.write_text(TYPED)
    other = tmp_path / "match.txt"
    other.write_bytes(b"\xef\xbb\xbf" + NAMES.lower().encode() + TYPED.encode())
    assert len(Record.read(named).hands) == len(Record.read(other).hands) == 1
    plain = tmp_path / "match.log"
    plain.write_text(TYPED)
    assert code_of(UnreadableLog, Record.read, plain) == "not-a-log"


def test_a_line_against_the_rules_is_refused_with_its_number():
    with pytest.raises(UnreadableLog) as caught:
        Record.read((NAMES + TYPED.replace("-10c", "-2s")).encode())
    assert caught.value.code == "card-not-held"
    assert caught.value.sentence == "<bytes>: Line 9: The host doesn't have 2s."


def test_the_cards_are_those_that_were_typed(record):
    (hand,) = record.hands
    assert [hand.degree(seat) for seat in (0, 1)] == [Degree.TYPED] * 2
    draw = next(step for step in hand.steps if step.drawn is not None)
    assert (draw.drawn, draw.author, draw.degree(1)) == (parse_card("8c"), 1, Degree.TYPED)
    one = record.seen_by(0)
    assert one.degree(1, 1) is Degree.PUBLIC
    assert one.hands[0].steps[2].hand(1) is None
    assert one.hands[0].steps[2].hand(0) is not None
    with pytest.raises(LookupError):
        record.degree(2, 0)
    with pytest.raises(Unreadable):
        record.known_cards.cards(record.table, 2)


def test_an_unknown_draw_hides_the_hand_until_it_is_shown():
    record = Record.read((NAMES + TYPED.replace("d8c", "d ?")).encode())
    (hand,) = record.hands
    shown = [step.hand(1) is not None for step in hand.steps if step.move is not None]
    at = next(
        n for n, step in enumerate(s for s in hand.steps if s.move) if str(step.move) == "draw"
    )
    assert shown == [True] * at + [False] * (len(shown) - at - 1) + [True]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.deep(keep=5)
def test_each_position_of_a_typed_match_is_that_of_its_sheet(rules):
    sheet = played(rules, 21, hands=2, tags=(("Rules", rules),))
    record = Record.read(write_sheet(sheet).encode())
    assert sheet_of(record).hands == sheet.hands
    assert record.match == sheet.match
    for ours, hand in zip(record.hands, sheet.hands, strict=True):
        assert ours.moves == tuple((made.seat, made.move) for made in hand.made)
        steps = [step for step in ours.steps if step.move is not None]
        play = Play(hand.dealt, hand.cards)
        for step, made in zip(steps, hand.made, strict=True):
            play.make(made.move, made.card)
            assert step.after._replace(moves=()) == play.hand._replace(moves=())
        for step in ours.steps:
            assert repr(step)


def test_there_is_no_position_before_the_first_deal_of_a_typed_match(record):
    first = record.hands[0].steps[0]
    assert (first.entry, first.before) == (0, None)


def test_a_typed_match_is_analysed(record):
    found = analyse(record, 0, None)
    assert found.valued
    assert len(found.decisions) > 3


@pytest.mark.parametrize(
    "text",
    [
        *("pass", "take", "draw", "discard 7d", "knock 7d melds 7c7h7s 3c4c5c6c deadwood 2d9hAs"),
        "knock melds 3c4c5c6c 7c7h7s 8c8d8h8s",
        "spread melds 2c3c4c layoff 6c@1 7c@1 deadwood 9dJdQdKhKs",
        *("lay 3c4c5c 7c7h7s add 6c@0", "take 3 lay 8s9sTs"),
    ],
)
def test_a_move_converts_to_a_message_and_back(text):
    move = parse_move(text)
    assert move_of(message_for_move(move)) == move


def test_the_steps_of_a_typed_match_follow_their_schema(record):
    steps = json.loads(json.dumps(steps_document(record)))
    assert faults("steps.schema.json", steps) == []
    assert steps["hands"][0]["degree"] == {"host": "typed", "guest": "typed"}
    assert steps["verdict"]["code"] == "unproven"


def test_a_later_hand_alone_is_a_record_of_one_hand():
    sheet = played("standard", 4, hands=1)
    record = Record.read(write_sheet(sheet).replace("hand 1", "hand 7").encode())
    (hand,) = record.hands
    assert hand.number == 1
    assert hand.result == sheet.match.results[0]
    assert record.degree(1, 0) is Degree.TYPED


def test_the_document_of_a_later_hand_alone_has_no_score():
    text = write_sheet(played("standard target=1", 6, hands=1))
    first, later = (
        json.loads(json.dumps(steps_document(Record.read(each.encode()))))
        for each in (text, text.replace("hand 1", "hand 7"))
    )
    assert faults("steps.schema.json", later) == []
    assert first["verdict"]["decided"]
    assert later["verdict"]["decided"]  # though the score isn't known
    assert later["hands"] == first["hands"]
    assert [later["verdict"][key] for key in ("games", "score", "margin")] == [[], None, None]


def test_an_export_of_a_typed_match_replaces_its_claims_of_proof():
    text = (
        '[Gin "1"]\n[Proof "verified"]\n[HostKey "aaaaa"]\n[Verdict "yes"]\n[Event "x"]\n' + TYPED
    )
    sheet = sheet_of(Record.read(text.encode()))
    assert sheet.tags == (
        ("Proof", "none"),
        ("Verdict", "This match was typed and isn't signed, so there is nothing to verify."),
        ("Event", "x"),
    )
    with pytest.raises(LookupError):
        sheet_of(Record.read(text.encode()), 2)
    assert sheet_of(Record.read(text.encode()), 1).hands == sheet.hands
