"""Read a text as a sheet (NOTATION.md), replaying it by the rules. A refusal names the line and the
reason.

Rule 1: a text can come from anybody. Its size, its lines and their contents are bounded before
        anything else is checked, and nothing in it is trusted: the engine makes the moves, and
        every sum is computed again and compared.
Rule 2: missing parts are filled in only if the rules leave no choice: whose turn it is, who
        deals, which card is taken from the pile. Cards are never guessed.
Rule 3: a hint follows the rules' own sentence. It decides nothing. It can name cards, but never
        quotes the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from ginpeer.notation import lines
from ginpeer.notation.lines import SLASH_HINT, each_once, read_line, sum_words
from ginpeer.notation.sheet import ROLES, BadNotation, Sheet, SheetMaker, Tags, second_deck
from ginpeer.notation.writing import account_lines, result_line, score_line
from ginpeer.rules.cards import Card, CardSet, Illegal, RulesError, popcount, set_text
from ginpeer.rules.hand import HAND_SIZE, Hand
from ginpeer.rules.match import Match
from ginpeer.rules.moves import Knock, Move, Spread, TakeUpcard

# --- hints ----------------------------------------------------------------------------

_COMMA_HINT: Final = "Put a comma between melds."
_TWO_MELDS: Final = 6  # the fewest cards that two melds have


def refusal_sentence(why: RulesError, move: Move, position: Hand) -> str:
    """Return the sentence for a refused move, with a hint at what was probably meant."""
    if why.code == "card-not-held":  # the rules address the player, and the notation doesn't
        who = f"The {ROLES[position.to_move]} doesn't have"
        return why.sentence.replace("You don't have", who)
    if isinstance(move, Spread) and why.code == "layoff-does-not-fit":
        melds = len(position.open_melds)
        stranger = next((index for _, index in move.layoffs if index >= melds), None)
        if stranger is not None:  # the rules count from 0, and the notation from 1
            return (
                f"There is no meld @{stranger + 1}: the knocker has {melds}, and the first is @1."
            )
    if not isinstance(move, Knock | Spread):
        return why.sentence
    hint = _hint_on_shown_hand(why.code, move, position)
    return why.sentence if hint is None else f"{why.sentence} {hint}"


def _hint_on_shown_hand(code: str, shown: Knock | Spread, position: Hand) -> str | None:
    match code:
        case "wrong-card-count":
            return _missing(shown, position) or (None if shown.deadwood else SLASH_HINT)
        case "not-a-meld":
            if not shown.deadwood:
                return SLASH_HINT
            long = any(popcount(meld) >= _TWO_MELDS for meld in shown.melds)
            return _COMMA_HINT if long else None
        case "card-twice" if isinstance(shown, Knock) and shown.discard is not None:
            if shown.cards & shown.discard.bit:
                return f"{shown.discard} is the discard; don't list it again."
    return None


def _missing(shown: Knock | Spread, position: Hand) -> str | None:
    """Return a sentence that names the missing cards, if the hand is known."""
    held: CardSet | None = position.hands[position.to_move]
    named = shown.cards
    if isinstance(shown, Knock) and shown.discard is not None:
        named |= shown.discard.bit
    missing = 0 if held is None else held & ~named
    if not missing:
        return None
    verb = "is" if popcount(missing) == 1 else "are"
    stroke = "" if shown.deadwood else f" {SLASH_HINT}"
    return f"{set_text(missing)} {verb} missing.{stroke}"


# --- reading --------------------------------------------------------------------------

MAX_BYTES: Final = 4 * 1024 * 1024
"""Enough for the longest log: its 64 MiB of entries make less text than this, because every hand
takes at least 20 KB of them."""
MAX_LINES: Final = 65_536
MAX_LINE: Final = 8_192  # characters; room for a tag's value of 512 escaped characters
MAX_MOVES: Final = 50_000  # the most moves of one hand; a log has room for fewer

_LINE_END: Final = re.compile(r"\r\n|\n|\r")


def read_sheet(data: bytes) -> Sheet:
    """Return the sheet that a text in UTF-8 describes. Raises BadNotation."""
    if len(data) > MAX_BYTES:
        raise BadNotation(
            "text-too-large", f"This text is too long; it can have at most {MAX_BYTES} bytes."
        )
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as why:
        at = data.count(b"\n", 0, why.start) + 1
        raise BadNotation("text-not-utf8", "This isn't UTF-8 text.", at) from None
    reader = _Reader()
    for number, line in enumerate(_lines(text), 1):
        if number > MAX_LINES:
            raise BadNotation(
                "too-many-lines", f"This text is too long; it can have at most {MAX_LINES} lines."
            )
        if len(line) > MAX_LINE:
            raise BadNotation(
                "line-too-long",
                f"This line is too long; it can have at most {MAX_LINE} characters.",
                number,
            )
        reader.take(line, number)
    return reader.end()


def _lines(text: str) -> Iterator[str]:
    start = 0
    for end in _LINE_END.finditer(text):
        yield text[start : end.start()]
        start = end.end()
    yield text[start:]


@dataclass
class _Deal:
    """The head of a hand, as far as it has been read. ``line`` is where the head began."""

    line: int
    number: int | None = None
    mark: str = ""
    said: dict[str, Any] = field(default_factory=dict)  # the value after each word (lines.DealLine)
    cards_line: int | None = None  # the last line with a player's cards


class _Reader:
    def __init__(self) -> None:
        self._head = Tags()
        self._maker: SheetMaker | None = None
        self._deal: _Deal | None = None
        self._over: Match | None = None  # the match after the latest hand, if that hand is over
        self._moves = 0

    def take(self, text: str, number: int) -> None:
        try:
            self._take(read_line(text, number), number)
        except RulesError as why:
            raise BadNotation(why.code, why.sentence, number) from why

    def end(self) -> Sheet:
        deal = self._deal
        if deal is not None:
            try:
                self._begin(deal, None, deal.line)
            except RulesError as why:
                raise BadNotation(why.code, why.sentence, deal.line) from why
        if not self._head and self._maker is None:
            raise BadNotation("text-empty", "There is no hand in this text.")
        sheet = self._ready().sheet(self._head.kept)
        self._head.check_result(sheet)
        return sheet

    def _take(self, said: lines.Statement | None, number: int) -> None:
        match said:
            case lines.Tag():
                if self._maker is not None or self._deal is not None:
                    raise BadNotation("tag-too-late", "Tags go above the first hand.", number)
                self._head.take(said.name, said.value, number)
            case lines.HandHead():
                self._finish_deal(number)
                self._ready().check_next()
                self._deal = _Deal(number, said.number, said.mark)
            case lines.DealLine(word, value):
                self._of_deal(word, value, number)
            case lines.Turn():
                self._turn(said, number)
            case lines.SumLine():
                self._finish_deal(number)
                self._sum(said.words, number)

    # --- the head of a hand ----------------------------------------------------------------

    def _of_deal(self, word: str, value: object, number: int) -> None:
        if self._deal is None:
            if self._maker is not None:
                raise BadNotation(
                    "line-misplaced", "This line belongs at the start of a hand.", number
                )
            self._deal = _Deal(number)  # a single hand needn't begin with the line "hand"
        deal = self._deal
        if word in deal.said:
            raise BadNotation("line-misplaced", f"The line {word} appears twice.", number)
        deal.said[word] = value
        if isinstance(value, tuple):
            deal.said[word], deal.cards_line = _ten(value), number

    def _finish_deal(self, number: int) -> None:
        """If a head is pending, begin its hand: a head without turns is a hand, too."""
        if self._deal is not None:
            self._begin(self._deal, None, number)

    def _begin(self, deal: _Deal, first_turn: int | None, line: int) -> None:
        """Begin the hand with this head; *first_turn* is the seat named at its first turn."""
        self._deal, maker = None, self._ready()
        number = self._number(deal)
        dealer = self._dealer(deal, number, first_turn, line)
        maker.begin(number, dealer, deal.mark)
        self._moves = 0
        self._over = None
        second = second_deck(maker.rules)
        turned = deal.said.get("knock-card" if second else "upcard")
        if turned is None:
            return
        first = self._first(deal) if second else None
        upcard, knock_card = (None, turned) if second else (turned, None)
        try:
            cards = (deal.said.get("host"), deal.said.get("guest"))
            maker.deal(cards, upcard, knock_card, first)
        except RulesError as why:
            raise BadNotation(why.code, why.sentence, deal.cards_line or deal.line) from why

    def _ready(self) -> SheetMaker:
        """Return the maker of the sheet. The first call, after all tags, creates it."""
        if self._maker is None:
            self._maker = SheetMaker(self._head.rules)
        return self._maker

    def _number(self, deal: _Deal) -> int:
        hands = [] if self._maker is None else self._maker.hands
        expected = hands[-1].number + 1 if hands else None
        number = deal.number if deal.number is not None else expected or 1
        if number < 1 or (expected is not None and number != expected):
            raise BadNotation(
                "hand-number", f"This is hand {expected or 1}, not hand {number}.", deal.line
            )
        return number

    def _dealer(self, deal: _Deal, number: int, first_turn: int | None, line: int) -> int:
        """Return the seat that deals according to the rules or, if they don't say, the text."""
        maker = self._ready()
        by_rules: int | None = None
        if maker.match is not None:
            by_rules = maker.match.dealer
        elif number == 1:
            by_rules = self._head.first_dealer(maker.rules)
        if by_rules is not None:
            if deal.said.get("dealer") not in (None, by_rules):
                raise BadNotation(
                    "dealer-differs",
                    f"According to the rules, the {ROLES[by_rules]} deals.",
                    deal.line,
                )
            return by_rules
        if "dealer" in deal.said:
            return int(deal.said["dealer"])
        if first_turn is not None and not second_deck(maker.rules):
            return 1 - first_turn  # the non-dealer has the first turn
        raise BadNotation(
            "dealer-missing", "Say who deals the first hand, as in: dealer host.", line
        )

    def _first(self, deal: _Deal) -> int:
        maker = self._ready()
        if maker.match is None:
            raise AssertionError("the cards are dealt in a hand")
        by_rules = maker.match.first_to_play
        begins = not maker.hands and deal.number not in (None, 1)
        first: int | None = deal.said.get("first")
        if first is not None and begins:
            return first
        if first not in (None, by_rules):
            raise BadNotation(
                "first-differs", f"According to the rules, the {ROLES[by_rules]} starts.", deal.line
            )
        return by_rules

    # --- a turn ----------------------------------------------------------------------------

    def _turn(self, turn: lines.Turn, number: int) -> None:
        if self._deal is None and self._maker is None:
            self._deal = _Deal(number)
        if self._deal is not None:
            resigns = turn.actions[0].move is None  # either player may resign before the first turn
            self._begin(self._deal, None if resigns else turn.seat, number)
        maker, seat = self._ready(), None
        for action in turn.actions:
            position = maker.position
            if action.move is None:
                self._resign(turn.seat, position, number)
                continue
            if self._over is not None:
                raise BadNotation("hand-over", "The hand is over.", number)
            if position is None:
                sentence = "Say which card was turned up, as in: upcard 5h."
                if second_deck(maker.rules):
                    sentence = "Say which card sets the knock limit, as in: knock-card 5h."
                raise BadNotation("upcard-missing", sentence, number)
            to_move = position.to_move
            if turn.seat not in (None, to_move):
                raise BadNotation(
                    "seat-differs",
                    f"It's the {ROLES[to_move]}'s turn, not the {ROLES[1 - to_move]}'s.",
                    number,
                )
            if seat not in (None, to_move):
                raise BadNotation(
                    "turn-over", "The turn is over; write the next one on a new line.", number
                )
            seat = to_move
            self._make(position, action.move, action.card, number)

    def _make(self, position: Hand, move: Move, drawn: Card | None, number: int) -> None:
        self._moves += 1
        if self._moves > MAX_MOVES:
            raise BadNotation(
                "hand-too-long",
                f"This hand is too long; it can have at most {MAX_MOVES} moves.",
                number,
            )
        if isinstance(move, TakeUpcard):
            if drawn not in (None, position.upcard):
                raise BadNotation(
                    "upcard-differs", f"The upcard is {position.upcard}, not {drawn}.", number
                )
            drawn = None
        maker = self._ready()
        try:
            maker.make(move, drawn, number)
        except RulesError as why:
            raise BadNotation(why.code, refusal_sentence(why, move, position), number) from why
        if maker.position is None:
            self._over = maker.match

    def _resign(self, seat: int | None, position: Hand | None, number: int) -> None:
        if seat is None and position is not None:
            seat = position.to_move
        if seat is None:
            raise BadNotation("seat-missing", "Say who resigns, as in: host resigns.", number)
        self._ready().resign(seat)

    # --- sums ------------------------------------------------------------------------------

    def _sum(self, words: tuple[str, ...], number: int) -> None:
        """Check a line of results or scores: its words must begin a line that we would write."""
        maker = self._maker
        match = None if maker is None else maker.match
        kind = words[0]
        if kind in ("result", "score"):
            if self._over is None:
                raise BadNotation("line-misplaced", "No hand has ended here.", number)
            made = [result_line(self._over.results[-1])]
            if kind == "score":
                made = [score_line(self._over)]
        elif match is None or not match.finished:
            raise BadNotation("line-misplaced", "The match hasn't ended here.", number)
        else:
            made = [line for line in account_lines(match) if line.split(" ", 1)[0] == kind]
        first = () if maker is None else maker.hands[:1]
        if kind != "result" and any(hand.number != 1 for hand in first):
            return  # the score before these hands isn't known
        if not any(sum_words(line)[: len(words)] == words for line in made):
            rest = [line for line in made if sum_words(line)[:2] == words[:2]] or made
            right = f"this line should be: {rest[0]}" if rest else "this line shouldn't be here"
            raise BadNotation("sum-differs", f"According to the hands above, {right}.", number)


def _ten(cards: tuple[Card, ...]) -> CardSet:
    mask = each_once(cards)
    if len(cards) != HAND_SIZE:
        raise Illegal(
            "wrong-card-count", f"A hand is dealt {HAND_SIZE} cards, not {len(cards)}.", "4.1"
        )
    return mask
