"""What a line means where it was typed: from a Command to a move, seen from one seat.

# House rules
#
# 1. Only a View comes in, so nothing here can know the other hand.
# 2. Whether a move is legal is the hand's to say (Hand.apply). Here only what was left unsaid is
#    filled in: the best arrangement, the best spread, the meld that a lay-off fits on.
# 3. A refusal is one sentence and says what may be done instead. Nothing is lost by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli.table.command import (
    Ask,
    Command,
    Decline,
    Draw,
    End,
    Enter,
    Explain,
    ExplainRules,
    LayDown,
    Number,
    Order,
    Paste,
    Place,
    Propose,
    PutDown,
    Say,
    Setting,
    Share,
    SortBy,
    Switch,
    Take,
    Throw,
    Try,
)
from cli.table.knocks import knocks_of
from cli.table.lays import lays_of, takes_of
from cli.table.open_questions import Which
from cli.table.possible_moves import enter_move
from cli.table.situation import Situation
from cli.table.spreads import spread_of
from cli.text.cards import Style
from ginpeer.rules.cards import Illegal, RulesError, Unreadable
from ginpeer.rules.hand import Phase
from ginpeer.rules.moves import Discard, DrawStock, Move, Pass
from ginpeer.rules.view import View


@dataclass(frozen=True, slots=True)
class NoneOf:
    """A number that picks none of the moves that were asked about; they stay open."""

    which: Which


@dataclass(frozen=True, slots=True)
class Tried:
    """The player asks whether this may be done: in this view, None where no move is due. ``meant``
    is the move that it would be, or why it is none."""

    command: Command
    view: View | None
    meant: Move | Which | RulesError


Meaning = (
    Move
    | Which
    | NoneOf
    | Tried
    | Say
    | Paste
    | Setting
    | Share
    | Ask
    | Explain
    | ExplainRules
    | Propose
)
"""What a line means that is no answer: a move, a question back, or what it says by itself."""


def mean(command: Command, which: Which | None, here: Situation, style: Style) -> Meaning:
    """What the player wants. *which*: the moves that a number picks from. Raises Illegal or
    Unreadable with a sentence."""
    match command:
        case Say() | Paste() | SortBy() | Order() | Place() | Switch() | Share():
            return command
        case Number(number):
            return _picked(number, which)
        case Try(tried):
            view = here.to_judge()
            if view is None:
                return Tried(tried, None, Illegal("not-your-turn", here.why_no_move()))
            return try_out(tried, view, style)
        case Ask("show") if here.shows_what_is_left():
            command = Enter()
        case Ask() | Explain() | ExplainRules() | Propose():
            return command
    if here.view is None:
        raise Illegal("not-your-turn", here.why_no_move())
    return move_of(command, here.view, style)


def _picked(number: int, which: Which | None) -> Move | NoneOf:
    if which is None:
        raise Unreadable("unclear", f"{number} alone is no card; say the suit too, like 7d.")
    return which.moves[number - 1] if 1 <= number <= len(which.moves) else NoneOf(which)


def try_out(command: Command, view: View, style: Style) -> Tried:
    """The move that a command would be, for the rules to judge (cli.table.may_i)."""
    meant = Enter() if command == Ask("show") and view.hand.phase is Phase.LAY_OFF else command
    try:
        return Tried(meant, view, move_of(meant, view, style))
    except RulesError as why:
        return Tried(meant, view, why)


def move_of(command: Command, view: View, style: Style) -> Move | Which:
    """The move that a command means in this view. Raises Illegal or Unreadable with a sentence.

    The move may still be illegal; the seat judges it.
    """
    match command:
        case Enter():
            move = enter_move(view)
            if move is None:
                raise Illegal("enter-does-nothing", "Enter alone does nothing here.")
            return move
        case Decline():
            return Pass()
        case Draw():
            return DrawStock()
        case Take(count=count, lay=lay) if count is not None and not view.hand.rules.mahjong:
            if lay is None:
                raise Unreadable("no-suit", f"Which {count}? Say the suit too, like {count}d.")
            raise Illegal("not-mahjong", "Only in Mahjong gin can several cards be taken.", "12.3")
        case Take():
            return _only(takes_of(command, view, style))
        case PutDown() if view.hand.rules.mahjong or view.hand.phase is not Phase.LAY_OFF:
            return _only(lays_of(command, view, style))
        case Throw(card):
            return Discard(card)
        case End():
            _expect_phase(view, Phase.DISCARD)
            return _only(knocks_of(command, view, style))
        case LayDown() | PutDown():
            _expect_phase(view, Phase.LAY_OFF)
            return spread_of(command, view, style)
        case _:
            raise Unreadable("no-move", "That is no move.")


def _only(moves: Sequence[Move]) -> Move | Which:
    return moves[0] if len(moves) == 1 else Which(tuple(moves))


def _expect_phase(view: View, phase: Phase) -> None:
    """Filling in a knock or a spread makes no sense elsewhere."""
    if view.hand.rules.mahjong and phase is Phase.DISCARD:
        raise Illegal(
            "no-knocking",
            "Nobody knocks in Mahjong gin: lay your cards on the table, and throw the last one.",
            "12.2",
        )
    if view.hand.phase is not phase:
        what = "Knocking ends a turn" if phase is Phase.DISCARD else "Spreading answers a knock"
        if view.hand.rules.mahjong:
            what = "You show your cards when the other player has gone gin"
        raise Illegal("wrong-phase", f"{what}; that cannot be done now.")
