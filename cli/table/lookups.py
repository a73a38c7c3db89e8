"""What a player can look up at the table: help, table, taken, hint, score, log, everything that the
rules allow now (`rules`), and whether one move is legal (`rules knock 7d`). No move is made here.

An answer that follows from a rule ends with the number of that rule. Hints are given only in
practice, where the opponent is this program's own bot. They aren't given against a friend, even if
the friend lets a bot play.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cli.table.arguments import NO_HINTS, Command
from cli.table.commands import BY_WORD, explain_command
from cli.table.possible_moves import (
    best_answer,
    can_go_big_gin,
    knock_options,
    lay_off_targets,
    layable,
    least_deadwood,
    leaves_last_discard,
    options_text,
    take_counts,
    what_to_do,
)
from cli.table.resolve import resolve_move
from cli.table.table_state import TableState, WhichMove
from cli.text.advice import AdvicePhrases, alternative_lines, best_line, moves_to_compare
from cli.text.board import table_lines, taken_line
from cli.text.cards import Style
from cli.text.grammar import at_start, inside
from cli.text.rules import Numbered, limit_number, rules_about, rules_in_short, term_in, with_number
from cli.text.score_sheet import score_line, score_sheet
from cli.text.series import may_offer
from ginpeer.adviser.advise import advise, calibrated, can_advise, choices
from ginpeer.referee.table import GUEST
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
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import Outcome

_MOST_HINTS = 3  # choices to describe, including the best
_NOT_HERE = (
    "There are hints only in a practice match. To see what you can do now, and by which rule, type "
    "rules."
)


def look_up(what: str, state: TableState, style: Style, log: str | None) -> list[str]:
    """Return the answer to *what*, a command's name; for "hand", the lines after the hand. *log*:
    the log's path, once there is a log. Raises Illegal if there is nothing to show."""
    match what:
        case "help":
            waiting = state.session is None and not state.is_between
            agreed, undo = not state.may_propose(), state.allows_undo
            lines = help_lines(state.rules(), waiting=waiting, agreed=agreed, undo=undo)
            if waiting and state.seat == GUEST:
                lines = lines[1:]  # only a host can use a reply
            return [*_turn(state, style), *lines, *_question(state)]
        case "hand" if state.look() is not None:
            # Show the table, too, unless the player has just been shown it.
            return [] if state.view is not None else _table(state, style)
        case "table":
            return _whole_table(state, style)
        case "taken" if (view := state.look()) is not None:
            return [taken_line(view.hand, style, 1 - state.seat, state.other())]
        case "hand" | "taken":
            raise Illegal("no-hand", state.why_no_cards())
        case "hint":
            return _hint(state, style)
        case "score" if state.table.match is not None:
            level = [] if state.level is None else [f"The bot plays at level {state.level}."]
            return [*score_sheet(state.table.match, state.names()), *level]
        case "rules" if (wish := state.proposed) is not None and state.questions.offer is None:
            waits = f"Waiting for {inside(state.other())}'s answer."
            first = state.why_no_move() if state.unsent else waits
            return [first, *rules_lines(wish, f"Your proposal: {wish}.")]
        case "rules" if (rules := state.rules()) is not None:
            first = f"The rules of this match: {rules}."
            if state.view is None:
                return [*rules_lines(rules, first), *_question(state)]
            told = f"{first} To read them, type rules {rules}."
            return [*legal_actions(state.view, style), told, *_question(state)]
        case "rules" if (question := state.questions.host_question) is not None:
            explained = [] if question.rules is None else rules_lines(question.rules)
            return [*explained, question.sentence]
        case "rules" if state.is_between:
            last = state.last_rules()
            explained = [] if last is None else rules_lines(*last)
            if state.session is None:
                return [*explained, state.why_no_move()]
            asks = not state.decides_offers or state.questions.aside is not None
            return [*explained, may_offer(state.other(), bot=state.against_bot, asks=asks)]
        case "rules" if state.session is None and state.expected is not None:
            return [*rules_lines(state.expected), state.why_no_move()]
        case "score" if state.is_between:
            return ["The next match hasn't started."]
        case "score" | "rules":
            return ["The match hasn't started."]
        case "log":
            return ["There is no log yet." if log is None else f"The log is in {log}"]
    session = state.session
    if session is not None and session.pause_offered:
        raise Illegal("unclear", "To agree to the pause, type pause. To decline it, type no.")
    raise Illegal("nothing-asked", "There is no question to answer with yes or no.")


