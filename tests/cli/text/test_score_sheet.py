"""The score sheet: its hands, columns and games, and the account at the end.

score_sheets.txt has matches (":") and their texts (">"), in the format of tests/cli/transcripts.py.
To write it again: python -m tests.cli.text.test_score_sheet
"""

from pathlib import Path

import pytest

from cli.text import score_sheet
from cli.text.analysis import result_line
from cli.text.score_sheet import account, hand_lines, score_line
from ginpeer.rules import HandResult, Outcome
from tests.cli.transcripts import replayed, transcripts, write_again
from tests.rules.played import GUEST, HOST, TIE, VOID, knock, mahjong, match_of, undercut

FILE = Path(__file__).with_name("score_sheets.txt")

SEATS = {"host": HOST, "guest": GUEST}
TELL = {
    "hands": hand_lines,
    "line": lambda match, names: [score_line(match, names)],
    "sheet": score_sheet.score_sheet,
    "account": account,
    "short": score_sheet.short_account,
    "result": lambda match, names: [result_line(match, names)],
}


def result_of(text):
    match text.split():
        case ["void"]:
            return VOID
        case ["tie"]:
            return TIE
        case ["gin", seat, points]:
            return HandResult(Outcome.GIN, SEATS[seat], int(points), SEATS[seat], 0, 15)
        case ["big-gin", seat, points, "doubled"]:
            whose = SEATS[seat]
            return HandResult(Outcome.BIG_GIN, whose, int(points), whose, 0, 15, doubled=True)
        case ["mahjong", seat, points, others]:
            return mahjong(SEATS[seat], int(points), int(others))
        case [kind, seat, points]:
            return {"knock": knock, "undercut": undercut}[kind](SEATS[seat], int(points))
    raise ValueError(text)


class Told:
    """Reads a match, or a request for one of the texts about it."""

    def step(self, line):
        kind, _, text = line.partition(" ")
        if kind == ">":  # "account for Ann, You"
            what, _, names = text.partition(" for ")
            return TELL[what](self.match, tuple(names.split(", ")))
        rules, _, results = text.partition("; ")  # "standard; gin host 40, host resigns"
        played = [each for each in results.split(", ") if each]
        resigns = [each.split()[0] for each in played if each.endswith("resigns")]
        self.match = match_of(*map(result_of, played[: -len(resigns) or None]), rules=rules)
        for seat in resigns:
            self.match = self.match.resign(SEATS[seat])
        return []


MATCHES = dict(transcripts(FILE))


@pytest.mark.parametrize("title", MATCHES)
def test_a_score_is_shown_as_recorded(title):
    assert replayed(MATCHES[title], Told().step) == MATCHES[title]


if __name__ == "__main__":
    write_again(FILE, lambda: Told().step)
