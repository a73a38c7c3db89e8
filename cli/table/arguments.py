"""What may follow a command: cards, in any order and spelling, and the parts introduced by a word.

Rule 1: a part begins with its word (melds, layoff, add, deadwood) and ends where the next part
  begins. A part that is named twice is refused. A part that isn't named is None; "none" makes it
  empty.
Rule 2: cards stay grouped as they were typed; cli.table.resolve finds the melds among them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from cli.text.cards import (
    Sort,
    cards_or_none,
    is_card,
    mask_of_distinct,
    rank_of,
    read_card,
    read_cards,
    scan_card,
)
from ginpeer.rules.cards import Card, CardSet, Unreadable
from ginpeer.rules.moves import Discard, DrawStock, Move, Pass, TakeUpcard
from ginpeer.rules.ruleset import RuleSet

Groups = tuple[tuple[Card, ...], ...]
"""Cards grouped as they were typed."""

Adds = tuple[tuple[Card, int | None], ...]
"""Cards to add to melds on the table, each with the meld's index from 0, or None for any meld."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that followed take, discard, knock, gin, big gin, spread, lay or add. A part that
    wasn't named is None.

    ``rank`` is the card's rank, from 0, if its suit wasn't typed. ``number`` is how many cards to
    take, or which arrangement of a knock to show, counted from 1. "take 4" sets both: it may mean
    a four, or four cards.
    ``adds`` also holds the lay-offs of a spread. ``lay`` is what take lays at once.
    ``missing`` asks for a card or a suit that wasn't typed; then no other part is set. The player
    is asked only if the move is possible now, and otherwise reads why it isn't.
    """

    card: Card | None = None
    rank: int | None = None
    number: int | None = None
    melds: Groups | None = None
    adds: Adds | None = None
    deadwood: CardSet | None = None
    lay: Parts | None = None
    missing: Unreadable | None = None


@dataclass(frozen=True, slots=True)
class NewPlace:
    """A card's new place in the hand: before or after ``beside``; first or last if that is None."""

    card: Card
    before: bool
    beside: Card | None = None


_MOVES = frozenset({"enter", "take", "discard", "lay", "knock", "gin", "big gin", "spread"})


@dataclass(frozen=True, slots=True)
class Command:
    """A line that isn't a complete move: the command, and what followed it.

    ``name`` is a name from the table of commands (cli.table.commands), or "enter" for an empty
    line, "number" for a number alone, "rank" for a rank in letters, "paste" for a code.
    ``argument`` is None if nothing followed. Otherwise it is, for example, a bool for a switch or
    ``tally``, a Sort for ``sort``, cards for ``order``, and for ``rules`` the line to judge or the
    rules to explain.
    """

    name: str
    argument: (
        str | int | Parts | NewPlace | Sort | RuleSet | tuple[Card, ...] | Command | Move | None
    ) = None

    @property
    def is_move(self) -> bool:
        """Whether the command means a move, even if some of it was left out."""
        return self.name in _MOVES


# --- what follows each command ----------------------------------------------------------
#
# Each reader gets the word that was typed, and what follows it. It raises Unreadable.

NO_KNOCKING = (
    "There is no knocking in Mahjong gin. You go gin by laying or discarding your last card."
)
NO_HINTS = "There are no hints in Mahjong gin. To see what you may do now, type rules."

OTHER = 2  # the arrangement that knock other shows
LAY_WORDS = ("lay", "meld", "melds", "add")  # each lays cards on the table, alone or after take
_NONE = ("none", "nothing", "no")
_PART_WORDS = {
    "add": "add",
    **dict.fromkeys(("meld", "melds"), "melds"),
    **dict.fromkeys(("layoff", "layoffs", "lay-off"), "layoff"),
    **dict.fromkeys(("deadwood", "dead"), "deadwood"),
}
_NOT_THE_UPCARD = ("a card", "card", "top", "one", "it", "stock", "from stock", "from pile")
"""What may follow take without saying which card: "take the top card" may mean the stock's."""
_COUNT = re.compile(r"([0-9]{1,2})(?: cards?| discards?)?", re.ASCII)
_ON_MELD = re.compile(r"@|\b(?:on|to)\b")
_BETWEEN = re.compile(r"[\s,;+&]+|and\b")
_ON = re.compile(r"(?:on|to)\s*(?:meld\s*)?#?([1-9][0-9]?)\b", re.ASCII)
_ON_WHAT = re.compile(r"(on|to)\b")
_AT = re.compile(r"@\s*([0-9]|[1-9][0-9])\b", re.ASCII)
_NEW_PLACE = re.compile(
    r"(?P<card>.+?)\s+(?:to\s+)?(?:(?P<first>first|front|start|beginning)|(?P<last>last|end)"
    r"|(?P<before>before)\s+(?P<next>.+)|(?:after|behind)\s+(?P<previous>.+))"
)


