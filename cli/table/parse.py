"""What a player types, read generously: one line in, one Command out.

# House rules
#
# 1. Reading knows no game: whether a card is held or a move is due, which cards are a meld, and
#    whether lay means the table or the knocker's melds, is decided elsewhere (cli.table.moves). So
#    the same line always means the same, and every line is either one Command or one sentence.
# 2. A line is never half obeyed. What cannot be read whole raises Unreadable.
# 3. Every move's own text ("knock 7d melds 3c4c5c ... deadwood 2d") can be typed too.
#
# Cards are read in any order and dress: 7d, 7D, d7, 10d, Td, dt, 7♦, "7 of diamonds", "king d".
# No rank shares a letter with a suit, so nothing of it is ambiguous.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cli.words.cards import Sort
from ginpeer.names.shown import safe
from ginpeer.rules.cards import CARDS, Card, CardSet, Unreadable, mask_of

# --- commands -----------------------------------------------------------------------

Groups = tuple[tuple[Card, ...], ...]
"""Cards as they were written together. Which of them are melds, the rules of the match say."""

Adds = tuple[tuple[Card, int | None], ...]
"""Cards that go on melds that lie there: each with the meld's index from 0, or None for whichever
it fits on."""


@dataclass(frozen=True, slots=True)
class Enter:
    """An empty line."""


@dataclass(frozen=True, slots=True)
class PutDown:
    """Lay cards on the table: melds, and cards on melds that lie there. A part that was not named
    is None; without both, all melds of the hand."""

    melds: Groups | None = None
    adds: Adds | None = None


@dataclass(frozen=True, slots=True)
class Take:
    """Take the upcard, or several cards of the pile down to the one that is named or counted;
    ``lay`` if it was said what is laid at once."""

    card: Card | None = None
    count: int | None = None
    lay: PutDown | None = None


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw from the stock."""


@dataclass(frozen=True, slots=True)
class Decline:
    """Pass the upcard."""


@dataclass(frozen=True, slots=True)
class Throw:
    """Discard a card."""

    card: Card


@dataclass(frozen=True, slots=True)
class End:
    """Knock, gin or big gin.

    ``word`` is the one that was typed: "knock", "gin" or "big gin". ``melds`` and ``deadwood`` are
    None where they were not named; ``choice`` picks one of several arrangements, from 1.
    """

    word: str
    card: Card | None = None
    melds: Groups | None = None
    deadwood: CardSet | None = None
    choice: int | None = None


@dataclass(frozen=True, slots=True)
class LayDown:
    """Spread. A part that was not named is None."""

    melds: Groups | None = None
    layoffs: Adds | None = None
    deadwood: CardSet | None = None


@dataclass(frozen=True, slots=True)
class Say:
    """A line for the other player."""

    text: str


@dataclass(frozen=True, slots=True)
class SortBy:
    """Show the hand in this order from now on."""

    sort: Sort


@dataclass(frozen=True, slots=True)
class Words:
    """Cards in words, or not."""

    on: bool


@dataclass(frozen=True, slots=True)
class Number:
    """The answer to a question with numbered answers."""

    number: int


@dataclass(frozen=True, slots=True)
class Ask:
    """Everything that is one word and no move: "help", "hand", "score", "quit", "yes", ..."""

    what: str


@dataclass(frozen=True, slots=True)
class Try:
    """Whether this may be done, and by which rule: "rules knock 7d"."""

    command: Command


Command = (
    Enter
    | Take
    | Draw
    | Decline
    | Throw
    | End
    | LayDown
    | PutDown
    | Say
    | SortBy
    | Words
    | Number
    | Ask
    | Try
)

