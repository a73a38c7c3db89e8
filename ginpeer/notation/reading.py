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
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from ginpeer.notation import lines
from ginpeer.notation.lines import SLASH_HINT, cards_in, each_once, read_line, sum_words
from ginpeer.notation.sheet import (
    ROLES,
    VERSION,
    BadNotation,
    Sheet,
    SheetMaker,
    account_lines,
    result_line,
    result_value,
    score_line,
    second_deck,
    shown_by,
)
from ginpeer.rules.cards import Card, CardSet, Illegal, RulesError, popcount, set_text
from ginpeer.rules.hand import HAND_SIZE, Hand
from ginpeer.rules.match import Match, cut_dealer
from ginpeer.rules.moves import Knock, Move, Spread, TakeUpcard
from ginpeer.rules.parameters import FirstDealer
from ginpeer.rules.ruleset import STANDARD, RuleSet, parse_ruleset

# --- hints ----------------------------------------------------------------------------

_TWO_MELDS: Final = 6  # the fewest cards that two melds have


def refusal_sentence(why: RulesError, move: Move, position: Hand) -> str:
    """Return the sentence for a refused move, with a hint at what was probably meant."""
    hint: str | None = None
    match why.code, move:
        case "card-not-held", _:  # the rules address the player, and the notation doesn't
            who = f"The {ROLES[position.to_move]} doesn't have"
            return why.sentence.replace("You don't have", who)
        case "layoff-does-not-fit", Spread():
            melds = len(position.open_melds)
            for _, index in move.layoffs:
                if index >= melds:  # the rules count from 0, and the notation from 1
                    return (
                        f"There is no meld @{index + 1}: the knocker has {melds}, and the first "
                        "is @1."
                    )
        case "wrong-card-count", Knock() | Spread():
            hint = _missing(move, position) or (None if move.deadwood else SLASH_HINT)
        case "not-a-meld", Knock() | Spread() if not move.deadwood:
            hint = SLASH_HINT
        case "not-a-meld", Knock() | Spread() if max(map(popcount, move.melds)) >= _TWO_MELDS:
            hint = "Put a comma between melds."
        case "card-twice", Knock(discard=Card() as discard) if move.cards & discard.bit:
            hint = f"{discard} is the discard; don't list it again."
    return why.sentence if hint is None else f"{why.sentence} {hint}"


def _missing(shown: Knock | Spread, position: Hand) -> str | None:
    """Return a sentence that names the missing cards, if the hand is known."""
    missing = (position.hands[position.to_move] or 0) & ~shown_by(shown)
    if not missing:
        return None
    verb = "is" if popcount(missing) == 1 else "are"
    stroke = "" if shown.deadwood else f" {SLASH_HINT}"
    return f"{set_text(missing)} {verb} missing.{stroke}"


# --- tags -----------------------------------------------------------------------------

MAX_TAGS: Final = 64
_VERSION = "gin"
_SPELT: Final = {
    name.casefold(): name
    for name in (
        *("Proof", "Verdict", "Owes", "Host", "Guest", "HostKey", "GuestKey", "Rules", "Started"),
        *("Cut", "Result", "Event", "Site", "Round"),
    )
}
"""How we spell the tags that have a meaning. A text may use any case."""


@contextmanager
def _at_line(line: int) -> Iterator[None]:
    """Turn an error that the rules raise in this block into BadNotation at this line."""
    try:
        yield
    except RulesError as why:
        raise BadNotation(why.code, why.sentence, line) from why