def read_draw(word: str, rest: str) -> DrawStock:
    if rest not in ("", "stock", "from stock"):
        raise Unreadable(
            "unclear",
            f"To draw from the stock, type only {word}. To discard a card, type only the card, "
            "like 7d.",
        )
    return DrawStock()


def read_pass(word: str, rest: str) -> Pass:
    nothing_more(word, "pass", rest)
    return Pass()


def read_discard(word: str, rest: str) -> Discard | Command:
    if not rest:
        missing = Unreadable("no-card", "Say which card to discard, as in: discard 7d.")
        return Command("discard", Parts(missing=missing))
    rank = rank_of(rest)
    return Discard(read_card(rest)) if rank is None else Command("rank", rank)


def nothing_more(word: str, name: str, rest: str) -> None:
    """Refuse anything after the *word* that was typed for the command *name*."""
    if rest:
        only = name if word == name else f"{word} or {name}"
        sentence = f"Type only {only}, with nothing after it. Nothing was done."
        raise Unreadable("unclear", sentence)


def read_tally(word: str, rest: str) -> Command:
    if not rest:
        return Command("tally")
    if rest in ("on", "off"):
        return Command("tally", rest == "on")
    raise Unreadable(
        "unclear",
        "Type tally to see the score of both tables. Type tally on to let the other table see "
        "this one, or tally off to stop that.",
    )


def read_sort(word: str, rest: str) -> Command:
    sort = _kind(rest)
    if sort is None:
        raise Unreadable("unclear", "Sort by what? Type sort melds, sort suit or sort rank.")
    return Command("sort", sort)


def read_order(word: str, rest: str) -> Command:
    sort = _kind(rest) if rest else None
    if sort is not None:
        return Command("sort", sort)
    if not rest:
        sentence = "Name the cards in the order you want, as in: order 4h 5h kd."
        raise Unreadable("no-card", f"{sentence} Type sort to go back to melds and deadwood.")
    cards = read_cards(rest)
    for at, card in enumerate(cards):
        if card in cards[:at]:
            raise Unreadable("repeated-card", f"You named {card} twice. Nothing was moved.")
    return Command("order", tuple(cards))


def read_new_place(word: str, rest: str) -> Command:
    found = _NEW_PLACE.fullmatch(rest)
    if found is None:
        sentence = "Type move kd first, move kd last, or move kd after 5h. To discard it, type kd."
        raise Unreadable("unclear", sentence)
    card = read_card(found["card"])
    if found["first"] or found["last"]:
        return Command("move", NewPlace(card, before=bool(found["first"])))
    beside = read_card(found["next"] or found["previous"])
    if beside == card:
        raise Unreadable("repeated-card", f"You named {card} twice. Nothing was moved.")
    return Command("move", NewPlace(card, bool(found["before"]), beside))


def _kind(rest: str) -> Sort | None:
    by = rest.removeprefix("by ").strip()
    kinds = (sort for sort in Sort if sort.value.startswith(by) or by == f"{sort.value}s")
    return next(kinds, None)


def _noting_what_is_missing(read: Callable[[str, str], Parts]) -> Callable[[str, str], Parts]:
    """If a card or its suit wasn't typed, make *read* return Parts with only ``missing``, which
    asks for it, instead of raising Unreadable."""

    def read_or_note(word: str, rest: str) -> Parts:
        try:
            return read(word, rest)
        except Unreadable as error:
            if error.code not in ("no-card", "no-suit"):
                raise
            return Parts(missing=error.with_traceback(None))

    return read_or_note


def read_knock(name: str, rest: str) -> Command:
    return Command(name, _read_knock_parts(name, rest))


@_noting_what_is_missing
def _read_knock_parts(name: str, rest: str) -> Parts:
    head, parts = _split_parts(rest, ("melds", "deadwood"))
    choice: int | None = None
    numbered = re.fullmatch(r"(.*\S)\s+([1-9][0-9]?)", head, re.ASCII)
    if numbered is not None and is_card(numbered[1]):
        head, choice = numbered[1], int(numbered[2])
    elif head.split()[-1:] == ["other"]:
        head, choice = head.removesuffix("other").rstrip(), OTHER
    rank = rank_of(head)
    card = read_card(head) if head and rank is None else None
    if name == "big gin" and head:
        raise Unreadable("unclear", "Big gin keeps all eleven cards, so you don't discard one.")
    melds, deadwood = _read_melds(parts.get("melds")), _read_deadwood(parts.get("deadwood"))
    return Parts(card, rank, choice, melds, deadwood=deadwood)


