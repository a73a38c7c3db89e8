"""What a player looks up at the table: help, table, taken, hint, score, rules, log. Nothing of the
game is changed by it."""

from __future__ import annotations

from cli.table.help import help_lines, rules_lines
from cli.table.hint import hint
from cli.table.legal_now import now
from cli.table.situation import Situation
from cli.table.turn_words import may_do
from cli.text.board import table_lines, taken_line
from cli.text.cards import Style
from cli.text.evening import may_offer
from cli.text.score_sheet import score_sheet
from ginpeer.rules.cards import Illegal


def looked_up(what: str, here: Situation, style: Style, log: str | None) -> list[str]:
    """The answer, in lines; for "hand", what is told behind the hand. *log*: where the log is, once
    there is one. Raises Illegal with a sentence where there is nothing to look at."""
    match what:
        case "help":
            view = here.view
            may = here.why_no_move() if view is None else f"You may {may_do(view, style)}."
            waiting = here.session is None and not here.is_between
            return [may, *help_lines(here.rules(), waiting=waiting, agreed=not here.may_propose())]
        case "hand" if here.look() is None:
            raise Illegal("no-hand", "No cards have been dealt yet.")
        case "hand":  # what lies beside it, unless the player has just been told
            return [] if here.view is not None else _table(here, style)
        case "table":
            return _table(here, style)
        case "taken" if (view := here.look()) is not None:
            return [taken_line(view.hand, style, 1 - here.seat, here.other())]
        case "taken":
            raise Illegal("no-hand", "No cards have been dealt yet.")
        case "hint":
            return hint(here, style)
        case "score" if here.table.match is not None:
            level = [] if here.level is None else [f"The bot plays at level {here.level}."]
            return [*score_sheet(here.table.match, here.names()), *level]
        case "rules" if (rules := here.rules()) is not None:
            return [*rules_lines(rules), *([] if here.view is None else now(here.view, style))]
        case "rules" if here.questions.asks_aside and here.questions.aside is not None:
            return [here.questions.aside.sentence]
        case "rules" if here.is_between:
            return [may_offer(here.other(), bot=here.against_bot)]
        case "score" if here.is_between:
            return ["The next match has not begun."]
        case "score" | "rules":
            return ["The match has not begun."]
        case "log":
            return ["There is no log yet." if log is None else f"The log is in {log}"]
    raise Illegal("nothing-asked", "Nothing was asked.")  # yes and no, where nothing is open


def _table(here: Situation, style: Style) -> list[str]:
    hand = here.table.hand if here.view is None else here.view.hand
    if hand is None:
        raise Illegal("no-hand", "No cards have been dealt yet.")
    return table_lines(hand, style, here.names())
