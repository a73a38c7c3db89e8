"""What a player looks up at the table: help, table, taken, hint, score, rules, log. The game is not
changed by it.

# Rule 1: only a View comes in, so a hint knows what the player can know and nothing else.
# Rule 2: hints are given in practice alone, where the other player is the bot of this program. A
#   friend who lets a bot play is a friend.
"""

from __future__ import annotations

from cli.table.help import help_lines, rules_lines
from cli.table.legality import legal_actions
from cli.table.table_state import TableState
from cli.table.turn_words import may_do
from cli.text.advice import alternative_lines, best_line
from cli.text.board import table_lines, taken_line
from cli.text.cards import Style
from cli.text.grammar import inside
from cli.text.score_sheet import score_sheet
from cli.text.series import may_offer
from ginpeer.adviser import Advice, can_advise, choices, explain
from ginpeer.rules.cards import Illegal

_MOST_HINTS = 3  # choices that are told of, the best among them
_NOT_HERE = "Nobody gives hints in a match; rules says what you may do now, and by which rule."
_NOT_IN_MAHJONG = "There are no hints in Mahjong gin; rules says what you may do now."


def look_up(what: str, state: TableState, style: Style, log: str | None) -> list[str]:
    """Answer in lines; for "hand", with what is told behind the hand. *log*: the log's path, once
    there is one. Raises Illegal with a sentence if there is nothing to look at."""
    match what:
        case "help":
            view = state.view
            may = state.why_no_move() if view is None else f"You may {may_do(view, style)}."
            waiting = state.session is None and not state.is_between
            return [
                may,
                *help_lines(state.rules(), waiting=waiting, agreed=not state.may_propose()),
            ]
        case "hand" if state.look() is None:
            raise Illegal("no-hand", "No cards have been dealt yet.")
        case "hand":  # what lies beside it, unless the player has just been told
            return [] if state.view is not None else _table(state, style)
        case "table":
            return _table(state, style)
        case "taken" if (view := state.look()) is not None:
            return [taken_line(view.hand, style, 1 - state.seat, state.other())]
        case "taken":
            raise Illegal("no-hand", "No cards have been dealt yet.")
        case "hint":
            return _hint(state, style)
        case "score" if state.table.match is not None:
            level = [] if state.level is None else [f"The bot plays at level {state.level}."]
            return [*score_sheet(state.table.match, state.names()), *level]
        case "rules" if (rules := state.rules()) is not None:
            return [
                *rules_lines(rules),
                *([] if state.view is None else legal_actions(state.view, style)),
            ]
        case "rules" if state.questions.asks_aside and state.questions.aside is not None:
            return [state.questions.aside.sentence]
        case "rules" if state.is_between:
            return [may_offer(state.other(), bot=state.against_bot)]
        case "score" if state.is_between:
            return ["The next match has not begun."]
        case "score" | "rules":
            return ["The match has not begun."]
        case "log":
            return ["There is no log yet." if log is None else f"The log is in {log}"]
    raise Illegal("nothing-asked", "Nothing was asked.")  # yes and no, where nothing is open


def _table(state: TableState, style: Style) -> list[str]:
    hand = state.table.hand if state.view is None else state.view.hand
    if hand is None:
        raise Illegal("no-hand", "No cards have been dealt yet.")
    return table_lines(hand, style, state.names())


def _hint(state: TableState, style: Style) -> list[str]:
    """Answer in lines: the best choice and why; asked again, the next two. Raises Illegal with a
    sentence if there is none."""
    view = state.view
    if not state.practice:
        raise Illegal("no-hint", _NOT_HERE)
    if view is None:
        raise Illegal("not-your-turn", state.why_no_move())
    if not can_advise(view.hand.rules):
        raise Illegal("no-hint", _NOT_IN_MAHJONG)
    found = [
        Advice(choice.move, choice.points, explain(view, choice.move))
        for choice in choices(view)[:_MOST_HINTS]
    ]
    again, state.hinted = state.hinted is view, view
    tell = alternative_lines if again else _first_hint
    return tell(found, style, inside(state.other()))


def _first_hint(found: list[Advice], style: Style, other: str) -> list[str]:
    more = [] if len(found) == 1 else ["Type hint again for what else there is."]
    return [best_line(found, style, other), *more]