def read_spread(word: str, rest: str) -> Command:
    return Command("spread", _read_spread_parts(word, rest))


@_noting_what_is_missing
def _read_spread_parts(word: str, rest: str) -> Parts:
    head, parts = _split_parts(rest, ("melds", "layoff", "deadwood"))
    if head:
        raise Unreadable(
            "unclear",
            "Type spread alone for the best spread, or name your own, as in: spread melds 3c4c5c "
            "layoff 6c on 1.",
        )
    melds, layoffs = _read_melds(parts.get("melds")), _read_adds(parts.get("layoff"), _NO_LAYOFF)
    deadwood = _read_deadwood(parts.get("deadwood"))
    return Parts(melds=melds, adds=layoffs, deadwood=deadwood)


def read_layoff(word: str, rest: str) -> Command:
    return read_spread("spread", f"layoff {rest}")


def read_take(typed: str, rest: str) -> Command | TakeUpcard:
    """Read "3 lay 8s9sTs", "3 add 5h on 2", "5h", or nothing."""
    is_count = rest.startswith("top ")
    rest = rest.removeprefix("top ")
    if rest in ("", "upcard", "discard"):
        return TakeUpcard()
    if rest == "back":
        return Command("undo")
    words = rest.split()
    at = next((at for at, word in enumerate(words) if word in LAY_WORDS), len(words))
    head, tail = " ".join(words[:at]), words[at:]
    lay = _read_lay_parts(tail[0], " ".join(tail[1:])) if tail else None
    if head in ("several", "several cards"):
        raise Unreadable("unclear", "Say how many cards to take, as in: take 3.")
    if head in _NOT_THE_UPCARD:
        sentence = f"To take the upcard, type only {typed}. To draw from the stock, type draw."
        raise Unreadable("unclear", sentence)
    counted = _COUNT.fullmatch(head)
    if counted is None:
        rank = rank_of(head)
        card = None if head in ("", "upcard") or rank is not None else read_card(head)
        return Command("take", Parts(card, rank, lay=lay))
    if not int(counted[1]):
        raise Unreadable("unclear", "Take at least one card, or draw instead.")
    rank = None if is_count or head != counted[1] else rank_of(head)
    return Command("take", Parts(rank=rank, number=int(counted[1]), lay=lay))


def read_lay(word: str, rest: str) -> Command:
    if word == "lay" and rest.split(" ")[0] == "off":
        return read_layoff(word, rest.removeprefix("off").strip())
    if word in ("meld", "melds") and not rest:
        return Command("table")  # a noun alone is a question, never a move
    return Command("lay", _read_lay_parts(word, rest))


@_noting_what_is_missing
def _read_lay_parts(word: str, rest: str) -> Parts:
    if word == "add":
        _, parts = _split_parts(f"add {rest}", ("add",))
        return Parts(adds=_read_adds(parts["add"], _NO_ADD))
    head, parts = _split_parts(rest, ("melds", "add"))
    if parts.get("melds") == "":
        raise Unreadable("no-card", "Name the cards of the melds, as in: lay 3c4c5c 7c7h7s.")
    if head and "melds" in parts:
        raise Unreadable(
            "unclear",
            "Name the melds first, then the cards to add, as in: lay 3c4c5c 7c7h7s add 6d on 2.",
        )
    adds = _read_adds(parts.get("add"), _NO_ADD)
    if "melds" in parts:
        return Parts(melds=_read_melds(parts["melds"]), adds=adds)
    if not head:
        return Parts(adds=adds)
    if word == "lay" and adds is None and (_ON_MELD.search(head) or len(read_cards(head)) < 3):
        return Parts(adds=_read_adds(head, _NO_ADD))  # "lay 6d on 2"
    return Parts(melds=_read_melds(head), adds=adds)


