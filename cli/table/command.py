"""What a line can be that a player types: one Command each.

# A Command is what was said, and no more: whether it can be done, and what it means where something
# was left unsaid, is decided elsewhere (cli.table.meaning).
"""

from __future__ import annotations

from dataclasses import dataclass

from cli.text.cards import Sort
from ginpeer.rules.cards import Card, CardSet
from ginpeer.rules.ruleset import RuleSet

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
class Paste:
    """A guest's reply code or a line of it, or an invite; or what is meant as one."""

    text: str


@dataclass(frozen=True, slots=True)
class SortBy:
    """Show the hand in this order from now on."""

    sort: Sort


@dataclass(frozen=True, slots=True)
class Order:
    """Show the hand in the player's own order: these cards first, the others behind them."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Move one card of the hand before or behind another one; ``beside`` None: before or behind
    all."""

    card: Card
    before: bool
    beside: Card | None = None

    @property
    def named(self) -> tuple[Card, ...]:
        """Whatever has to be in the hand."""
        return (self.card,) if self.beside is None else (self.card, self.beside)


@dataclass(frozen=True, slots=True)
class Switch:
    """Switch something on or off, by the word that is typed for it (cli.table.switches)."""

    what: str
    on: bool


@dataclass(frozen=True, slots=True)
class Share:
    """Consent to the other table seeing the log of this one, or do not any more."""

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
class Explain:
    """What a word does that can be typed: "help knock"."""

    word: str


@dataclass(frozen=True, slots=True)
class Try:
    """Whether this may be done, and by which rule: "rules knock 7d"."""

    command: Command


@dataclass(frozen=True, slots=True)
class ExplainRules:
    """Explain these rules: "rules oklahoma"."""

    rules: RuleSet


@dataclass(frozen=True, slots=True)
class Propose:
    """Propose these rules for the next match: "propose oklahoma"."""

    rules: RuleSet


Setting = SortBy | Order | Place | Switch
"""How things are shown, told and asked from now on; nothing of the game is changed by it."""

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
    | Paste
    | Setting
    | Share
    | Number
    | Ask
    | Explain
    | Try
    | ExplainRules
    | Propose
)
