"""A match as somebody would write it down, without signatures.

Rule 1: a sheet is made only by replaying moves by the rules (SheetMaker), whether they come from
        a log or from a text. So nothing in it can be illegal or add up wrong.
Rule 2: anything unknown is None: a hand, the card of a draw, the winner. Nothing is guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from ginpeer.names import MAX_MARKS, QUOTE, in_quotes
from ginpeer.rules.cards import Card, CardSet, Illegal, RulesError, cards_of, mask_of, parse_card
from ginpeer.rules.hand import Hand, Phase
from ginpeer.rules.match import Match, cut_dealer
from ginpeer.rules.moves import Discard, DrawStock, Knock, Lay, Move, Spread, TakeDiscards
from ginpeer.rules.parameters import FirstDealer, KnockLimit
from ginpeer.rules.ruleset import STANDARD, RuleSet, parse_ruleset


class BadNotation(ValueError):
    """A text that isn't a sheet, or that the rules don't allow.

    ``line`` counts from 1; it is None if the whole text is at fault. ``code`` is stable, and one
    of: text-too-large, text-not-utf8, text-empty, too-many-lines, line-too-long, line-unreadable,
    tag-unreadable, tag-twice, tag-too-late, notation-too-new, line-misplaced, hand-number,
    hand-over, hand-too-long, dealer-missing, dealer-differs, first-differs, upcard-missing,
    upcard-differs, seat-differs, seat-missing, turn-over, sum-differs, or the code of the rule that
    refused a move, a card or a rule set (ginpeer.rules). ``sentence`` begins with the line number.
    """

    def __init__(self, code: str, sentence: str, line: int | None = None) -> None:
        whole = sentence if line is None else f"Line {line}: {sentence}"
        super().__init__(whole)
        self.code = code
        self.sentence = whole
        self.line = line

    def __reduce__(self) -> tuple[type[BadNotation], tuple[str, str, int | None]]:
        prefix = "" if self.line is None else f"Line {self.line}: "
        return type(self), (self.code, self.sentence.removeprefix(prefix), self.line)


VERSION = "1"  # the version of the notation

ROLES = ("host", "guest")  # the notation's names for the two seats

_MANY = 64

Cards = tuple[CardSet | None, CardSet | None]
"""The host's and the guest's cards; None if they aren't known."""


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """One move, its seat and, if known, the card that it drew. Comparisons ignore the line."""

    seat: int
    move: Move
    drawn: Card | None = None
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class SheetHand:
    """One hand. ``before`` is the match before its deal, and ``mark`` a word such as FORGED at its
    head, or "". ``cards`` are those dealt, and ``dealt`` is the position after the deal, None if
    the deal was never finished. ``made`` are the moves, and ``resigned`` is the seat that resigned
    in this hand."""

    number: int
    before: Match
    mark: str = ""
    cards: Cards = (None, None)
    dealt: Hand | None = None
    made: tuple[PlayedMove, ...] = ()
    resigned: int | None = None

    @property
    def dealer(self) -> int:
        return self.before.dealer

    def positions(self) -> Iterator[Hand]:
        """Yield the position after the deal and after each move, as far as it is known. Earlier
        moves may be missing from its ``moves``."""
        if self.dealt is None:
            return
        play = Play(self.dealt, self.cards)
        yield play.hand
        for made in self.made:
            play.make(made.move, made.drawn)
            yield play.hand


@dataclass(frozen=True, slots=True)
class Sheet:
    """A match, or some hands of one; ``match`` is the state after them, None before any hand."""

    rules: RuleSet
    tags: tuple[tuple[str, str], ...] = ()
    hands: tuple[SheetHand, ...] = ()
    match: Match | None = None

    @property
    def whole(self) -> bool:
        """Whether the hands start with the first one of the match, so nothing was scored before."""
        return not self.hands or self.hands[0].number == 1

    def tag(self, name: str) -> str | None:
        """Return the value of this tag, whatever the case of its name; None if there is none."""
        wanted = name.casefold()
        return next((value for key, value in self.tags if key.casefold() == wanted), None)


