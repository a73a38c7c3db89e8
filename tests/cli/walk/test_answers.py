"""What is answered while one walks through a match."""

import re

import pytest

from cli.commands.analyse import seat_named
from cli.failure import Failure
from cli.text.cards import Style
from cli.text.replay import StepNarrator, no_value
from cli.walk.commands import Answers, WalkContext
from ginpeer.record import Record, StepCursor
from ginpeer.store.log import log_bytes
from protocol.messages import Disclosure
from tests.matches.golden_logs import FOLDER
from tests.matches.recorded import recorded

HANDS = "standard target=30"


@pytest.fixture(scope="module")
def record():
    return Record.read(log_bytes(recorded(HANDS).entries))


def walking(record, *, own=None, words=False, valued=lambda: no_value, behind=()):
    walk = StepCursor(record)
    names = tuple(map(str, record.players))
    company = WalkContext(names, own, lambda text: seat_named(text, record.table), valued, behind)
    return Answers(walk, StepNarrator(Style(words=words)), company), walk


@pytest.fixture
def answers(record):
    return walking(record)[0]


def test_each_step_of_a_turn_is_one_or_two_short_lines(record):
    answers, walk = walking(record, words=True)
    for _ in range(len(walk) - 1):
        lines = answers.to("")
        step = walk.step
        if step.move is not None and not step.after.over and step.after.knock is None:
            assert 1 <= len(lines) <= 2, lines
            assert len(" ".join(lines).split()) < 45


def test_back_tells_the_same_as_next_did(answers):
    told = [answers.here()]
    for _ in range(12):
        told.append(answers.to("next"))
    for lines in reversed(told[:-1]):
        assert answers.to("back") == lines


def test_the_ends_say_so_and_the_place_stays(answers):
    assert answers.to("b") == ["This is the beginning."]
    last = answers.to("last")
    (told,) = answers.to("")
    assert told.startswith("This is the end;")
    assert answers.to("next 0") == last
    assert not answers.over


def test_what_a_forged_log_fails_by_is_said_at_its_end(record):
    answers, _ = walking(record, behind=("The log ends here. FORGED",))
    answers.to("last")
    assert answers.to("")[1:] == ["The log ends here. FORGED"]


def test_a_number_goes_to_that_hand_and_where_says_what_nobody_else_does(answers):
    told = answers.to("2")
    assert told[0].startswith("Hand 2: ")
    assert re.fullmatch(r"Hand 2 of \d+, the deal, entry \d+; .*", answers.to("where")[0])
    answers.to("turn 3")
    assert re.fullmatch(r"Hand 2 of \d+, turn 3 of \d+, entry \d+; .*", answers.to("w")[0])
    assert answers.to("first") == answers.here()
    assert answers.to("w")[0].startswith("About the match, entry 0; ")
    assert re.fullmatch(r"The hands here are 1 to \d+\.", answers.to("99")[0])
    assert answers.to("turn 3") == ["This is no hand, and has no turns."]


def test_hands_and_turns_follow_each_other(answers):
    assert answers.to("next hand")[0].startswith("Hand 1: ")
    assert answers.to("next hand")[0].startswith("Hand 2: ")
    assert answers.to("back hand")[0].startswith("Hand 1: ")
    assert answers.to("back hand") == ["There is no hand there."]
    answers.to("next turn")
    assert ", turn 1 of " in answers.to("w")[0]
    answers.to("next turn")
    assert ", turn 2 of " in answers.to("w")[0]
    answers.to("back turn")
    assert ", turn 1 of " in answers.to("w")[0]
    answers.to("end")
    assert re.fullmatch(r"This hand has \d+ turns\.", answers.to("next turn")[0])


def test_the_next_knock_is_anybodys_and_another_hand_is_named(answers):
    assert re.match(r"Hand 1, turn \d+\.", answers.to("knock")[0])
    assert re.match(r"Hand 2, turn \d+\.", answers.to("knock")[0])
    assert re.match(r"Hand 1, turn \d+\.", answers.to("back knock")[0])
    answers.to("last")
    assert answers.to("k") == ["No knock from here on."]


def test_the_next_discard_is_the_own_one_of_who_played(record):
    for own, name in ((0, "Ada"), (1, "Ben")):
        answers, walk = walking(record, own=own)
        answers.to("1")
        for _ in range(4):
            assert answers.to("discard")[-1].lstrip().startswith((name, "Melds"))
            assert walk.step.author == own
        answers.to("discard " + ("Ben", "Ada")[own])
        assert walk.step.author == 1 - own
    answers, walk = walking(record)
    answers.to("1")
    assert {(answers.to("d"), walk.step.author)[1] for _ in range(4)} == {0, 1}
    answers.to("seat Ben")
    assert {(answers.to("d"), walk.step.author)[1] for _ in range(3)} == {1}