def _split_parts(text: str, allowed: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """Split "7d melds ... deadwood ..." into the text before the first part and the named parts."""
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
        if name in parts:
            raise Unreadable("unclear", f"Write {word} only once. Nothing was changed.")
        if name not in allowed:
            raise Unreadable("unclear", f"You can't use {word} there. Nothing was changed.")
        into = parts[name] = []
    return " ".join(head), {name: " ".join(words) for name, words in parts.items()}


def _read_melds(text: str | None) -> Groups | None:
    """Read melds separated by commas, or by spaces if each one has three cards or more."""
    if text is None:
        return None
    if text in _NONE:
        return ()
    if not text:
        raise Unreadable(
            "no-card", "After melds, name the cards, as in melds 3c4c5c 7c7h7s, or write none."
        )
    groups = [read_cards(group) for group in re.split(r"[,;/|+&]|\band\b", text) if group.strip()]
    words = [cards_or_none(word) for word in text.split()]
    if len(groups) == 1 and all(word is not None and len(word) >= 3 for word in words):
        groups = [word for word in words if word is not None]  # "3c4c5c 7c7h7s"
    for group in groups:
        mask_of_distinct(group)
    return tuple(map(tuple, groups))


_NO_LAYOFF = "Say which card to lay off, as in: layoff 6c on 1."
_NO_ADD = "Say which card to add, as in: add 6c on 1."


def _read_adds(text: str | None, missing: str) -> Adds | None:
    """Read "6c on 1, 7c@0". ``on`` counts melds from 1, as on the screen, and applies to all cards
    before it that have no meld yet. ``@`` counts melds from 0, as in a move's text, and applies to
    one card. *missing*: what to say if no card is named."""
    if text is None:
        return None
    if text in _NONE:
        return ()
    found: list[tuple[Card, int | None]] = []
    waiting = 0  # index of the first card without a meld
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
        elif found and (unnumbered := _ON_WHAT.match(text, position)):
            on_one = f"{unnumbered[1]} 1"
            sentence = f"Say which meld by its number, as in: {found[-1][0]} {on_one}."
            raise Unreadable("unclear", f"{sentence} Nothing was done.")
        else:
            card, position = scan_card(text, position)
            found.append((card, None))
    if not found:
        raise Unreadable("no-card", missing)
    mask_of_distinct([card for card, _ in found])
    return tuple(found)


def _read_deadwood(text: str | None) -> CardSet | None:
    if text is None:
        return None
    return 0 if text in _NONE else mask_of_distinct(read_cards(text))


# --- switches -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SwitchSpec:
    """One switch: its field in the settings, what to type for it, and what to print.

    ``on`` and ``off`` are printed after switching; if they are empty, the hand is shown in its new
    form instead. ``typed`` has the words for on and the words for off, each with the usual word
    first.
    """

    setting: str
    on: str = ""
    off: str = ""
    typed: tuple[tuple[str, ...], tuple[str, ...]] = (("on", ""), ("off",))


SWITCHES = {
    "words": SwitchSpec("words"),
    "brief": SwitchSpec(
        "brief",
        "Brief mode on. To see your hand, type hand.",
        "Brief mode off.",
    ),
    "colours": SwitchSpec("four_colours", typed=(("four", "4"), ("two", "2"))),
    "hand": SwitchSpec(
        "hand",
        "You will see your hand whenever you discard, except in brief mode.",
        "You will no longer see your hand at every discard. To see it, type hand.",
    ),
    "lines": SwitchSpec(
        "lines",
        "Lines now separate turns and hands. With words on, there are none.",
        "No more blank or ruled lines.",
    ),
    "pace": SwitchSpec(
        "pace",
        "After each hand, ginpeer waits three seconds, or until you press Enter. With words on, it "
        "waits until you press Enter.",
        "The next hand will begin at once.",
    ),
    "confirm": SwitchSpec(
        "confirm",
        "ginpeer will ask before a discard that breaks a meld or gives up a knock, before a move "
        "that gives up gin, and before a knock or spread that leaves more deadwood than another.",
        "ginpeer will no longer ask before a move that looks like a slip.",
    ),
    "bell": SwitchSpec(
        "bell",
        "The bell will ring when your turn comes after a wait of two seconds or more.",
        "The bell is off.",
    ),
}
"""The switches, by the word that is typed."""


def read_hand(word: str, rest: str) -> Command:
    return read_switch("hand", rest) if rest else Command("hand")


def read_switch(name: str, rest: str) -> Command:
    on, off = SWITCHES[name].typed
    if rest in (*on, *off):
        return Command(name, rest in on)
    how = f"Type {name} {on[0]} or {name} {off[0]}. To see what they do, type help {name}."
    raise Unreadable("unclear", how)