def _turn(state: TableState, style: Style) -> list[str]:
    """Say whose turn it is, unless a question has to be answered first."""
    questions = state.questions
    if state.view is not None and questions.confirming is None:
        return [what_to_do(state.view, style)]
    asks = questions.confirming or questions.offer or questions.host_question
    return [] if asks else [state.why_no_move()]


def _question(state: TableState) -> list[str]:
    """Return the open question, unless the prompt repeats a request to confirm something."""
    return [] if state.questions.confirming else list(filter(None, [state.open_question()]))


def _table(state: TableState, style: Style) -> list[str]:
    hand = state.table.hand if state.view is None else state.view.hand
    if hand is None:
        raise Illegal("no-hand", state.why_no_cards())
    return table_lines(hand, style, state.names())


def _whole_table(state: TableState, style: Style) -> list[str]:
    """Return everything that our player can see, except the hand itself."""
    lines, view, match = _table(state, style), state.look(), state.table.match
    if view is not None and state.is_knocked() and view.hand.open_melds:
        shown = style.numbered_melds(view.hand.open_melds)
        lines.append(f"{at_start(state.other())} shows {shown}.")
    if view is not None:
        lines.append(taken_line(view.hand, style, 1 - state.seat, state.other()))
    if match is not None and match.results:
        lines.append(score_line(match, state.names(), short=True))
    elif match is not None and not match.finished and not match.rules.mahjong:
        lines.append("Nobody has any points yet.")
    if state.view is None:
        lines.append(state.why_no_move())
    return lines


def _hint(state: TableState, style: Style) -> list[str]:
    """Return the best choice with reasons, or the next two if asked again. Raises Illegal."""
    view = state.view
    if not state.practice:
        raise Illegal("no-hint", _NOT_HERE)
    if view is None:
        raise Illegal("not-your-turn", state.why_no_move())
    if not can_advise(view.hand.rules):
        raise Illegal("no-hint", NO_HINTS)
    ranked = choices(view)
    best = ranked[:_MOST_HINTS]
    knock = next((choice for choice in ranked if isinstance(choice.move, Knock)), None)
    if knock is not None and knock not in best:  # knocking is always worth comparing
        best = (*best[:-1], knock)
    found = moves_to_compare([advise(view, calibrated(view, best[0], choice)) for choice in best])
    again = state.hinted is view
    state.hinted, state.advised = view, found[0].move
    words = AdvicePhrases(inside(state.other()), style, view.hand.rules)
    if again:
        return alternative_lines(found, words)
    lines = [best_line(found, words)]
    if len(found) > 1 and not state.told_of_more:
        moves = "move" if len(found) == 2 else "moves"
        lines.append(f"Type hint again for the next best {moves}.")
        state.told_of_more = True
    return lines


# --- help -------------------------------------------------------------------------------

_WAITING = (
    "While you wait: if your friend sends you a line that begins with reply:, paste it here. Both "
    "programs then try to connect.",
    "rules oklahoma explains the oklahoma rules. quit (q) stops waiting.",
)
_BEFORE = (
    "Before a match: propose oklahoma target=150 suggests other rules, and rules oklahoma explains "
    "them.",
)
_FIRST = "Type one command per line. The letter in parentheses is its short form."
_TURN = (
    "Turn: draw (d), or take (t) the upcard; pass (p) refuses it. Then a card to discard, like 7d.",
    "End: knock 7d (k 7d), gin 7d (g 7d); spread (s) answers a knock.",
)
_MAHJONG_TURN = (
    "Turn: draw (d), or take (t) the upcard; lay melds and add cards as you like; then a card to "
    "discard, like 7d.",
)
_UNDO = ("undo takes back your last move.",)
_REST = (
    "Look: hand (h), table, last, score, rules.",
    "Talk: say and your message. Stop: pause, resign, quit (q).",
    "More: help moves, help look, help settings, help talk, help keys. help knock explains a "
    "command, help deadwood a term. If you use a screen reader, type words on.",
)
_PRACTICE_REST = ("Look: hand (h), table, last, score, rules, hint.", *_REST[1:])

