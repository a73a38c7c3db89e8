"""What a player can look up at the table: help, table, taken, hint, score, rules, log. Looking
something up doesn't change the game.

Hints are given only in practice, where the opponent is this program's own bot. They aren't given
against a friend, even if the friend lets a bot play.
"""

from __future__ import annotations

from cli.table.arguments import NO_HINTS
from cli.table.legality import legal_actions
from cli.table.possible_moves import what_to_do
from cli.table.table_state import TableState
from cli.text.advice import alternative_lines, best_line, moves_to_compare
from cli.text.board import table_lines, taken_line
from cli.text.cards import Style
from cli.text.grammar import at_start, inside
from cli.text.rules import rules_in_short, with_number
from cli.text.score_sheet import score_line, score_sheet
from cli.text.series import may_offer
from ginpeer.adviser import advise, calibrated, can_advise, choices
from ginpeer.referee.table import GUEST
from ginpeer.rules.cards import Illegal
from ginpeer.rules.moves import Knock
from ginpeer.rules.ruleset import RuleSet

_MOST_HINTS = 3  # choices to describe, including the best
_NOT_HERE = (
    "There are hints only in a practice match. To see what you can do now, and by which rule, type "
    "rules."
)


def look_up(what: str, state: TableState, style: Style, log: str | None) -> list[str]:
    """Look up *what* was asked; for "hand", return the lines after the hand. *log*: the log's path,
    once there is a log. Raises Illegal with a sentence if there is nothing to show."""
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
            return [*explained, may_offer(state.other(), bot=state.against_bot)]
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
    """Return the open question, unless a request to confirm something is repeated anyway."""
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
    elif match is not None and not match.finished:
        lines.append("Nobody has any points yet.")
    if state.view is None:
        lines.append(state.why_no_move())
    return lines


def _hint(state: TableState, style: Style) -> list[str]:
    """Return the best choice and why, or the next two if asked again. Raises Illegal."""
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
    again, state.hinted = state.hinted is view, view
    other = inside(state.other())
    if again:
        return alternative_lines(found, style, other)
    moves = "move" if len(found) == 2 else "moves"
    more = [] if len(found) == 1 else [f"Type hint again for the next best {moves}."]
    return [best_line(found, style, other), *more]


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
    "Turn: draw (d), or take (t) or pass (p) the upcard; then a card to discard, like 7d.",
    "End: knock 7d (k 7d), gin 7d (g 7d); spread (s) answers a knock.",
)
_MAHJONG_TURN = (
    "Turn: draw (d), or take (t) the upcard; lay melds and add cards as you like; then a card to "
    "discard, like 7d.",
)
_UNDO = ("undo takes back your last move.",)
_REST = (
    "Look: hand (h), table, score, rules.",
    "Talk: say and your message. Stop: pause, resign, quit (q).",
    "More: help moves, help look, help settings, help talk, help keys. help knock explains one "
    "command. If you use a screen reader, type words on.",
)
_PRACTICE_REST = ("Look: hand (h), table, score, rules, hint.", *_REST[1:])

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
    "upcard. take 3 takes the top three cards of the pile and lays the lowest of them at once. "
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
    "hand (h) shows your cards. table shows everything you can see. taken shows what your opponent "
    "took from the pile.",
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
    "what you typed. Ctrl with left or right moves by a word. Ctrl-U and Ctrl-K erase. On "
    "Windows, or if TERM is dumb, your terminal's own keys apply.",
)

_ALSO = {"key": "keys", "tab": "keys", "looking": "look", "setting": "settings"}
_ALSO |= dict.fromkeys(("chat", "talking"), "talk")


def help_lines(
    rules: RuleSet | None, *, waiting: bool = False, agreed: bool = True, undo: bool = False
) -> tuple[str, ...]:
    """Return the main help. *waiting*: nobody has joined yet. *agreed*: rules can't be proposed.
    *undo*: moves may be taken back."""
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


def rules_lines(rules: RuleSet, first: str = "") -> list[str]:
    """Summarise these rules. *first*: the first line; if empty, it just names the rules."""
    return [
        first or f"Rules of {rules}:",
        *(with_number(number, sentence) for number, sentence in rules_in_short(rules)),
        f"For the full rules, run ginpeer rules {rules}.",
    ]