_ASKS = {
    **dict.fromkeys(("help", "?", "commands"), "help"),
    **dict.fromkeys(("hand", "h", "cards"), "hand"),
    "show": "show",
    **dict.fromkeys(("table", "pile"), "table"),
    **dict.fromkeys(("score", "scores"), "score"),
    "rules": "rules",
    "log": "log",
    "mute": "mute",
    "unmute": "unmute",
    "pause": "pause",
    "resign": "resign",
    **dict.fromkeys(("quit", "q", "exit", "leave"), "quit"),
    **dict.fromkeys(("yes", "y"), "yes"),
    **dict.fromkeys(("no", "n"), "no"),
    "accept": "accept",
    "decline": "decline",
}
_TAKE = ("take", "t", "upcard")
_DRAW = ("draw", "d", "stock")
_PASS = ("pass", "p")
_DISCARD = ("discard", "x", "throw")
_KNOCK = ("knock", "k")
_GIN = ("gin", "g")
_BIG = ("big", "biggin", "big-gin")
_SPREAD = ("spread", "s")
_LAYOFF = ("layoff", "lay-off")
_LAY = ("lay", "meld", "melds", "add")
_NO = ("none", "nothing", "no")
_LETTERS = {"t": "take", "x": "discard", "k": "knock", "g": "gin", "s": "spread"}
_ARTICLE = re.compile(r"\bthe\s+")
_MAX_LINE = 2_000  # characters that are looked at; no command comes near


def parse_command(line: str) -> Command:
    """Read a line. Raises Unreadable with a sentence for the player."""
    text = line.strip()
    if not text:
        return Enter()
    word, _, rest = text.partition(" ")
    word, rest = word.casefold(), rest.strip()
    if word == "say":
        return _say(rest)
    if word == "rules" and rest:
        if rest.casefold().startswith("rules "):  # word by word, as deep as the line is long
            raise Unreadable("no-move", "Ask about a move, as in: rules take, rules knock 7d.")
        return Try(parse_command(rest))
    if len(text) > _MAX_LINE:
        raise Unreadable("line-too-long", "That line is too long to be a command.")
    plain = _ARTICLE.sub("", text.casefold())  # else "the" would begin with the ten of hearts
    word, _, rest = plain.partition(" ")
    try:
        return _command(word, rest.strip()) or _lone_card_or_number(plain)
    except Unreadable as error:
        if error.code in ("unreadable-card", "no-suit") and word in _LETTERS:
            meaning = f"{word} means {_LETTERS[word]}; nothing was done. "
            raise Unreadable(error.code, meaning + error.sentence) from None
        raise


def _say(text: str) -> Say:
    if not text:
        raise Unreadable("nothing-said", "Type what to say behind say, as in: say good game.")
    return Say(text)


def _command(word: str, rest: str) -> Command | None:
    """The command that begins with this word; None if no command does."""
    if word in _ASKS:
        _nothing_more(word, _ASKS[word], rest)
        return Ask(_ASKS[word])
    if word in _TAKE:
        return _take(rest.removeprefix("top "))
    if word in _DRAW:
        if rest not in ("", "stock", "from stock"):
            raise Unreadable(
                "unclear", f"{word} means draw. To throw a card, type the card alone, like 7d."
            )
        return Draw()
    if word in _PASS:
        _nothing_more(word, "pass", rest)
        return Decline()
    if word in _DISCARD:
        if not rest:
            raise Unreadable("no-card", "Say which card to throw, as in: discard 7d.")
        return Throw(read_card(rest))
    return _showdown(word, rest) or _setting(word, rest)


def _showdown(word: str, rest: str) -> Command | None:
    if word in _KNOCK:
        return _end("knock", rest)
    if word in _BIG:
        rest = rest.removeprefix("gin").strip()
        return _end("big gin", rest)
    if word in _GIN:
        return _end("gin", rest)
    if word in _SPREAD:
        return _lay_down(rest)
    if word in _LAYOFF:
        return _lay_down(f"layoff {rest}")
    if word == "lay" and rest.split(" ")[0] == "off":
        return _lay_down(f"layoff {rest.removeprefix('off').strip()}")
    if word in _LAY:
        return _put_down(word, rest)
    return None


