"""What the rules allow: everything that the player may do now (`rules`), and whether one move is
legal (`rules knock 7d`).

Nothing is played here. An answer that follows from a rule ends with the number of that rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cli.table.arguments import Command
from cli.table.possible_moves import (
    knock_options,
    lay_off_targets,
    layable,
    least_deadwood,
    options_text,
    take_counts,
)
from cli.table.resolve import resolve_move
from cli.table.table_state import TableState, WhichMove
from cli.text.cards import Style
from cli.text.rules import Numbered, limit_number, with_number
from ginpeer.rules.cards import Illegal, Unreadable, cards_of
from ginpeer.rules.hand import WALL, Hand, Phase
from ginpeer.rules.match import View
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
from ginpeer.rules.parameters import KnockLimit, Opening, Wall
from ginpeer.rules.score import Outcome

# --- one move ---------------------------------------------------------------------------


def explain_legality(line: Command | Move, state: TableState, style: Style) -> str:
    """Say whether a line would be legal now. If no move is due, the answer is no."""
    view = state.to_judge()
    if view is None:
        return f"No. {state.why_no_move()}"
    return judge_line(line, view, style)


def judge_line(line: Command | Move, view: View, style: Style) -> str:
    """Say in one sentence whether a line is legal in this view, in which a move is due."""
    ends = view.hand.phase is Phase.LAY_OFF
    if line == Command("resign") and ends:
        after = "this hand still counts, so your cards are spread first"
        return _answer("Yes", "8.8", f"you may resign, but {after}")
    if line == Command("resign"):
        return _answer("Yes", "8.8", "it is your turn, so you may resign")
    if line == Command("show") and ends:
        line = Command("enter")
    if isinstance(line, Command) and not line.is_move and line.name not in ("paste", "rank"):
        return "No rule applies to that. Ask about a move, as in: rules take, or rules knock 7d."
    try:
        return _judged(resolve_move(line, view, style), view, style)
    except Unreadable as why:
        return why.sentence
    except Illegal as why:
        if why.code == "no-card":  # legal with several cards; one must be named
            but = f"you may, but {why.sentence[:1].lower()}{why.sentence[1:]}"
            is_gin = isinstance(line, Command) and line.name == "gin"
            return _answer("Yes", "5.4" if is_gin else limit_number(view.hand.rules), but)
        number = why.rule or _rule_behind(why.code, line, view)
        return _answer("No", number, _OPENING.sub("", why.sentence))


def _judged(meant: Move | WhichMove, view: View, style: Style) -> str:
    """Say yes, and what follows from the move. Raises Illegal if the hand refuses it."""
    move = meant.moves[0] if isinstance(meant, WhichMove) else meant
    number, sentence = _allowed(move, _applied(view.hand, move, style), view, style)
    if isinstance(meant, WhichMove) and isinstance(move, TakeUpcard):
        sentence = f"{sentence}; the number may also be how many cards to take, so ginpeer will ask"
    elif isinstance(meant, WhichMove):
        ways = f"{len(meant.moves)} ways to {'show it' if isinstance(move, Knock) else 'do that'}"
        sentence = f"{sentence}; there are {ways}, and ginpeer will ask which"
    return _answer("Yes", number, sentence)


def _applied(hand: Hand, move: Move, style: Style) -> Hand:
    try:
        return hand.apply(move)
    except Illegal as why:
        raise Illegal(why.code, style.respelt(why.sentence), why.rule) from why


_RULE_BEHIND = {
    "no-big-gin": "5.5",
    "no-meld": "12.4",
    "no-such-choice": "5.3",
    "not-gin": "5.4",
    "not-the-upcard": "4.6",
}


def _rule_behind(code: str, line: Command | Move, view: View) -> str:
    """Return the number of the rule behind a refusal that cites none, because it didn't come from
    the Hand."""
    if code == "knock-over-limit":
        return limit_number(view.hand.rules)
    if code == "wrong-phase" and isinstance(line, Command) and line.name == "spread":
        return "6.1"
    return _RULE_BEHIND.get(code, "4.3")


def _answer(word: str, number: str, sentence: str) -> str:
    text = sentence if _CARD_FIRST.match(sentence) else sentence[:1].lower() + sentence[1:]
    return f"{word}: {text.removesuffix('.')} (RULES {number})."


_OPENING = re.compile("(?:That isn't possible now|You can't knock): ")
"""The beginning of a refusal, which would only repeat the "No" of the answer."""
_CARD_FIRST = re.compile("(?:[A23456789TJQK]|10)[cdhs♣♦♥♠](?![a-z])")


def _allowed(move: Move, after: Hand, view: View, style: Style) -> Numbered:
    match move:
        case Pass() | TakeUpcard() | DrawStock():
            return _beginning(move, view, style)
        case Discard(card):
            return _thrown(f"you may discard {style.the(card)}", after)
        case Knock():
            return _knock(move, view, style)
        case Spread():
            return _spread(move, view)
        case Lay():
            if after.phase is Phase.LAY_OFF:
                return "12.6", "you may lay that and go gin"
            return ("12.4" if move.melds else "12.5"), "you may lay that"
        case TakeDiscards(count):
            gin = " and go gin" if after.phase is Phase.LAY_OFF else ""
            return "12.3", f"you may take {count} cards{gin}, because you can lay the lowest"
    raise AssertionError(f"{move} isn't a kind of move")


def _beginning(move: Move, view: View, style: Style) -> Numbered:
    hand = view.hand
    last = hand.phase is Phase.LAST_CHANCE
    upcard = "the upcard" if hand.upcard is None else style.the(hand.upcard)
    if isinstance(move, Pass):
        return ("4.7", "you may pass, and the hand is void") if last else ("4.2", "you may pass")
    if isinstance(move, TakeUpcard):
        if last:
            return "4.7", f"you may take {upcard}, but the hand is void unless you then end it"
        return "4.4", f"you may take {upcard}, and discard a different card"
    if hand.phase is Phase.FIRST_DRAW:
        return ("4.2" if hand.first_upcard is not None else "10.4"), "you draw from the stock"
    return "4.3", "you may draw from the stock"


def _thrown(sentence: str, after: Hand) -> Numbered:
    if after.phase is Phase.LAY_OFF:
        return "12.6", f"{sentence} and go gin"
    if after.phase is Phase.LAST_CHANCE:
        return "4.7", f"{sentence}; your opponent may then take it to end the hand"
    if after.result is not None and after.result.kind is Outcome.VOID:
        number = "4.7" if after.stock_left == WALL else "4.8"
        return number, f"{sentence}, but then the hand is void"
    return "4.3", sentence


def _knock(knock: Knock, view: View, style: Style) -> Numbered:
    hand = view.hand
    if knock.discard is None:
        return "5.5", "you may go big gin: all eleven cards are melded"
    thrown = f"discarding {style.the(knock.discard)}"
    if not knock.deadwood:
        return "5.4", f"{thrown} leaves no deadwood: gin"
    left, limit = hand.melding.pips(knock.deadwood), hand.knock_limit
    least = hand.melding.deadwood(knock.cards)
    better = f", though {least} is possible" if least < left else ""
    return limit_number(hand.rules), f"{thrown} leaves {left}{better}; the limit is {limit}"


def _spread(spread: Spread, view: View) -> Numbered:
    hand = view.hand
    if hand.rules.mahjong:
        return "12.7", "you show your remaining cards"
    left = hand.melding.pips(spread.deadwood)
    best = hand.melding.best_spread(view.cards, hand.open_melds)
    least = hand.melding.pips(best.deadwood)
    better = f"; the best leaves {least}" if least < left else ""
    return "6.2", f"that spread leaves {left}{better}"


# --- all legal actions ------------------------------------------------------------------


def legal_actions(view: View, style: Style) -> list[str]:
    return [
        with_number(number, sentence)
        for number, sentence in (*_limit(view, style), *_now(view, style))
    ]


def _limit(view: View, style: Style) -> Iterator[Numbered]:
    """Give the knock limit if a card sets it, and say whether the hand counts double."""
    hand = view.hand
    card = hand.limit_card
    if hand.phase in (Phase.LAY_OFF, Phase.OVER):
        return
    floating = hand.rules.knock_limit is KnockLimit.FLOATING
    by, limit = limit_number(hand.rules), hand.knock_limit
    if card is not None and limit:
        what = "turn" if floating else "hand"
        yield by, f"The knock limit of this {what} is {limit}, set by {style.the(card)}."
    elif card is not None:
        when = " this turn" if floating else ""
        yield by, f"Because of {style.the(card)}, only gin ends the hand{when}."
    if hand.counts_double:
        yield "10.3", f"This hand counts double{', if it ends this turn' if floating else ''}."


def _now(view: View, style: Style) -> Iterator[Numbered]:
    hand = view.hand
    upcard = "the upcard" if hand.upcard is None else style.the(hand.upcard)
    match hand.phase:
        case Phase.FIRST_UPCARD:
            yield "4.2", f"You may take {upcard}, or pass."
            yield "4.2", "You can't draw from the stock until both of you have passed."
        case Phase.SECOND_UPCARD:
            yield "4.2", f"You may take {upcard}, or pass."
            yield "4.2", "You can't draw: if you pass, your opponent draws from the stock."
        case Phase.FIRST_DRAW if hand.first_upcard is None:
            yield "10.4", "You must draw from the stock: there is no upcard to take."
        case Phase.FIRST_DRAW:
            yield "4.2", f"You must draw from the stock: both of you passed {upcard}."
        case Phase.DRAW:
            yield "4.3", f"You may draw from the stock, or take {upcard}."
            if hand.rules.mahjong:
                yield "12.3", _several(view)
            if hand.first_upcard is not None and hand.rules.opening is not Opening.EITHER_PILE:
                last = ", and for the last discard" if hand.rules.wall is Wall.LAST_DISCARD else ""
                yield "4.2", f"You can't pass; that's only for the first upcard of a hand{last}."
        case Phase.LAST_CHANCE:
            yield from _last_chance(view, style)
        case Phase.DISCARD:
            yield from _ways_to_end(view, style)
        case Phase.LAY_OFF:
            yield from _answering(view, style)
        case Phase.OVER:
            yield "8.2", "The hand is over; wait for the next deal."
    if hand.phase in _BEFORE_THE_DRAW:
        ending = "discard or lay cards" if hand.rules.mahjong else "discard or knock"
        yield "4.3", f"You can't {ending} until you have drawn or taken a card."


_BEFORE_THE_DRAW = (Phase.FIRST_UPCARD, Phase.SECOND_UPCARD, Phase.FIRST_DRAW, Phase.DRAW)


def _several(view: View) -> str:
    counts = take_counts(view)
    if not counts:
        return "You can't take several cards: you couldn't lay any of the lower ones at once."
    shown = " or ".join(map(str, counts))
    return f"You may take the top {shown} cards, if you lay the lowest of them at once."


def _last_chance(view: View, style: Style) -> Iterator[Numbered]:
    hand, card = view.hand, view.hand.upcard
    yield "4.7", "You may pass; the hand is then void."
    if card is None:
        return
    the = style.the(card)
    if hand.rules.mahjong:
        yield "4.7", f"You may take {the}; if you don't go gin with it, the hand is void."
        return
    taken = view.cards | card.bit
    least = min(hand.melding.deadwood(taken ^ other.bit) for other in cards_of(view.cards))
    floating = hand.rules.knock_limit is KnockLimit.FLOATING
    limit = hand.rules.limit(card) if floating else hand.knock_limit
    big = hand.rules.big_gin is not None and not hand.melding.deadwood(taken)
    if not least or big:
        yield "4.7", f"You may take {the} and go gin."
    elif least <= limit:
        yield "4.7", f"You may take {the} and knock; your best discard leaves {least}."
    else:
        left = f"your best discard leaves {least}"
        why = f"end the hand after taking {the}: only gin does, and {left}"
        if limit:
            why = f"knock after taking {the}: {left}, and the limit is {limit}"
        void = "You may take it, but the hand is void anyway."
        yield limit_number(hand.rules), f"You couldn't {why}. {void}"


def _ways_to_end(view: View, style: Style) -> Iterator[Numbered]:
    hand = view.hand
    if hand.taken is None:
        yield "4.3", "You can discard any card."
    else:
        taken = style.the(hand.taken)
        yield "4.4", f"You can discard any card except {taken}, which you just took."
    at_wall = hand.stock_left == WALL
    if at_wall and hand.taken is None and hand.rules.wall is Wall.LAST_DISCARD:
        yield "4.7", "Your opponent may then take it to end the hand; otherwise the hand is void."
    elif hand.is_last_turn:
        yield "4.7" if at_wall else "4.8", "If you don't end the hand this turn, it is void."
    if hand.rules.mahjong:
        yield from _ways_to_lay(view)
        return
    by, knocks = limit_number(hand.rules), knock_options(view)
    least, limit = least_deadwood(view), hand.knock_limit
    costly = [option for option in knocks if option.deadwood]
    if costly:
        yield by, f"You may knock by discarding {options_text(costly, style)}."
    elif least > limit > 0:
        yield by, f"You can't knock: your best discard leaves {least}, and the limit is {limit}."
    if not least:
        gins = [option for option in knocks if not option.deadwood]
        yield "5.4", f"You may go gin by discarding {options_text(gins, style)}."
    elif not limit:
        yield by, f"You can't end the hand: only gin does, and your best discard leaves {least}."
    else:
        yield "5.4", f"You can't go gin: your best discard leaves {least}."
    if hand.rules.big_gin is not None:
        if left := hand.melding.deadwood(view.cards):
            yield "5.5", f"You can't go big gin: your eleven cards leave {left}."
        else:
            yield "5.5", "You may go big gin: all eleven cards are melded."


def _ways_to_lay(view: View) -> Iterator[Numbered]:
    melds, adds = layable(view)
    if melds:
        yield "12.4", "You may lay melds on the table."
    else:
        yield "12.4", "You can't lay a meld: you have none that may be laid now."
    if view.hand.table_melds and adds:
        yield "12.5", "You may add cards to the melds on the table."
    elif view.hand.table_melds:
        yield "12.5", "You can't add to the melds on the table: none of your cards fits."
    yield "12.2", "You can't knock in Mahjong gin."


def _answering(view: View, style: Style) -> Iterator[Numbered]:
    hand = view.hand
    if hand.rules.mahjong:
        yield "12.7", "You show your remaining cards; you can't lay any more."
        return
    yield "6.1", "You spread all ten cards: melds and deadwood."
    fitting = lay_off_targets(view)
    if fitting:
        yield "6.3", f"You may lay off on {style.numbered_melds(hand.open_melds, fitting)}."
    elif hand.open_melds:
        yield "6.3", "You can't lay off: none of your cards fits."
    else:
        yield "6.3", "You can't lay off: nobody lays off against gin."