_MOVES = (
    "Start a turn: draw (d) from the stock, or take (t) the upcard; pass (p) refuses the first "
    "upcard. The question says what Enter does. Enter never discards or knocks, and it never "
    "answers yes or no.",
    "End it: type the card to discard, like 7d, 10h or qs. discard 7d and x 7d do the same.",
    "Knock: knock 7d (k 7d) discards 7d and shows the best melds. If breaking up a meld may win "
    "more, ginpeer asks first. knock 7d other shows the second-best melds instead. knock 7d melds "
    "3c4c5c 7c7h7s shows the melds that you name. Gin: gin 7d (g 7d). If all eleven cards are "
    "melded: big gin.",
    "Answer a knock: spread (s) makes the best spread. Or choose: spread melds 3c4c5c layoff 6c "
    "on 1 (your opponent's first meld). ginpeer fills in what you leave out: melds, lay-offs or "
    "both. Write melds none or layoff none for none at all.",
)
_MAHJONG_MOVES = (
    "Start a turn: draw (d) from the stock, or take (t) the upcard; pass (p) refuses the first "
    "upcard. take 3 takes the top three cards of the pile and lays the bottom one at once. "
    "You can say how: take 3 lay 8s9s10s, or take 3 add 5h on 2.",
    "Then lay as many cards as you like: lay 3c4c5c 7c7h7s puts these melds on the "
    "table; lay alone puts down every meld in your hand. add 6c on 1 adds a card to meld 1; add 6c "
    "adds it to the meld it fits.",
    "End it: type the card to discard, like 7d, 10h or qs. A player who lays or discards the last "
    "card goes gin. Their opponent then shows the remaining cards, with show or Enter.",
    "table shows the melds with their numbers, who laid what, and the pile from the top.",
)
_CARDS = (
    "Cards: A, 2 to 10, J, Q or K with c, d, h or s, in any order and case (but type ah, not ha). "
    "7 of diamonds works too.",
    "May I? rules says what you can and can't do now, and why. rules knock 7d or rules take says "
    "whether you may do that, without doing it.",
)
_LOOK = (
    "hand (h) shows your cards. table shows everything you can see. last repeats what has happened "
    "since your last turn. taken shows what your opponent took from the pile.",
    "score shows the points. rules says what you may do now, and why. log says where the log is. "
    "tally shows the other table of a partnership.",
    "In a practice match, hint says which move is best and why.",
)
_SETTINGS = (
    "Your hand: sort melds, sort suit, sort rank. order 4h 5h kd puts these cards first, and move "
    "kd last moves one card.",
    "Display: words on writes cards as words; words off uses symbols. brief on uses fewer "
    "words, brief off more. hand off stops showing your hand at each discard; lines off removes "
    "blank and ruled lines. colours four gives each suit its own colour, colours two uses red and "
    "black.",
    "Pace: pace off starts the next hand at once.",
    "Questions: confirm off stops ginpeer asking before a move that looks like a slip. Sound: "
    "bell on rings for your turn.",
    "ginpeer remembers all of these, but not how your hand is sorted.",
)
_TALK = (
    "Talk: say and your message, as in: say good game. mute hides your opponent's chat, and "
    "unmute shows it again.",
    "Stop: pause asks your opponent to continue another time, resign gives up the match, and quit "
    "(q) leaves and keeps the log.",
)
_KEYS = (
    "Keys: Tab completes a command or a card; press it again for a list. Up and down bring back "
    "what you typed. Ctrl with left or right moves by a word. Ctrl-U erases to the "
    "start of the line, Ctrl-K to its end. On Windows, or if TERM is dumb, your terminal's own "
    "keys apply.",
)

_ALSO = {"key": "keys", "tab": "keys", "looking": "look", "setting": "settings"}
_ALSO |= dict.fromkeys(("chat", "talking"), "talk")


def help_lines(
    rules: RuleSet | None, *, waiting: bool = False, agreed: bool = True, undo: bool = False
) -> tuple[str, ...]:
    """Return the main help. *waiting*: nobody has joined yet. *agreed*: rules can't be proposed.
    *undo*: moves can be taken back."""
    mahjong = rules is not None and rules.mahjong
    turn = _MAHJONG_TURN if mahjong else _TURN
    rest = _PRACTICE_REST if undo and not mahjong else _REST
    if waiting:
        return (*_WAITING, _REST[-1])
    return (*(() if agreed else _BEFORE), _FIRST, *turn, *(_UNDO if undo else ()), *rest)


