"""A match as somebody would write it down, without signatures, and its text (proto/NOTATION.md).

Rule 1: a sheet is made only by replaying moves by the rules (SheetMaker), whether they come from
        a log or from a text. So nothing in it can be illegal or add up wrong.
Rule 2: anything unknown is None: a hand, the card of a draw, the winner. Nothing is guessed.
Rule 3: every number in the text is computed from the moves. The reader computes it again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import astuple, dataclass, field, replace
from itertools import groupby
from typing import Final

from ginpeer.names import MAX_MARKS, QUOTE, in_quotes
from ginpeer.rules import moves
from ginpeer.rules.cards import Card, CardSet, Illegal, cards_of, set_text
from ginpeer.rules.hand import Hand, Phase
from ginpeer.rules.match import Match
from ginpeer.rules.parameters import KnockLimit
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import HandResult, Outcome, ScoreLine


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
    """One move, its seat and, if known, the card that it drew or took from the top of the pile.
    Comparisons ignore the line."""

    seat: int
    move: moves.Move
    card: Card | None = None
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
        self._seen: CardSet = 0 if dealt.first_upcard is None else dealt.first_upcard.bit
        for seat, held in enumerate(cards):
            if held is not None:
                self.hand = self.hand.knowing(seat, held)
                self._seen |= held

    def make(self, move: moves.Move, drawn: Card | None = None) -> None:
        """Make the next move. Raises Illegal and changes nothing if it isn't allowed."""
        hand, seat = self.hand, self.hand.to_move
        shown = shown_by(move)
        strangers = shown & (hand.hands[1 - seat] or 0)
        if strangers:
            held = cards_of(strangers)[0]
            raise Illegal("card-not-held", f"{held} is in the opponent's hand.", "1.1")
        if isinstance(move, moves.DrawStock) and drawn is not None:
            if self._seen & drawn.bit:
                raise Illegal("card-not-held", f"{drawn} can't be in the stock.", "4.1")
            shown = drawn.bit
            hand = hand.apply(move) if hand.hands[seat] is None else hand.drawing(drawn)
        else:
            hand = hand.apply(move)
            if isinstance(move, moves.DrawStock) and hand.hands[seat] is not None:
                hand = hand.seen_by(1 - seat)
        self.hand = _short(hand)
        self._seen |= shown


def _short(hand: Hand) -> Hand:
    """Return the hand without its earlier moves if there are many: there can be fifty thousand, and
    each copy would copy them all. The last discard stays, because it can set the knock limit."""
    if len(hand.moves) < _MANY or type(hand.moves[-1][1]) is not moves.Discard:
        return hand
    return hand._replace(moves=hand.moves[-1:])


def shown_by(move: moves.Move) -> CardSet:
    """Return the cards that this move shows to everybody. They can't come from the stock later."""
    match move:
        case moves.Discard():
            return move.card.bit
        case moves.Knock():
            return move.cards | (0 if move.discard is None else move.discard.bit)
        case moves.Spread() | moves.Lay():
            return move.cards
        case moves.TakeDiscards():
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

    def begin(self, number: int, dealer: int, mark: str = "") -> Match:
        """Begin a hand, and return the match before it. The caller must have called ``check_next``,
        and have checked that the dealer is ``match.dealer``."""
        self.match = self.match or Match.begin(self.rules, dealer)
        self._head = SheetHand(number, self.match, mark)
        return self.match

    def check_next(self) -> None:
        """Check that another hand can begin. Raises Illegal."""
        if self._head is not None:
            raise Illegal("line-misplaced", f"Hand {self._head.number} isn't over.")
        if self.match is not None and self.match.finished:
            raise Illegal("match-over", "The match is finished.")

    def deal(
        self, cards: Cards, upcard: Card | None, knock_card: Card | None, first: int | None
    ) -> None:
        """Deal the cards. With a second deck, *knock_card* and *first* take the upcard's place."""
        head = self._at_head()
        hand = Hand.begin(self.rules, head.dealer, upcard, knock_card=knock_card, first=first)
        self._play = Play(hand, cards)
        self._head = replace(head, cards=cards, dealt=hand)

    def make(self, move: moves.Move, drawn: Card | None = None, line: int | None = None) -> None:
        head = self._at_head()
        if self._play is None:
            raise ValueError("a move is made when the cards are dealt")
        before = self._play.hand
        card = before.upcard if isinstance(move, moves.TakeUpcard) else drawn
        self._play.make(move, drawn)
        self._made.append(PlayedMove(before.to_move, move, card, line))
        if self._play.hand.over:
            self.match = head.before.after(self._play.hand)
            self._end()

    def resign(self, seat: int) -> None:
        """Resign the match in this hand. Nobody can resign while a knock waits for its answer."""
        head = self._at_head()
        if self._play is not None and self._play.hand.phase is Phase.LAY_OFF:
            raise Illegal("not-allowed-now", "Answer the knock before anybody resigns.", "8.8")
        self.match = head.before.resign(seat)
        self._end(seat)

    def sheet(self, tags: tuple[tuple[str, str], ...] = ()) -> Sheet:
        if self._head is not None:
            self._end()
        return Sheet(self.rules, tags, tuple(self.hands), self.match)

    def _at_head(self) -> SheetHand:
        if self._head is None:
            raise Illegal("hand-over", "The hand is over; begin the next one with a hand line.")
        return self._head

    def _end(self, resigned: int | None = None) -> None:
        self.hands.append(replace(self._at_head(), made=tuple(self._made), resigned=resigned))
        self._head, self._play, self._made = None, None, []