def test_the_highest_deadwood_is_told_with_whose_and_where(record):
    answers, walk = walking(record)
    answers.to("2")
    for player, seats in (("", (0, 1)), ("Ada", (0,)), ("guest", (1,)), ("both", (0, 1))):
        told = answers.to(f"highest {player}")
        found = re.fullmatch(
            r"Highest after a discard: (Ada|Ben) with (\d+), turn (\d+)\.", told[0]
        )
        assert found
        assert ("Ada", "Ben").index(found[1]) in seats
        assert int(found[3]) == walk.turn
        assert f"; deadwood {found[2]}." in told[1]
    assert re.search(r", hand \d+, turn \d+\.$", answers.to("highest match")[0])
    answers.to("first")
    assert "highest match" in answers.to("highest")[0]


def test_the_whole_position_is_told_on_demand_or_always(answers):
    answers.to("1")
    answers.to("next turn")
    lines = answers.to("table")
    assert [line.split(":")[0] for line in lines[:2]] == ["Ada", "Ben"]
    assert any("left in the stock" in line for line in lines)
    assert lines[-1].endswith("to discard or knock.") or lines[-1].endswith("upcard.")
    assert answers.to("show") == lines
    short = answers.to("next 0")
    assert len(answers.to("full on")) > len(short)
    assert answers.to("full off") == short


def test_the_table_can_be_asked_for_everywhere(record):
    answers, walk = walking(record)
    for _ in range(len(walk)):
        assert answers.to("table")
        answers.to("")


def test_other_eyes_see_other_cards_at_the_same_place(answers):
    answers.to("1")
    both = answers.here()
    told = answers.to("seat ben")
    assert told[0] == "Now the cards of Ben, as far as they are known."
    assert not any(line.startswith("  Ada:") for line in told)
    assert any(line.startswith("  Ben:") for line in told)
    assert "Ada: 10 cards, hidden." in answers.to("table")
    assert answers.to("seat both")[1:] == both
    assert answers.to("seat Eve")[0].startswith("Nobody of that name played")


def test_in_words_no_sign_is_left(record):
    answers, walk = walking(record, words=True)
    answers.to("1")
    said = []
    while walk.place < walk.last:
        said += answers.to("")
        said += answers.to("table")
    assert not re.search(r"\b([2-9]|10|[AJQK])([cdhs]\b|[♣♦♥♠])", " ".join(said))
    answers.to("1")
    answers.to("next turn")
    assert " of " in answers.to("words on")[0] or "passes" in answers.here()[0]
    assert answers.to("words off") != answers.to("words on") or "passes" in answers.here()[0]


def test_the_score_is_that_of_the_place(answers):
    assert answers.to("score") == ["No hand is over yet."]
    answers.to("1")
    answers.to("end")
    assert sum(line.startswith("Hand ") for line in answers.to("score")) == 1
    answers.to("last")
    assert sum(line.startswith("Hand ") for line in answers.to("score")) > 1


def test_values_are_asked_for_only_where_somebody_comes(record):
    asked = []

    def valued(step):
        asked.append(step.entry)
        return None

    answers, walk = walking(record, valued=lambda: valued)
    answers.to("2")
    assert not asked
    answers.to("values on")
    assert asked == [walk.step.entry]
    answers.to("values off")
    answers.to("")
    assert len(asked) == 1


def test_where_nothing_can_be_valued_that_is_said_and_the_walk_goes_on(record):
    def refused():
        raise Failure("no-advice", "Choices in Mahjong gin cannot be valued.")

    answers, _ = walking(record, valued=refused)
    assert answers.to("values on") == ["Choices in Mahjong gin cannot be valued."]
    assert not answers.over


def test_nonsense_moves_nothing(record):
    answers, walk = walking(record)
    answers.to("2")
    place = walk.place
    for line in ("nonsense", "draw", "hand", "seat", "\x1b[2J", "🂡" * 2000, "entry 999999"):
        assert len(answers.to(line)) == 1
    assert walk.place == place


def test_quit_ends_it(answers):
    assert answers.to("q") == []
    assert answers.over


def test_cards_that_are_not_disclosed_are_neither_told_nor_counted():
    entries = recorded(HANDS, Disclosure.NEVER).entries
    answers, walk = walking(Record.read(log_bytes(entries)))
    answers.to("1")
    assert len(answers.here()) == 1
    said = []
    while walk.hand == 1 and walk.step.after.knock is None:
        said += answers.to("")
    assert not any("deadwood" in line for line in said[:-3])
    answers.to("1")
    assert answers.to("table")[0] == "Ada: 10 cards, hidden."


def test_the_own_seeds_show_the_own_cards():
    own = recorded(HANDS, Disclosure.NEVER)
    answers, _ = walking(Record.read(log_bytes(own.entries), seeds=own.seeds[1]), own=1)
    told = answers.to("1")
    assert [line[:5] for line in told[1:]] == ["  Ben"]
    assert "; deadwood " in answers.to("discard")[0]


@pytest.mark.parametrize("name", ["mahjong", "void-hand", "resigned", "second-deck", "incomplete"])
def test_one_can_walk_through_every_kind_of_log_and_ask_anything(name):
    answers, walk = walking(Record.read(FOLDER / f"{name}.ginlog"))
    for _ in range(len(walk)):
        assert answers.here()
        assert answers.to("table")
        assert answers.to("where")
        answers.to("")
    for line in ("highest match", "knock", "1", "end", "highest", "back knock", "score", "3"):
        assert answers.to(line)