def topic_lines(topic: str, *, mahjong: bool, undo: bool = False) -> tuple[str, ...] | None:
    """Return all the help on one topic; None if there is no such topic."""
    topic = " ".join(topic.casefold().split())
    return {
        "moves": (*(_MAHJONG_MOVES if mahjong else _MOVES), *(_UNDO if undo else ()), *_CARDS),
        "look": _LOOK[:-1] if mahjong else _LOOK,
        "settings": _SETTINGS,
        "talk": _TALK,
        "keys": _KEYS,
    }.get(_ALSO.get(topic, topic))


def term_lines(text: str, rules: RuleSet) -> tuple[str, ...]:
    """Explain a term of the game, and the move with the same name, if there is one; return no lines
    if the text isn't a term."""
    term, spec = term_in(text), BY_WORD.get(text.strip().casefold())
    if spec is BY_WORD["knock"] and rules.knock_limit == 0 and not rules.mahjong:
        limit = (with_number(*rule) for rule in rules_about("limit", rules))
        return ("These rules don't allow knocking.", *limit)
    if term is None:
        return ()
    told = tuple(with_number(*rule) for rule in rules_about(term, rules))
    if told and spec is not None and spec.is_move:
        return (*told, explain_command(text, mahjong=rules.mahjong))
    return told or (f"These rules have no {term}.",)


def rules_lines(rules: RuleSet, first: str = "") -> list[str]:
    """Summarise these rules. *first*: the first line; if empty, it just names the rules."""
    return [
        first or f"Rules of {rules}:",
        *(with_number(number, sentence) for number, sentence in rules_in_short(rules)),
        f"For the full rules, run ginpeer rules {rules}.",
    ]


# --- whether one move is legal ----------------------------------------------------------


def judge_line(line: Command | Move, view: View, style: Style) -> str:
    """Say in one sentence whether a line is legal. A move must be due in this view."""
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
        return _answer("No", why.rule or "4.3", _OPENING.sub("", why.sentence))


def _judged(meant: Move | WhichMove, view: View, style: Style) -> str:
    """Say yes, and what the move would lead to. Raises Illegal if the hand refuses it."""
    move = meant.moves[0] if isinstance(meant, WhichMove) else meant
    try:
        after = view.hand.apply(move)
    except Illegal as why:
        raise Illegal(why.code, style.respelt(why.sentence), why.rule) from why
    number, sentence = _allowed(move, after, view, style)
    if isinstance(meant, WhichMove) and isinstance(move, TakeUpcard):
        sentence = f"{sentence}; the number may also be how many cards to take, so ginpeer will ask"
    elif isinstance(meant, WhichMove):
        ways = f"{len(meant.moves)} ways to {'show it' if isinstance(move, Knock) else 'do that'}"
        sentence = f"{sentence}; there are {ways}, and ginpeer will ask which"
    return _answer("Yes", number, sentence)


def _answer(word: str, number: str, sentence: str) -> str:
    text = sentence if _CARD_FIRST.match(sentence) else sentence[:1].lower() + sentence[1:]
    return f"{word}: {text.removesuffix('.')} (rule {number})."


_OPENING = re.compile("You can't knock(?: with [^:]+)?: ")
"""The beginning of a refusal, which would only repeat the "No" of the answer."""
_CARD_FIRST = re.compile("(?:[A23456789TJQK]|10)[cdhs♣♦♥♠](?![a-z])")