def second_deck(rules: RuleSet) -> bool:
    """Return whether a hand begins with a card of a second deck instead of an upcard."""
    return rules.knock_limit is KnockLimit.SECOND_DECK


# --- tags -----------------------------------------------------------------------------
#
# Rule 4: a value is on one line between two quotation marks, and nothing in it can end the line or
#         look like the second mark: quotation marks and lookalikes, backslashes, controls, line
#         ends, invisible characters and those that change the writing direction are escaped.
# Rule 5: escapes read back as the original; visible text stays as it is, in every script.

MAX_VALUE: Final = 512
"""The most characters in a tag's value, as many as a rule set's text may have."""

TAG_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,31}", re.ASCII)
_ESCAPE: Final = re.compile(r"\\(?:([\"\\])|u\{([0-9a-f]{1,6})\})", re.ASCII | re.IGNORECASE)
_VALUE: Final = re.compile(rf"(?:[^\"\\]|{_ESCAPE.pattern})*", re.ASCII | re.IGNORECASE)


def tag_line(name: str, value: str) -> str:
    """Return one tag as it is written: [Host "Ada"]."""
    return f'[{name} "{escaped(value)}"]'


def result_value(match: Match | None) -> str:
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


# --- results and sums -----------------------------------------------------------------


def result_line(result: HandResult) -> str:
    """Return the line that says how a hand ended: "result knock guest 17, 6 against 23"."""
    kind = result.kind.value.replace(" ", "-")
    if result.kind is Outcome.VOID:
        return f"result {kind}"
    doubled = ", doubled" if result.doubled else ""
    line = f"result {kind} {_role(result.winner)} {result.points}"
    if result.kind is Outcome.MAHJONG:
        against = f"the other {result.other_points}, left {result.defender_deadwood}"
        return f"{line}, {against}{doubled}"
    return f"{line}, {result.knocker_deadwood} against {result.defender_deadwood}{doubled}"


def score_line(match: Match) -> str:
    """Return the line with both players' points in the game after a hand: "score host 0 guest 17".
    With several columns it also has the points in each, and with several games, the games won."""
    game = match.played_game
    line = f"score {_both(game.scores)}"
    if len(game.columns) > 1:
        line += ", columns " + " ".join(_pair(column.points) for column in game.columns)
    if match.rules.best_of > 1 or match.rules.multi_match is not None:
        line += f", games {_pair(match.games_won)}"
    return line


def account_lines(match: Match) -> list[str]:
    """Return the lines of a finished match's settlement: columns, totals, winner and debt."""
    settlement = match.settlement()
    lines = []
    for game in settlement.games:
        for at, column in enumerate(game.columns, 1):
            host, guest = map(_sum, column.lines)
            lines.append(f"column {game.number}.{at} host {host}, guest {guest}")
    lines += [f"total {_both(settlement.totals)}", f"winner {_role(settlement.winner)}"]
    if settlement.debtor is not None:
        lines.append(f"owes {_role(settlement.debtor)} {settlement.payment}")
    return lines


