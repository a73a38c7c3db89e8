"""How well a player chose in a recorded match, and what the cards brought.

    record = Record.read("friday.ginlog").with_home(home)
    found = analyse(record, seat)
    print(found.loss, found.luck, found.mistakes[0])

Every choice is valued by ginpeer.adviser from the View that its seat had then. What the other
player really held is told apart from that, by ``hidden_info_of``. In Mahjong gin there is no advice
(``can_advise``), and so no analysis.

decisions  each choice with its loss, each card from the stock with its luck
lessons    what a mistake has in common with others
totals     all of a match: by kind, by hand, by lesson
truth      what the other player held meanwhile
document   all of it for programs
"""

from ginpeer.adviser import can_advise
from ginpeer.analysis.decisions import (
    Decision,
    DecisionKind,
    DrawnCard,
    choices_made,
    lucks,
    view_before,
)
from ginpeer.analysis.hidden_info import HiddenInfo, hidden_info_of, points_of
from ginpeer.analysis.lessons import Lesson, lesson_of
from ginpeer.analysis.totals import (
    LEAST,
    Analysis,
    HandTotal,
    KindTotal,
    LessonTotal,
    Mistake,
    analyse,
)

__all__ = [
    "LEAST",
    "Analysis",
    "Decision",
    "DecisionKind",
    "DrawnCard",
    "HandTotal",
    "HiddenInfo",
    "KindTotal",
    "Lesson",
    "LessonTotal",
    "Mistake",
    "analyse",
    "can_advise",
    "choices_made",
    "hidden_info_of",
    "lesson_of",
    "lucks",
    "points_of",
    "view_before",
]
