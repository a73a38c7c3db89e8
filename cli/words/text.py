"""How cards, hands, names and scores are written for a person.

# House rules
#
# 1. A line says all it means in words. Colour, symbols and alignment only repeat it, so a screen
#    reader, a log file and a colour-blind eye get the whole of it.
# 2. Whatever a peer could have written passes through safe() here, at the last door before the
#    terminal, no matter who checked it earlier.
# 3. Within a sentence of ours it stands as in_marks() and called() make it: in quotation marks
#    that it cannot end, or as one plain word (ginpeer.names.quoting). Names of the players of a
#    match come from display_names(), which also tells them apart. Where it is judged who has signed
#    what, the key comes first, and the name always stands in_marks().
# 4. Nothing here decides anything about the game, and nothing prints: text in, text out.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from ginpeer.names.quoting import QUOTE, Role, in_quotes, told_apart
from ginpeer.names.quoting import called as _called
from ginpeer.rules.cards import RANKS, SUITS, Card, CardSet, cards_of, parse_card, popcount
from ginpeer.rules.laid_out import dearest_first, in_row, laid_out
from ginpeer.rules.melds import melding
from ginpeer.rules.ruleset import STANDARD, AfterVoid, RuleSet
from ginpeer.rules.score import HandResult, Outcome
from protocol.messages import Disclosure

SYMBOLS = "♣♦♥♠"
SUIT_WORDS = ("clubs", "diamonds", "hearts", "spades")
RANK_WORDS = ("ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king")
_RANK_SHORT = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_RED = (1, 2)

MAX_SAFE = 500  # characters of one peer-controlled text; a chat line has no more
MAX_MARKS = 2  # combining marks on one letter; enough for Vietnamese, too few to climb the screen
YOU = "You"
_MARKER = "\N{REPLACEMENT CHARACTER}"

_RULES_CARD = re.compile(rf"\b[{RANKS}][{SUITS}]\b")

# Letters and symbols by their category that nevertheless leave a blank or nothing on the screen.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


class Output(Protocol):
    """As much of a text stream as its style depends on."""

    @property
    def encoding(self) -> str | None: ...

    def isatty(self) -> bool: ...


def safe(text: str, limit: int = MAX_SAFE) -> str:
    """Text that somebody else wrote, made harmless for a terminal and for the line it stands in.

    Line ends, tabs and odd spaces become plain spaces; controls, bidirectional and invisible
    characters become U+FFFD (visible, so that two names which differ only in them look
    different); piled up combining marks are cut; what is longer than *limit* ends in "...".
    """
    out: list[str] = []
    marks = 0
    for character in text[: limit + 1]:
        category = unicodedata.category(character)
        if category in ("Mn", "Me") and not _selects_variation(character):
            marks += 1
            if marks <= MAX_MARKS and out and character not in _INVISIBLE:
                out.append(character)
            continue
        marks = 0
        if category in ("Zs", "Zl", "Zp") or character in "\t\n\r\v\f":
            out.append(" ")
        elif category[0] == "C" or character in _INVISIBLE or _selects_variation(character):
            out.append(_MARKER)
        else:
            out.append(character)
    if len(text) > limit:
        out[limit:] = ["..."]
    return "".join(out).strip(" ") or _MARKER


def in_marks(text: str, limit: int = MAX_SAFE) -> str:
    """What somebody else wrote, within a sentence of ours: "like this", and harmless."""
    return isolated(in_quotes(safe(text, limit)))


def called(name: str) -> str:
    """A name within a sentence of ours: Ann, "Ann Smith"."""
    return name if isinstance(name, Role) else isolated(_called(safe(name)))


def isolated(sentence: str) -> str:
    """A sentence whose quoted parts, where they are written from right to left, leave the order of
    what stands around them alone: a name before a number would else change places with it."""
    return _QUOTED.sub(_isolated, sentence)


def _isolated(found: re.Match[str]) -> str:
    if all(unicodedata.bidirectional(c) not in ("R", "AL", "AN") for c in found[0]):
        return found[0]
    return f"\N{LEFT-TO-RIGHT ISOLATE}{found[0]}\N{POP DIRECTIONAL ISOLATE}"


_QUOTED = re.compile(f"{QUOTE}[^{QUOTE}]*{QUOTE}")


def _selects_variation(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


class Sort(Enum):
    """How a hand is laid out; the value is what the player types."""

    MELDS = "melds"
    SUIT = "suit"
    RANK = "rank"


@dataclass(frozen=True, slots=True)
class Style:
    """How cards are written: suits as symbols, letters or words; red suits coloured or not."""

    symbols: bool = False
    words: bool = False
    colour: bool = False

    def card(self, card: Card) -> str:
        """One card: "10♦", "10d" or "10 of diamonds"."""
        if self.words:
            return f"{RANK_WORDS[card.rank]} of {SUIT_WORDS[card.suit]}"
        suit = SYMBOLS[card.suit] if self.symbols else SUITS[card.suit]
        text = _RANK_SHORT[card.rank] + suit
        return f"\x1b[31m{text}\x1b[0m" if self.colour and card.suit in _RED else text

    def the(self, card: Card) -> str:
        """One card within a sentence: "10♦", "the 10 of diamonds"."""
        return f"the {self.card(card)}" if self.words else self.card(card)

    def respelt(self, sentence: str) -> str:
        """A sentence of the rules, which write each card as "Tc", with its cards as the player sees
        or hears them."""
        text = _RULES_CARD.sub(lambda found: self.the(parse_card(found[0])), sentence)
        return text[:1].upper() + text[1:]

    def cards(self, cards: Iterable[Card]) -> str:
        """Several cards, in the order given: "7♣ 7♥", "7 of clubs, 7 of hearts"."""
        return (", " if self.words else " ").join(map(self.card, cards))

    def meld(self, meld: CardSet) -> str:
        """A meld: "3♣ 4♣ 5♣"; in words "3, 4, 5 of clubs" or "7 of clubs, hearts, spades"."""
        cards = in_row(meld)
        if not self.words:
            return self.cards(cards)
        if cards[0].suit == cards[-1].suit:
            ranks = ", ".join(RANK_WORDS[card.rank] for card in cards)
            return f"{ranks} of {SUIT_WORDS[cards[0].suit]}"
        suits = ", ".join(SUIT_WORDS[card.suit] for card in cards)
        return f"{RANK_WORDS[cards[0].rank]} of {suits}"

    def the_meld(self, meld: CardSet) -> str:
        """A meld behind its number, which would be heard as one more rank: "meld 5, the 6, 7, 8 of
        clubs"."""
        return f"the {self.meld(meld)}" if self.words else self.meld(meld)

    def melds(self, melds: Sequence[CardSet]) -> str:
        """Melds in the order given, or "none"."""
        return ("; " if self.words else ", ").join(map(self.meld, melds)) or "none"

    def numbered_melds(self, melds: Sequence[CardSet]) -> str:
        """Open melds, counted from 1: "meld 1, 3♣ 4♣ 5♣; meld 2, 7♣ 7♥ 7♠"."""
        return "; ".join(f"meld {at}, {self.the_meld(meld)}" for at, meld in enumerate(melds, 1))

    def deadwood(self, cards: CardSet, rules: RuleSet) -> str:
        """Deadwood, the dearest card first, with its count: "K♠ 4♦ (14)", or "none (0)"."""
        text, count = self.dearest(cards, rules), melding(rules).pips(cards)
        return f"{text}, counting {count}" if self.words else f"{text} ({count})"

    def dearest(self, cards: CardSet, rules: RuleSet) -> str:
        """Cards in no meld, the dearest first, or "none"."""
        return self.cards(dearest_first(cards, rules)) or "none"

    def hand(self, hand: CardSet, rules: RuleSet, sort: Sort = Sort.MELDS) -> str:
        """A hand as one line, sorted, with the count of its least deadwood; in Mahjong gin with
        what all of it counts, since nothing counts for a player before it is on the table.

        Where several arrangements leave the least deadwood, the first of them is shown.
        """
        melds, rest, count = laid_out(hand, rules)
        ordered = "" if sort is Sort.MELDS else self.cards(sorted_by(sort, hand))
        if rules.mahjong:
            cards = ordered or f"melds {self.melds(melds)}; loose {self.dearest(rest, rules)}"
            return f"{cards}; {plural(popcount(hand), 'card')}, counting {count}"
        if ordered:
            return f"{ordered}; deadwood counts {count}"
        return f"melds {self.melds(melds)}; deadwood {self.deadwood(rest, rules)}"


