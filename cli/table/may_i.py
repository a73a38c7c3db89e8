"""What `rules` answers about one move, as in `rules knock 7d`: whether it may be made, and by which
rule.

# House rules
#
# 1. Only a View comes in, so no answer can tell what the player does not know.
# 2. Whether something may be done, the hand says (Hand.apply, on a copy). Nothing is played here.
# 3. Every answer ends with the number of the rule that decides.
"""

from __future__ import annotations

import re
from typing import get_args

from cli.table.command import (
    Ask,
    Command,
    Explain,
    ExplainRules,
    LayDown,
    Number,
    Propose,
    Say,
    Setting,
    Share,
    Try,
)
from cli.table.meaning import Tried
from cli.table.open_questions import Which
from cli.text.cards import Style
from cli.text.rules import Numbered, limit_number
from ginpeer.rules.cards import Illegal, RulesError, Unreadable
from ginpeer.rules.hand import WALL, Hand, Phase
from ginpeer.rules.moves import (
    Discard,
    DrawStock,
    Knock,
    Lay,
    Move,
    Pass,
    Spread,
    TakeDiscards,
    TakeUpcard,
)
from ginpeer.rules.score import Outcome
from ginpeer.rules.view import View


def may_i(tried: Tried, style: Style) -> str:
    """Whether this may be done, in one sentence: "Yes: ..." or "No: ... (RULES 4.4)." Where no move
    is due, nothing may."""
    command, view = tried.command, tried.view
    if view is None:
        why = str(tried.meant)
        return f"No: {why[:1].lower()}{why[1:]}"
    if isinstance(command, get_args(_NoMove)):
        if command == Ask("resign") and view.hand.phase is Phase.LAY_OFF:
            return _answer("Yes", "8.8", "this hand counts, so your cards are laid down first")
        if command == Ask("resign"):
            return _answer("Yes", "8.8", "it is your turn, so you may resign the match")
        return "No rule is about that; ask about a move, as in: rules take, rules knock 7d."
    try:
        return _judged(tried.meant, view, style)
    except Unreadable as why:
        return why.sentence
    except Illegal as why:
        if why.code == "no-card":  # it can be done, and with more cards than one
            return _answer("Yes", limit_number(view.hand.rules), _but(why.sentence))
        return _answer("No", why.rule or _decides(why.code, command, view), why.sentence)


def _judged(meant: Move | Which | RulesError, view: View, style: Style) -> str:
    """Yes, and what follows. Raises what it is refused with."""
    if isinstance(meant, RulesError):
        raise meant
    if isinstance(meant, Which):
        count, one = len(meant.moves), meant.moves[0]
        ways = f"{count} ways to {'show it' if isinstance(one, Knock) else 'do that'}"
        number, sentence = _allowed(one, _applied(view.hand, one, style), view, style)
        return _answer("Yes", number, f"{sentence}; there are {ways}, and you will be asked")
    number, sentence = _allowed(meant, _applied(view.hand, meant, style), view, style)
    return _answer("Yes", number, sentence)


def _applied(hand: Hand, move: Move, style: Style) -> Hand:
    try:
        return hand.apply(move)
    except Illegal as why:
        raise Illegal(why.code, style.respelt(why.sentence), why.rule) from why


_NoMove = Ask | Explain | ExplainRules | Propose | Say | Setting | Share | Number | Try

_DECIDES = {
    "no-big-gin": "5.5",
    "no-meld": "12.4",
    "no-such-choice": "5.3",
    "not-gin": "5.4",
    "not-the-upcard": "4.6",
}


def _decides(code: str, command: Command, view: View) -> str:
    """The rule behind a refusal that was made before the hand was asked, and names none."""
    if code == "knock-over-limit":
        return limit_number(view.hand.rules)
    if code == "wrong-phase" and isinstance(command, LayDown):
        return "6.1"
    return _DECIDES.get(code, "4.3")


def _answer(word: str, number: str, sentence: str) -> str:
    text = sentence if _CARD_FIRST.match(sentence) else sentence[:1].lower() + sentence[1:]
    return f"{word}: {text.removesuffix('.')} (RULES {number})."


def _but(sentence: str) -> str:
    return f"you may, but {sentence[:1].lower()}{sentence[1:]}"


_CARD_FIRST = re.compile("(?:[A23456789TJQK]|10)[cdhs♣♦♥♠](?![a-z])")


def _allowed(move: Move, after: Hand, view: View, style: Style) -> Numbered:
    """The rule by which this may be done, and what follows from it."""
    match move:
        case Pass() | TakeUpcard() | DrawStock():
            return _beginning(move, view, style)
        case Discard(card):
            return _thrown(f"you may throw {style.the(card)}", after)
        case Knock():
            return _knock(move, view, style)
        case Spread():
            return _spread(move, view)
        case Lay():
            if after.phase is Phase.LAY_OFF:
                return "12.6", "you may lay that, and it is gin"
            return ("12.4" if move.melds else "12.5"), "you may lay that"
        case TakeDiscards(count):
            gin = ", and it is gin" if after.phase is Phase.LAY_OFF else ""
            return "12.3", f"you may take {count} cards, for the lowest of them is laid{gin}"
    raise AssertionError(f"{move} is no kind of move")


def _beginning(move: Move, view: View, style: Style) -> Numbered:
    hand = view.hand
    last = hand.phase is Phase.LAST_CHANCE
    upcard = "the upcard" if hand.upcard is None else style.the(hand.upcard)
    if isinstance(move, Pass):
        return ("4.7", "you may pass, and the hand is void") if last else ("4.2", "you may pass")
    if isinstance(move, TakeUpcard):
        if last:
            return "4.7", f"you may take {upcard}, but the hand is void unless you end it with that"
        return "4.4", f"you may take {upcard}, and throw another card"
    if hand.phase is Phase.FIRST_DRAW:
        return ("4.2" if hand.first_upcard is not None else "10.4"), "you draw from the stock"
    return "4.3", "you may draw from the stock"


def _thrown(sentence: str, after: Hand) -> Numbered:
    if after.phase is Phase.LAY_OFF:
        return "12.6", f"{sentence}, and it is gin"
    if after.phase is Phase.LAST_CHANCE:
        return "4.7", f"{sentence}; the other player may then take it to end the hand"
    if after.result is not None and after.result.kind is Outcome.VOID:
        number = "4.7" if after.stock_left == WALL else "4.8"
        return number, f"{sentence}, but the hand is void then"
    return "4.3", sentence


def _knock(knock: Knock, view: View, style: Style) -> Numbered:
    hand = view.hand
    if knock.discard is None:
        return "5.5", "you may go big gin: all eleven cards are in melds"
    thrown = f"throwing {style.the(knock.discard)}"
    if not knock.deadwood:
        return "5.4", f"{thrown} leaves no deadwood, and that is gin"
    left, limit = hand.melding.pips(knock.deadwood), hand.knock_limit
    least = hand.melding.deadwood(knock.cards)
    better = f", though {least} would be possible" if least < left else ""
    return limit_number(hand.rules), f"{thrown} leaves {left}{better}; the limit is {limit}"


def _spread(spread: Spread, view: View) -> Numbered:
    hand = view.hand
    if hand.rules.mahjong:
        return "12.7", "you show what is left"
    left = hand.melding.pips(spread.deadwood)
    best = hand.melding.best_spread(view.cards, hand.open_melds)
    least = hand.melding.pips(best.deadwood)
    better = f"; the best leaves {least}" if least < left else ""
    return "6.2", f"that spread leaves {left}{better}"