class Tags:
    def __init__(self) -> None:
        self._tags: dict[str, tuple[str, str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._tags)

    def take(self, name: str, value: str, line: int) -> None:
        """Add a tag. Raises BadNotation."""
        key = name.casefold()
        if key in self._tags:
            raise BadNotation("tag-twice", f"The tag {name} appears twice.", line)
        if len(self._tags) == MAX_TAGS:
            raise BadNotation("tag-unreadable", f"There are more than {MAX_TAGS} tags.", line)
        if key == _VERSION and value != VERSION:
            raise BadNotation(
                "notation-too-new",
                "This is a different version of the notation; this program reads version "
                f"{VERSION}.",
                line,
            )
        self._tags[key] = (name, value, line)
        if key == "cut":
            self._cut_dealer()

    @property
    def kept(self) -> tuple[tuple[str, str], ...]:
        """All tags except the version, which belongs to the text and not to the match. Those with a
        meaning are spelt as in NOTATION 3.2."""
        return tuple(
            (_SPELT.get(key, name), value)
            for key, (name, value, _) in self._tags.items()
            if key != _VERSION
        )

    @property
    def rules(self) -> RuleSet:
        value, line = self._value("rules")
        if value is None:
            return STANDARD
        with _at_line(line):
            rules = parse_ruleset(value)
            rules.check()
        return rules

    def first_dealer(self, rules: RuleSet) -> int | None:
        """Return who deals first according to the rules or the cut; None if the cut is missing."""
        if rules.first_dealer is FirstDealer.LOWER_CUT:
            return self._cut_dealer()
        return 0 if rules.first_dealer is FirstDealer.HOST else 1

    def check_result(self, sheet: Sheet) -> None:
        """Raise BadNotation if the Result tag contradicts the hands."""
        value, line = self._value("result")
        if value is None or not sheet.whole:
            return
        made = result_value(sheet.match)
        if value.casefold() != made:
            raise BadNotation(
                "sum-differs", f"The Result tag doesn't match the hands, which give {made}.", line
            )

    def _cut_dealer(self) -> int | None:
        value, line = self._value("cut")
        if value is None:
            return None
        try:
            host, guest = cards_in(value)
            return cut_dealer((host, guest))
        except ValueError as why:
            raise BadNotation(
                "tag-unreadable", "A cut is the host's card, then the guest's, as in: 7d Kc.", line
            ) from why

    def _value(self, key: str) -> tuple[str | None, int]:
        found = self._tags.get(key)
        return (None, 0) if found is None else found[1:]


# --- reading --------------------------------------------------------------------------

MAX_BYTES: Final = 4 * 1024 * 1024
"""Enough for the longest log: its 64 MiB of entries make less text than this, because every hand
takes at least 20 KB of them."""
MAX_LINES: Final = 65_536
MAX_LINE: Final = 8_192  # characters; room for a tag's value of 512 escaped characters
MAX_MOVES: Final = 50_000  # in one hand, more than any log has room for

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
    for number, line in enumerate(_LINE_END.split(text, MAX_LINES), 1):
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
        with _at_line(number):
            self._take(read_line(text, number), number)

    def end(self) -> Sheet:
        if self._deal is not None:
            line = self._deal.line
            with _at_line(line):
                self._finish_deal(line)
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

    def _finish_deal(self, line: int, first_turn: int | None = None) -> None:
        """Begin the hand of the pending head, if any: even a head without turns counts as a hand.
        *first_turn* is the seat that the first turn names."""
        if self._deal is None:
            return
        deal, maker, self._deal = self._deal, self._ready(), None
        number = self._number(deal)
        match = maker.begin(number, self._dealer(deal, number, first_turn, line), deal.mark)
        self._moves = 0
        self._over = None
        second = second_deck(maker.rules)
        turned = deal.said.get("knock-card" if second else "upcard")
        if turned is None:
            return
        first = self._first(deal, match) if second else None
        upcard, knock_card = (None, turned) if second else (turned, None)
        with _at_line(deal.cards_line or deal.line):
            maker.deal((deal.said.get("host"), deal.said.get("guest")), upcard, knock_card, first)

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

    def _first(self, deal: _Deal, match: Match) -> int:
        by_rules = match.first_to_play
        hands = self._ready().hands
        begins = hands[0].number if hands else deal.number or 1
        first: int | None = deal.said.get("first")
        if first is not None and begins != 1 and match.last_winner is None:
            return first  # an earlier hand, which isn't in this text, decides
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
            self._finish_deal(number, None if resigns else turn.seat)
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
        if isinstance(move, TakeUpcard) and drawn not in (None, position.upcard):
            raise BadNotation(
                "upcard-differs", f"The upcard is {position.upcard}, not {drawn}.", number
            )
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
        match = None if self._maker is None else self._maker.match
        hands = [] if self._maker is None else self._maker.hands
        kind, begins_late = words[0], bool(hands) and hands[0].number != 1
        if kind in ("result", "score"):
            if self._over is None:
                raise BadNotation("line-misplaced", "No hand has ended here.", number)
            over = self._over
            made = [result_line(over.results[-1]) if kind == "result" else score_line(over)]
        elif begins_late:
            return  # the score before these hands isn't known
        elif match is None or not match.finished:
            raise BadNotation("line-misplaced", "The match hasn't ended here.", number)
        else:
            made = [line for line in account_lines(match) if line.split(" ", 1)[0] == kind]
        if kind == "score" and begins_late:
            return
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