_SORT_KEYS = {
    Sort.SUIT: lambda card: (card.suit, card.rank),
    Sort.RANK: lambda card: (card.rank, card.suit),
}


def sorted_by(sort: Sort, cards: CardSet) -> list[Card]:
    """The cards by suit or by rank."""
    return sorted(cards_of(cards), key=_SORT_KEYS[sort])


def style_for(output: Output | None, environ: Mapping[str, str] | None = None) -> Style:
    """The style that suits this stream: symbols where its encoding has them, colour on a terminal
    only, and never against NO_COLOR (no-color.org) or on TERM=dumb."""
    if output is None:  # it was closed before we started
        return Style()
    environ = os.environ if environ is None else environ
    colour = output.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    return Style(symbols=_can_write(output, SYMBOLS), colour=colour)


def _can_write(output: Output, text: str) -> bool:
    try:
        text.encode(output.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def display_names(names: tuple[str, str], *, quoted: bool = False) -> tuple[str, str]:
    """The players' names for the screen: cleaned, quoted where they are not plain, or all of them
    if *quoted*, and told apart where they look alike.

    A player may call itself "You" or "Nobody" or "224", as the other does, or as the other is
    shown; then the seat is added.
    """
    return told_apart(names, _in_marks if quoted else called)


def _in_marks(name: str) -> str:
    return name if isinstance(name, Role) else in_marks(name)


def seen_by(names: tuple[str, str], seat: int | None) -> tuple[str, str]:
    """Display names as this seat reads them: the own one is "You"."""
    if seat is None:
        return names
    return (YOU, names[1]) if seat == 0 else (names[0], YOU)


def verb(name: str, base: str) -> str:
    """The verb as it stands with this subject: verb("Ann", "pass") is "passes"."""
    if name == YOU:
        return base
    return f"{base}es" if base.endswith(("s", "o")) else f"{base}s"


def does(name: str, base: str) -> str:
    """Subject and verb, to begin a sentence: "Ann passes", "You pass"."""
    return f"{name} {verb(name, base)}"


def inside(name: str) -> str:
    """A name within a sentence: "Ann", "you"."""
    return "you" if name == YOU else name


def disclosure_word(disclosure: Disclosure) -> str:
    """As --disclose takes it: "after-match"."""
    return disclosure.name.lower().replace("_", "-")


def plural(count: int, one: str, many: str | None = None) -> str:
    """ "1 card", "2 cards"."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def number(value: int) -> str:
    """A number as it is read aloud: "5", "minus 5", for many screen readers skip a sign."""
    return str(value) if value >= 0 else f"minus {-value}"


def result_text(result: HandResult, names: tuple[str, str], rules: RuleSet = STANDARD) -> str:
    """A hand's result as one sentence; *names* as display_names or seen_by gives them."""
    if result.kind is Outcome.VOID or result.knocker is None:
        return f"The hand is void: nobody scores, and {_DEALS_NEXT[rules.after_void]}."
    knocker, against = names[result.knocker], f"against {result.defender_deadwood}"
    doubled = ", doubled for spades" if result.doubled else ""
    if result.kind is Outcome.MAHJONG:
        other = names[1 - result.knocker]
        return (
            f"{does(knocker, 'go')} gin {against} and {verb(knocker, 'score')} {result.points}; "
            f"{inside(other)} {verb(other, 'score')} {number(result.other_points)}{doubled}."
        )
    if result.kind in (Outcome.GIN, Outcome.BIG_GIN):
        ends = f"{does(knocker, 'go')} {result.kind.value} {against}"
    else:
        ends = f"{does(knocker, 'knock')} with {result.knocker_deadwood} {against}"
    if result.winner is None:
        return f"{ends}: a tie, and nobody scores."
    winner = names[result.winner]
    scores = f"{verb(winner, 'score')} {result.points}{doubled}"
    if result.winner == result.knocker:
        return f"{ends} and {scores}."
    if not result.points:
        return f"{ends}: a tie, and {inside(winner)} {verb(winner, 'win')} the hand without points."
    return f"{ends}: an undercut, and {inside(winner)} {scores}."


_DEALS_NEXT = {
    AfterVoid.SAME_DEALER: "the same player deals again",
    AfterVoid.ALTERNATES: "the other player deals next",
}