class Play:
    """One hand in play, with the private hands as far as they are known. After an unknown draw, the
    player's hand is unknown, too."""

    def __init__(self, dealt: Hand, cards: Cards = (None, None)) -> None:
        """Start after the deal. Raises Illegal if the deal can't have given these cards."""
        self.hand = dealt
        self._seen = mask_of(card for card in (dealt.first_upcard,) if card is not None)
        for seat, held in enumerate(cards):
            if held is not None:
                self.hand = self.hand.knowing(seat, held)
                self._seen |= held

    def make(self, move: Move, drawn: Card | None = None) -> None:
        """Make the next move. Raises Illegal and changes nothing if it isn't allowed."""
        hand, seat = self.hand, self.hand.to_move
        if not isinstance(move, DrawStock):
            shown = _shown_by(move)
            strangers = shown & (hand.hands[1 - seat] or 0)
            if strangers:
                held = cards_of(strangers)[0]
                raise Illegal("card-not-held", f"{held} is in the opponent's hand.", "1.1")
            self.hand = _short(hand.apply(move))
            self._seen |= shown
            return
        if drawn is None:
            hand = _short(hand.apply(move))
            self.hand = hand if hand.hands[seat] is None else hand.seen_by(1 - seat)
            return
        if self._seen & drawn.bit:
            raise Illegal("card-not-held", f"{drawn} can't be in the stock.", "4.1")
        hand = hand.apply(move) if hand.hands[seat] is None else hand.drawing(drawn)
        self.hand = _short(hand)
        self._seen |= drawn.bit


def _short(hand: Hand) -> Hand:
    """Return the hand without its earlier moves if there are many: there can be fifty thousand, and
    each copy would copy them all. The last discard stays, because it can set the knock limit."""
    if len(hand.moves) < _MANY or type(hand.moves[-1][1]) is not Discard:
        return hand
    return hand._replace(moves=hand.moves[-1:])


def _shown_by(move: Move) -> CardSet:
    """Return the cards that this move shows to everybody. They can't come from the stock later."""
    match move:
        case Discard():
            return move.card.bit
        case Knock():
            return move.cards | (0 if move.discard is None else move.discard.bit)
        case Spread() | Lay():
            return move.cards
        case TakeDiscards():
            return move.lay.cards
        case _:
            return 0


@dataclass
class SheetMaker:
    """Builds a sheet move by move. Each method raises whatever the rules raise."""

    rules: RuleSet
    match: Match | None = None
    hands: list[SheetHand] = field(default_factory=list)
    _play: Play | None = None
    _head: SheetHand | None = None
    _made: list[PlayedMove] = field(default_factory=list)

    @property
    def position(self) -> Hand | None:
        """The position of the hand in play; None before its cards are dealt, and after it."""
        return None if self._play is None else self._play.hand

    def begin(self, number: int, dealer: int, mark: str = "") -> None:
        """Begin a hand. The caller must have checked that the dealer is ``match.dealer``."""
        self.check_next()
        match = Match.begin(self.rules, dealer) if self.match is None else self.match
        self.match = match
        self._head = SheetHand(number, match, mark)

    def check_next(self) -> None:
        """Raise Illegal if no hand can begin now."""
        if self._head is not None:
            raise Illegal("line-misplaced", f"Hand {self._head.number} isn't over.")
        if self.match is not None and self.match.finished:
            raise Illegal("match-over", "The match is finished.")

    def deal(
        self, cards: Cards, upcard: Card | None, knock_card: Card | None, first: int | None
    ) -> None:
        """Deal the cards. With a second deck, *knock_card* and *first* take the upcard's place."""
        head, match = self._at_head()
        hand = Hand.begin(self.rules, match.dealer, upcard, knock_card=knock_card, first=first)
        self._play = Play(hand, cards)
        self._head = replace(head, cards=cards, dealt=hand)

    def make(self, move: Move, drawn: Card | None = None, line: int | None = None) -> None:
        _, match = self._at_head()
        if self._play is None:
            raise ValueError("a move is made when the cards are dealt")
        seat = self._play.hand.to_move
        self._play.make(move, drawn)
        self._made.append(PlayedMove(seat, move, drawn, line))
        if self._play.hand.over:
            self.match = match.after(self._play.hand)
            self._end()

    def resign(self, seat: int) -> None:
        """Resign the match in this hand. Nobody can resign while a knock waits for its answer."""
        _, match = self._at_head()
        if self._play is not None and self._play.hand.phase is Phase.LAY_OFF:
            raise Illegal("not-allowed-now", "Answer the knock before anybody resigns.", "8.8")
        self.match = match.resign(seat)
        self._end(seat)

    def sheet(self, tags: tuple[tuple[str, str], ...] = ()) -> Sheet:
        """Return the finished sheet. Only its last hand may be unfinished."""
        if self._head is not None:
            self._end()
        return Sheet(self.rules, tags, tuple(self.hands), self.match)

    def _at_head(self) -> tuple[SheetHand, Match]:
        if self._head is None or self.match is None:
            raise Illegal("hand-over", "The hand is over; begin the next one with a hand line.")
        return self._head, self.match

    def _end(self, resigned: int | None = None) -> None:
        head, _ = self._at_head()
        self.hands.append(replace(head, made=tuple(self._made), resigned=resigned))
        self._head, self._play, self._made = None, None, []