def _allowed(move: Move, after: Hand, view: View, style: Style) -> Numbered:
    """Return what the player may do, and by which rule. *after*: the hand after this legal move."""
    hand, last = view.hand, view.hand.phase is Phase.LAST_CHANCE
    upcard = "the upcard" if hand.upcard is None else style.the(hand.upcard)
    match move:
        case Pass() if last:
            return "4.7", "you may pass, and the hand is void"
        case Pass():
            return "4.2", "you may pass"
        case TakeUpcard() if last:
            return "4.7", f"you may take {upcard}, but the hand is void unless you then end it"
        case TakeUpcard():
            return "4.4", f"you may take {upcard}, and discard a different card"
        case DrawStock() if hand.phase is Phase.FIRST_DRAW:
            return ("4.2" if hand.first_upcard is not None else "10.4"), "you draw from the stock"
        case DrawStock():
            return "4.3", "you may draw from the stock"
        case Discard(card):
            return _thrown(f"you may discard {style.the(card)}", after)
        case Knock():
            return _knock(move, view, style)
        case Spread() if hand.rules.mahjong:
            return "12.7", "you show your remaining cards"
        case Spread():
            left, least = map(hand.melding.pips, (move.deadwood, best_answer(view).deadwood))
            better = f"; the best leaves {least}" if least < left else ""
            return "6.2", f"that spread leaves {left}{better}"
        case Lay() if after.phase is Phase.LAY_OFF:
            return "12.6", "you may lay that and go gin"
        case Lay():
            return ("12.4" if move.melds else "12.5"), "you may lay that"
        case TakeDiscards(count):
            gin = " and go gin" if after.phase is Phase.LAY_OFF else ""
            return "12.3", f"you may take {count} cards{gin}, because you can lay the bottom one"


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


# --- all legal actions ------------------------------------------------------------------


def legal_actions(view: View, style: Style) -> list[str]:
    """Say what our player may and can't do now. A move must be due in this view."""
    return [
        with_number(number, sentence)
        for number, sentence in (*_limit(view, style), *_now(view, style))
    ]


def _limit(view: View, style: Style) -> Iterator[Numbered]:
    """Give the knock limit if a card sets it, and say whether the hand counts double."""
    hand = view.hand
    card = hand.limit_card
    if hand.phase is Phase.LAY_OFF:
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
        case Phase.LAY_OFF if hand.rules.mahjong:
            yield "12.7", "You show your remaining cards; you can't lay any more."
        case Phase.LAY_OFF:
            yield "6.1", "You spread all ten cards: melds and deadwood."
            if fitting := lay_off_targets(view):
                yield "6.3", f"You may lay off on {style.numbered_melds(hand.open_melds, fitting)}."
            elif hand.open_melds:
                yield "6.3", "You can't lay off: none of your cards fits."
            else:
                yield "6.3", "You can't lay off: nobody lays off against gin."
    if hand.phase in _BEFORE_THE_DRAW:
        ending = "discard or lay cards" if hand.rules.mahjong else "discard or knock"
        yield "4.3", f"You can't {ending} until you have drawn or taken a card."


_BEFORE_THE_DRAW = (Phase.FIRST_UPCARD, Phase.SECOND_UPCARD, Phase.FIRST_DRAW, Phase.DRAW)


def _several(view: View) -> str:
    counts = take_counts(view)
    if not counts:
        return "You can't take several cards: you couldn't lay any of the lower ones at once."
    shown = " or ".join(map(str, counts))
    return f"You may take the top {shown} cards, if you lay the bottom one at once."


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
        why = f"end the hand after taking {the}: only gin ends it, and {left}"
        if limit:
            why = f"knock after taking {the}: {left}, and the limit is {limit}"
        void = "You may take it, but the hand is void anyway."
        yield limit_number(hand.rules), f"You couldn't {why}. {void}"


def _ways_to_end(view: View, style: Style) -> Iterator[Numbered]:
    hand = view.hand
    last_card = hand.size(view.seat) == 1  # only in Mahjong gin
    if last_card:
        yield "12.6", f"You may discard {style.the(cards_of(view.cards)[0])} and go gin."
    elif hand.taken is None:
        yield "4.3", "You can discard any card."
    else:
        taken = style.the(hand.taken)
        yield "4.4", f"You can discard any card except {taken}, which you just took."
    at_wall = hand.stock_left == WALL
    if leaves_last_discard(hand):
        yield "4.7", "Your opponent may then take it to end the hand; otherwise the hand is void."
    elif hand.is_last_turn and not last_card:
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
        yield by, f"You can't end the hand: only gin ends it, and your best discard leaves {least}."
    elif least <= limit:  # otherwise, it has just been said that not even a knock is possible
        yield "5.4", f"You can't go gin: your best discard leaves {least}."
    if can_go_big_gin(view):
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
        yield "12.5", "You can't add any of your cards to the melds on the table now."
    yield "12.2", "You can't knock in Mahjong gin."