def _sum(line: ScoreLine) -> str:
    return f"{' + '.join(map(str, astuple(line)))} = {line.total}"


def _both(points: tuple[int, int]) -> str:
    return f"host {points[0]} guest {points[1]}"


def _pair(points: tuple[int, int]) -> str:
    return f"{points[0]}:{points[1]}"


def _role(seat: int | None) -> str:
    return "nobody" if seat is None else ROLES[seat]


# --- hands and turns ------------------------------------------------------------------


def write_sheet(sheet: Sheet) -> str:
    """Return the whole text, which ``read_sheet`` turns into an equal sheet."""
    lines = [tag_line(name, value) for name, value in (("Gin", VERSION), *sheet.tags)]
    afters = [*(hand.before for hand in sheet.hands[1:]), sheet.match]
    for hand, after in zip(sheet.hands, afters, strict=False):  # without hands, afters is longer
        lines += ["", *_hand_lines(hand)]
        if after is not None and len(after.results) > len(hand.before.results):
            lines.append(result_line(after.results[-1]))
            if sheet.whole:
                lines.append(score_line(after))
    if sheet.whole and sheet.match is not None and sheet.match.finished:
        lines += ["", *account_lines(sheet.match)]
    return "".join(f"{line}\n" for line in lines)


def _hand_lines(hand: SheetHand) -> Iterator[str]:
    yield f"hand {hand.number}{' ' if hand.mark else ''}{hand.mark}"
    yield f"dealer {ROLES[hand.dealer]}"
    dealt = hand.dealt
    if dealt is not None:
        for role, cards in zip(ROLES, hand.cards, strict=True):
            yield f"{role} {'?' if cards is None else by_suits(cards)}"
        if dealt.first_upcard is not None:
            yield f"upcard {dealt.first_upcard}"
        if second_deck(dealt.rules):
            yield f"knock-card {dealt.knock_card}"
            yield f"first {ROLES[dealt.to_move]}"
    yield from _turns(hand)
    if hand.resigned is not None:
        yield f"{ROLES[hand.resigned]} resigns"


def by_suits(cards: CardSet) -> str:
    """Return the cards of a hand with each suit as a word: "Tc 7d8dQd 8h9hKh 6s9sQs"."""
    suits = groupby(cards_of(cards), lambda card: card.suit)
    return " ".join("".join(map(str, suit)) for _, suit in suits)


def _turns(hand: SheetHand) -> Iterator[str]:
    """Yield a line for each turn: all consecutive moves of one player."""
    for seat, made in groupby(hand.made, lambda each: each.seat):
        yield f"{ROLES[seat]} {' '.join(map(_move_text, made))}"


def _move_text(made: PlayedMove) -> str:
    match move := made.move:
        case moves.DrawStock():
            return f"d {'?' if made.card is None else made.card}"
        case moves.TakeUpcard():
            return f"t {made.card}"
        case moves.Pass():
            return "pass"
        case moves.Discard():
            return f"-{move.card}"
        case moves.Knock(discard=None):
            return f"big-gin {_groups(move.melds, (), 0)}"
        case moves.Knock():
            word = "knock" if move.deadwood else "gin"
            return f"-{move.discard} {word} {_groups(move.melds, (), move.deadwood)}"
        case moves.Spread():
            return f"shows {_groups(move.melds, move.layoffs, move.deadwood)}"
        case moves.Lay():
            return f"lay {_groups(move.melds, move.adds, 0)}"
        case moves.TakeDiscards():
            return f"t {move.count} lay {_groups(move.lay.melds, move.lay.adds, 0)}"


def _groups(
    melds: tuple[CardSet, ...], laid: tuple[tuple[Card, int], ...], deadwood: CardSet
) -> str:
    """Return melds, then cards on melds (numbered from 1), and after a slash the deadwood."""
    groups = [*map(set_text, melds), *(f"{card}@{index + 1}" for card, index in laid)]
    left = [f"/ {set_text(deadwood)}"] if deadwood else []
    return " ".join([", ".join(groups), *left]).strip()