def second_deck(rules: RuleSet) -> bool:
    """Return whether a hand begins with a card of a second deck instead of an upcard."""
    return rules.knock_limit is KnockLimit.SECOND_DECK


# --- tags -----------------------------------------------------------------------------
#
# Rule 1: a value is on one line between two quotation marks, and nothing in it can end the line or
#         look like the second mark: quotation marks and lookalikes, backslashes, controls, line
#         ends, invisible characters and those that change the writing direction are escaped.
# Rule 2: escapes read back as the original; visible text stays as it is, in every script.

MAX_VALUE: Final = 512
"""The most characters in a tag's value, as many as a rule set's text may have."""

TAG_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,31}", re.ASCII)
_ESCAPE: Final = re.compile(r"\\(?:([\"\\])|u\{([0-9a-f]{1,6})\})", re.ASCII | re.IGNORECASE)
_VALUE: Final = re.compile(rf"(?:[^\"\\]|{_ESCAPE.pattern})*", re.ASCII | re.IGNORECASE)


def tag_line(name: str, value: str) -> str:
    """Return one tag as it is written: [Host "Ada"]."""
    return f'[{name} "{escaped(value)}"]'


def result_value(match: Match | None) -> str:
    """Return the value of the Result tag for this match."""
    if match is None or not match.finished:
        return "unfinished"
    return "nobody" if match.winner is None else ROLES[match.winner]


def escaped(value: str) -> str:
    """Return the value as it is written between quotation marks."""
    out: list[str] = []
    bare = True  # whether a combining mark would have no letter before it
    marks = 0
    for character in value:
        is_mark = unicodedata.category(character)[0] == "M"
        marks = marks + 1 if is_mark else 0
        if character in '"\\':
            out.append(f"\\{character}")
        elif _misleads(character) or (is_mark and (bare or marks > MAX_MARKS)):
            out.append(f"\\u{{{ord(character):x}}}")
            bare = True
            continue
        else:
            out.append(character)
        bare = character in ' "'
    return "".join(out)


def unescaped(text: str) -> str | None:
    """Return the value of the text between quotation marks; None if it isn't valid."""
    if not _VALUE.fullmatch(text):
        return None
    try:
        return _ESCAPE.sub(lambda found: found[1] or _character(int(found[2], 16)), text)
    except ValueError:
        return None


def _character(number: int) -> str:
    """Return the character with this number. Raises ValueError if there is none."""
    if 0xD800 <= number < 0xE000:
        raise ValueError("a surrogate isn't a character")
    return chr(number)


def _misleads(character: str) -> bool:
    """Return whether a character is invisible, or could be taken for the end of the value."""
    category = unicodedata.category(character)
    if category[0] == "C" or (category[0] == "Z" and character != " "):
        return True
    return in_quotes(f"a{character}a") != f"{QUOTE}a{character}a{QUOTE}" or category == "Sk"


# --- the tags of a text ---------------------------------------------------------------

MAX_TAGS: Final = 64
_VERSION = "gin"
_SPELT: Final = {
    name.casefold(): name
    for name in (
        *("Proof", "Verdict", "Owes", "Host", "Guest", "HostKey", "GuestKey", "Rules", "Started"),
        *("Cut", "Result", "Event", "Site", "Round"),
    )
}
"""How the tags with a meaning are spelt. A text may have any case."""


class Tags:
    """The tags read from a text, one by one."""

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
        """The rules of the match. Raises BadNotation if they can't be played."""
        value, line = self._value("rules")
        if value is None:
            return STANDARD
        try:
            rules = parse_ruleset(value)
            rules.check()
        except RulesError as why:
            raise BadNotation(why.code, why.sentence, line) from why
        return rules

    def first_dealer(self, rules: RuleSet) -> int | None:
        """Return the first dealer by the rules or the cut; None if neither says."""
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
            host, guest = (parse_card(word) for word in value.split(" ", 2))
            return cut_dealer((host, guest))
        except ValueError as why:
            raise BadNotation(
                "tag-unreadable", "A cut is the host's card, then the guest's, as in: 7d Kc.", line
            ) from why

    def _value(self, key: str) -> tuple[str | None, int]:
        """Return the value and the line of a tag; None and 0 if it is missing."""
        found = self._tags.get(key)
        return (None, 0) if found is None else found[1:]
