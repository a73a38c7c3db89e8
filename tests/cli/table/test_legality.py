"""The answers of `rules`: everything you can do now, and whether a particular move is allowed.

legality.txt has positions (":") and questions (">"; an empty question asks for all moves) in the
format of tests/cli/transcripts.py. To write it again: python -m tests.cli.table.test_legality
"""

import random
import re
from pathlib import Path

import pytest

from cli.table.commands import parse_command
from cli.table.lookups import judge_line, legal_actions
from ginpeer.rules import CARDS, Phase, parse_ruleset
from tests.cli.table.hands import DEALER, NON_DEALER, STYLE, VARIANTS, random_views, view_after
from tests.cli.transcripts import replayed, transcripts, write_again

FILE = Path(__file__).with_name("legality.txt")


class Position:
    """Reads positions, ": RULES; UPCARD; MOVES; CARDS; DEALER'S CARDS; CHANGES", and questions."""

    def step(self, line):
        kind, _, text = line.partition(" ")
        if kind == ">":
            asked_of = self.view
            return [asked(text, asked_of)] if text else legal_actions(asked_of, STYLE)
        parts = [part.strip() for part in text.split(";")]
        rules, upcard, moves, cards, dealer, changes = [*parts, *[""] * (6 - len(parts))]
        changed = dict(each.split("=") for each in changes.split())
        self.view = view_after(
            *(move.strip() for move in moves.split(",") if move),
            rules=rules,
            upcard=upcard,
            cards=cards or NON_DEALER,
            dealers=dealer or DEALER,
            **{name: int(value) for name, value in changed.items()},
        )
        return []


def asked(text, view):
    command = parse_command(f"rules {text}")
    assert command.name == "rules"
    return judge_line(command.argument, view, STYLE)


POSITIONS = dict(transcripts(FILE))


@pytest.mark.parametrize("title", POSITIONS)
def test_questions_about_a_position_are_answered_as_recorded(title):
    assert replayed(POSITIONS[title], Position().step) == POSITIONS[title]


@pytest.mark.parametrize("text", VARIANTS)
def test_every_legal_action_cites_a_rule(text):
    rules = parse_ruleset(text)
    for view in random_views(rules, 2, random.Random(text)):
        lines = legal_actions(view, STYLE)
        assert lines
        for line in lines:
            assert re.fullmatch(r"(You|Your|The|This|If|Because) .* \(rule [0-9.]+\)\.", line), line


@pytest.mark.parametrize("text", VARIANTS)
@pytest.mark.deep(keep=2)
def test_exactly_the_legal_moves_are_allowed(text):
    rng = random.Random(text)
    said = set()
    for view in random_views(parse_ruleset(text), 1, rng):
        before = str(view.hand)
        legal = {str(move) for move in view.hand.sensible_moves()}
        throws = [f"discard {card}" for card in CARDS]
        answers = ("show",) if view.hand.rules.mahjong else ("spread",)
        for move in ("pass", "take", "draw", *answers, *throws):
            answer = asked(move, view)
            typed = "spread" if move == "show" else move
            # "take" isn't short for "take 3 lay 8s9s10s".
            allowed = typed in legal or (typed == "spread" and view.hand.phase is Phase.LAY_OFF)
            if move == "show" and view.hand.phase is not Phase.LAY_OFF:
                continue
            assert answer.startswith("Yes: " if allowed else "No: "), (move, answer)
            assert re.search(r" \(rule \d+\.\d+\)\.$", answer), answer
            said.add(answer.partition(":")[0])
        for move in legal:
            assert asked(move, view).startswith("Yes: "), move
        assert str(view.hand) == before
    assert said == {"Yes", "No"}


if __name__ == "__main__":
    write_again(FILE, lambda: Position().step)
