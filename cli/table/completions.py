"""What Tab makes of a line at the table: commands that are possible now, and cards that are held.

# House rules
#
# 1. Only what our player may know comes in: the own view, and what is asked.
# 2. A word is offered under the one name that help explains it by, and where more has to follow
#    with a blank behind it. A card is offered as letters, which every keyboard has.
# 3. What is free text (say, a code) is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cli.table.help import TOPICS
from cli.table.parse import WORDS, is_code, known_by
from cli.table.possible_moves import fits_on, knock_options, layable, several_counts
from cli.table.situation import Situation
from cli.text.cards import Sort, Style
from ginpeer.rules.cards import Card, cards_of
from ginpeer.rules.hand import Phase
from ginpeer.rules.presets import PRESETS
from ginpeer.rules.view import View

_LONGEST = 200  # characters; whoever has typed more completes no command
_LETTERS = Style()
_ON_OFF = ("on", "off")
_BEHIND = {
    "sort": tuple(sort.value for sort in Sort),
    "words": _ON_OFF,
    "brief": _ON_OFF,
    "confirm": _ON_OFF,
    "bell": _ON_OFF,
    "colours": ("four", "two"),
    "tally": _ON_OFF,
    "propose": tuple(PRESETS),
}
"""What is typed behind a word that switches something."""

_MOVES_THAT_NAME_CARDS = ("discard", "knock", "gin", "layoff", "lay", "add")
_MORE_FOLLOWS = (*_BEHIND, *_MOVES_THAT_NAME_CARDS, "order", "move", "say")
_ANY_TIME = (
    *("help", "rules", "log", "score", "mute", "unmute", "quit"),
    *(word for word in _BEHIND if word != "propose"),
)
_NAMES = tuple(dict.fromkeys(known_by(word) for word in WORDS))
"""Every command once, as help has it, the moves first."""


def completions(typed: str, here: Situation) -> tuple[str, ...] | None:
    """What the last word may become of what was *typed* up to the cursor; None where nothing is
    known of it."""
    before, _, begun = typed.rpartition(" ")
    word, _, behind = " ".join(before.casefold().split()).partition(" ")
    if word == "say" or is_code(typed.strip()) or len(typed) > _LONGEST:
        return None
    tried = word == "rules"  # a move, to be judged
    if tried:
        word, _, behind = behind.partition(" ")
    found = _behind(known_by(word), behind, here) if word else _first(begun, here, tried)
    begun = begun.casefold()
    return tuple(each for each in dict.fromkeys(found) if each.startswith(begun))


def _first(begun: str, here: Situation, tried: bool) -> Iterator[str]:
    """What a line may begin with; cards where one may be thrown, and once a letter is typed.
    *tried*: only a move may."""
    possible = {*_moves(here.view), *(() if tried else (*_between_moves(here), *_ANY_TIME))}
    for name in _NAMES:
        if name in possible:
            yield f"{name} " if name in _MORE_FOLLOWS else name
    if begun:
        yield from _cards(here.view, "discard")


def _behind(name: str, behind: str, here: Situation) -> Iterator[str]:
    """What may follow a word; *behind*: what follows it already."""
    if name == "help" and not behind:
        yield from (*_NAMES, *TOPICS)
    elif name == "big gin" and not behind:
        yield "gin"
    elif name == "take" and not behind and here.view is not None:
        yield from map(str, several_counts(here.view))
    elif name == "order":
        yield from _cards(here.view, name)
    elif name == "move" and behind and " " not in behind:
        yield from ("first", "last")
    elif not behind:
        yield from _BEHIND.get(name, ())
        yield from _cards(here.view, name)


def _moves(view: View | None) -> Iterator[str]:
    """The words for the moves that are possible now."""
    if view is None:
        return
    hand = view.hand
    match hand.phase:
        case Phase.FIRST_UPCARD | Phase.SECOND_UPCARD | Phase.LAST_CHANCE:
            yield from ("take", "pass")
        case Phase.FIRST_DRAW:
            yield "draw"
        case Phase.DRAW:
            yield from ("draw", "take")
        case Phase.DISCARD:
            yield "discard"
            yield from (word for word in ("knock", "gin", "lay", "add") if any(_cards(view, word)))
            if any(option.discard is None for option in knock_options(view)):
                yield "big gin"
        case Phase.LAY_OFF if hand.rules.mahjong:
            yield "show"
        case Phase.LAY_OFF:
            yield "spread"
            if fits_on(view):
                yield "layoff"
        case _:
            return
    yield "resign"


def _between_moves(here: Situation) -> Iterator[str]:
    """The words for what may be asked and answered now."""
    session, asked = here.session, here.questions
    if session is not None:
        yield from ("say", "pause")
    if here.may_propose():
        yield "propose"
    if here.look() is not None:
        yield from ("hand", "table", "taken", "order", "move")
    if here.practice and here.view is not None and not here.view.hand.rules.mahjong:
        yield "hint"
    offered = asked.offer is not None or asked.asks_aside
    if offered:
        yield from ("accept", "decline")
    paused = session is not None and (session.pause_offered or session.pause_wanted)
    if offered or paused or asked.confirming is not None:
        yield from ("yes", "no")


def _cards(view: View | None, word: str) -> Iterator[str]:
    """The cards that may stand behind this word now."""
    if view is None:
        return
    options = knock_options(view)
    match word:
        case "order" | "move":
            yield from _written(cards_of(view.cards))
        case "discard" if view.hand.phase is Phase.DISCARD:
            yield from _written(card for card in cards_of(view.cards) if card != view.hand.taken)
        case "knock":
            yield from _written(option.discard for option in options if option.discard is not None)
        case "gin":
            yield from _written(
                option.discard
                for option in options
                if option.discard is not None and not option.deadwood
            )
        case "layoff" | "lay" | "add" if view.hand.phase is Phase.LAY_OFF:
            ways, melds = view.hand.melding, view.hand.open_melds
            yield from _written(
                card
                for card in cards_of(view.cards)
                if any(ways.fits(card, meld) for meld in melds)
            )
        case "lay":
            melds, _ = layable(view)
            yield from ("".join(_written(cards_of(meld))) for meld in melds)
        case "add":
            _, adds = layable(view)
            yield from _written(card for card, _ in adds)


def _written(cards: Iterable[Card]) -> Iterator[str]:
    return (_LETTERS.card(card).lower() for card in cards)