def _setting(word: str, rest: str) -> Command | None:
    if word == "sort":
        by = rest.removeprefix("by ").strip()
        for sort in Sort:
            if by and (sort.value.startswith(by) or by == f"{sort.value}s"):
                return SortBy(sort)
        raise Unreadable("unclear", "Sort by what? Type: sort melds, sort suit, or sort rank.")
    if word == "words":
        if rest in ("", "on"):
            return Words(True)
        if rest == "off":
            return Words(False)
        raise Unreadable("unclear", "Type words on to hear suits as words, words off for signs.")
    return None


def _nothing_more(word: str, meaning: str, rest: str) -> None:
    if rest:
        shown = meaning if word == meaning else f"{word} ({meaning})"
        raise Unreadable("unclear", f"{shown} stands alone; nothing was done.")


def _lone_card_or_number(text: str) -> Command:
    if re.fullmatch(r"[0-9]{1,2}", text, re.ASCII):
        return Number(int(text))
    cards = _cards_or_none(text)
    if cards is not None and len(cards) > 1:
        raise Unreadable(
            "unknown-command",
            f"{_shown(text)} names {len(cards)} cards; to throw one, type that card alone.",
        )
    try:
        return Throw(read_card(text))
    except Unreadable:
        raise Unreadable(
            "unknown-command", f"{_shown(text)} is no command. Type help to see what there is."
        ) from None


# --- knock and spread ---------------------------------------------------------------


def _end(word: str, rest: str) -> End:
    head, parts = _parts(rest, ("melds", "deadwood"))
    choice: int | None = None
    numbered = re.fullmatch(r"(.*\S)\s+([1-9][0-9]?)", head, re.ASCII)
    if numbered is not None and _is_card(numbered[1]):
        head, choice = numbered[1], int(numbered[2])
    card = read_card(head) if head else None
    if word == "big gin" and card is not None:
        raise Unreadable("unclear", "Big gin keeps all eleven cards; no card is thrown.")
    return End(word, card, _melds(parts), _deadwood(parts), choice)


def _lay_down(rest: str) -> LayDown:
    head, parts = _parts(rest, ("melds", "layoff", "deadwood"))
    if head:
        raise Unreadable(
            "unclear",
            "Type spread alone for the best way, or say: spread melds 3c4c5c layoff 6c on 1.",
        )
    return LayDown(_melds(parts), _layoffs(parts), _deadwood(parts))


def _take(rest: str) -> Take:
    """ "3 lay 8s9sTs", "3 add 5h on 2", "5h": how far down the pile, and what is laid of it."""
    if rest in ("", "upcard", "discard"):
        return Take()
    words = rest.split()
    at = next((at for at, word in enumerate(words) if word in _LAY), len(words))
    head, tail = " ".join(words[:at]), words[at:]
    lay = _put_down(tail[0], " ".join(tail[1:])) if tail else None
    if head in ("several", "several cards"):
        raise Unreadable("unclear", "Say how many cards to take, as in: take 3.")
    counted = _COUNT.fullmatch(head)
    if counted is None:
        return Take(card=None if head in ("", "upcard") else read_card(head), lay=lay)
    if not int(counted[1]):
        raise Unreadable("unclear", "Take at least one card, or draw.")
    return Take(count=int(counted[1]), lay=lay)


_COUNT = re.compile(r"([0-9]{1,2})(?: cards?| discards?)?", re.ASCII)


def _put_down(word: str, rest: str) -> PutDown:
    """What follows lay, meld or add."""
    if word == "add":
        return PutDown(None, _adds(rest))
    head, parts = _parts(rest, ("melds", "add"))
    if head and "melds" in parts:
        raise Unreadable("unclear", "Write it as in: lay 3c4c5c 7c7h7s add 6d on 2.")
    adds = _adds(parts["add"]) if "add" in parts else None
    if "melds" in parts:
        return PutDown(_melds(parts), adds)
    if not head:
        return PutDown(None, adds)
    if word == "lay" and adds is None and (_ON_MELD.search(head) or len(read_cards(head)) < 3):
        return PutDown(None, _adds(head))  # "lay 6d on 2"
    return PutDown(_melds({"melds": head}), adds)


_ON_MELD = re.compile(r"@|\b(?:on|to)\b")


_PART_WORDS = {
    "add": "add",
    "meld": "melds",
    "melds": "melds",
    "layoff": "layoff",
    "layoffs": "layoff",
    "lay-off": "layoff",
    "deadwood": "deadwood",
    "dead": "deadwood",
}


def _parts(text: str, allowed: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """Split "7d melds ... deadwood ..." into what comes first and the named parts."""
    head: list[str] = []
    parts: dict[str, list[str]] = {}
    into = head
    words = text.replace("lay off", "layoff").split()
    for at, word in enumerate(words):
        name = _PART_WORDS.get(word)
        if word == "meld" and at and words[at - 1] in ("on", "to"):
            name = None  # "6c on meld 1"
        if name is None:
            into.append(word)
            continue
        if name not in allowed or name in parts:
            raise Unreadable("unclear", f"{word} is not expected there; nothing was done.")
        into = parts[name] = []
    return " ".join(head), {name: " ".join(words) for name, words in parts.items()}


def _melds(parts: dict[str, str]) -> Groups | None:
    """The groups as commas part them; without commas, as blanks do, if no word is a card alone."""
    if "melds" not in parts:
        return None
    text = parts["melds"]
    if text in _NO:
        return ()
    if not text:
        raise Unreadable("no-card", "Say which cards are melds, or melds none.")
    groups = [read_cards(group) for group in re.split(r"[,;/|+&]|\band\b", text) if group.strip()]
    words = [_cards_or_none(word) for word in text.split()]
    if len(groups) == 1 and all(word is not None and len(word) >= 3 for word in words):
        groups = [word for word in words if word is not None]  # "3c4c5c 7c7h7s"
    for group in groups:
        _set(group)
    return tuple(map(tuple, groups))


def _adds(text: str) -> Adds:
    if not text:
        raise Unreadable("no-card", "Say which card to add, as in: add 6c on 1.")
    return _layoffs({"layoff": text}) or ()


def _layoffs(parts: dict[str, str]) -> Adds | None:
    """ "6c on 1, 7c@0": ``on`` counts the knocker's melds from 1 as the screen does and serves
    all cards before it, ``@`` counts from 0 as a move's text does and serves its card."""
    if "layoff" not in parts:
        return None
    text = parts["layoff"]
    if text in _NO:
        return ()
    found: list[tuple[Card, int | None]] = []
    waiting = 0  # from here on the cards have no meld yet
    position = 0
    while position < len(text):
        if separator := _BETWEEN.match(text, position):
            position = separator.end()
        elif on := _ON.match(text, position):
            meld = int(on[1]) - 1
            found[waiting:] = [(card, meld if at is None else at) for card, at in found[waiting:]]
            waiting, position = len(found), on.end()
        elif (at := _AT.match(text, position)) and found:
            found[-1] = (found[-1][0], int(at[1]))
            position = at.end()
        else:
            card, position = _scan_card(text, position)
            found.append((card, None))
    if not found:
        raise Unreadable("no-card", "Say which card to lay off, as in: spread layoff 6c on 1.")
    return tuple(found)


_BETWEEN = re.compile(r"[\s,;+&]+|and\b")
_ON = re.compile(r"(?:on|to)\s*(?:meld\s*)?#?([1-9][0-9]?)\b", re.ASCII)
_AT = re.compile(r"@\s*([0-9]|[1-9][0-9])\b", re.ASCII)


def _deadwood(parts: dict[str, str]) -> CardSet | None:
    if "deadwood" not in parts:
        return None
    text = parts["deadwood"]
    return 0 if text in _NO else _set(read_cards(text))


def _set(cards: list[Card] | tuple[Card, ...]) -> CardSet:
    mask = mask_of(cards)
    if mask.bit_count() != len(cards):
        raise Unreadable("repeated-card", "A card is named twice there; nothing was done.")
    return mask


# --- cards --------------------------------------------------------------------------

_RANK_NAMES = {
    **{name: rank for rank, name in enumerate("a23456789tjqk")},
    "1": 0,
    "10": 9,
    "ace": 0,
    "one": 0,
    "two": 1,
    "three": 2,
    "four": 3,
    "five": 4,
    "six": 5,
    "seven": 6,
    "eight": 7,
    "nine": 8,
    "ten": 9,
    "jack": 10,
    "queen": 11,
    "king": 12,
}
_SUIT_NAMES = {
    **{name: suit for suit, name in enumerate("cdhs")},
    **{name: suit for suit, name in enumerate(("club", "diamond", "heart", "spade"))},
    **{name: suit for suit, name in enumerate(("clubs", "diamonds", "hearts", "spades"))},
    **{name: suit for suit, name in enumerate("♣♦♥♠")},
    **{name: suit for suit, name in enumerate("♧♢♡♤")},
}


def _one_of(names: dict[str, int]) -> str:
    return "|".join(sorted(map(re.escape, names), key=lambda name: (-len(name), name)))


_SHORT_RANK = "10|[a1-9tjqk]"
_JOIN = r"(?:\s+of\s+|[\s-]+)"
# A rank's short form may touch the suit; a rank's word may not, or "jacks" would be a card. The
# word is tried first, or "ace of hearts" would begin with the ace of clubs.
_CARD = re.compile(
    rf"(?P<rank>{_one_of(_RANK_NAMES)}){_JOIN}(?P<suit>{_one_of(_SUIT_NAMES)})"
    rf"|(?P<rank2>{_SHORT_RANK})\s*(?P<suit2>{_one_of(_SUIT_NAMES)})"
    rf"|(?P<suit3>{_one_of(_SUIT_NAMES)})\s*(?P<rank3>{_SHORT_RANK})"
)
_BLANKS = re.compile(r"[\s,]*")
_DRESS = re.compile("[\ufe0e\ufe0f]")  # asks for a suit sign as text or as a picture


def read_card(text: str) -> Card:
    """One card, and nothing but it. Raises Unreadable."""
    cards = _cards_or_none(text)
    if cards is None or len(cards) != 1:
        rank = text.strip().casefold()
        if rank in _RANK_NAMES:
            like = f"{rank} of diamonds" if rank.isalpha() and len(rank) > 1 else f"{rank}d"
            raise Unreadable("no-suit", f"Which {rank}? Say the suit too, like {like}.")
        raise Unreadable("unreadable-card", _no_card(text))
    return cards[0]


def read_cards(text: str) -> list[Card]:
    """Cards in a row, with blanks or commas between them or none. Raises Unreadable."""
    text = _DRESS.sub("", text.casefold())
    cards: list[Card] = []
    position = _skip(text, 0)
    while position < len(text):
        card, position = _scan_card(text, position)
        cards.append(card)
        position = _skip(text, position)
    if not cards:
        raise Unreadable("no-card", "A card is missing there; nothing was done.")
    return cards


def _skip(text: str, position: int) -> int:
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position


def _cards_or_none(text: str) -> list[Card] | None:
    try:
        return read_cards(text)
    except Unreadable:
        return None


def _is_card(text: str) -> bool:
    cards = _cards_or_none(text)
    return cards is not None and len(cards) == 1


def _scan_card(text: str, position: int) -> tuple[Card, int]:
    match = _CARD.match(text, position)
    if match is None:
        raise Unreadable("unreadable-card", _no_card(text[position:]))
    rank = match["rank"] or match["rank2"] or match["rank3"]
    suit = match["suit"] or match["suit2"] or match["suit3"]
    return CARDS[13 * _SUIT_NAMES[suit] + _RANK_NAMES[rank]], match.end()


def _no_card(text: str) -> str:
    return f"{_shown(text)} is no card. Write a rank and a suit: 7d, 10h, qs, ac."


def _shown(text: str) -> str:
    """What was typed, short and harmless, for a sentence."""
    return f'"{safe(text, limit=30)}"'
