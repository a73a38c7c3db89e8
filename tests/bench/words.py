"""Measure how much a player hears: lines, words and letters for each of their turns at a terminal.

The recorded matches of tests/vectors/logs are played again through a person's table
(cli.table.table), from each seat in turn: our moves are typed, the opponent's arrive as entries.
Everything printed counts, and each question counts once, when it is asked; the player's typing
doesn't. Words are separated by blanks, so 10♦ is one word, and "the 10 of diamonds" is four.

A turn is the opponent's turn as heard, and our own with its questions, up to our discard. The deal,
until the upcard is taken or passed, and the end of a hand, from the knock on, have rows of their
own.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from twisted.internet.task import Clock

from cli.table.presenter import PersonPresenter
from cli.table.table import HumanTable
from cli.table.table_state import MatchPort
from cli.terminal.console import Console
from cli.terminal.line_input import TypedLine
from cli.text.cards import Style
from ginpeer.record import Record, Step
from ginpeer.referee.referee import Admitted
from ginpeer.rules.hand import Hand, Phase
from ginpeer.rules.match import Match, View
from ginpeer.rules.moves import Move
from ginpeer.store.small_files import Settings
from protocol import messages as m

LOGS = Path(__file__).parents[1] / "vectors" / "logs" / "v1"
MATCHES = ("standard", "classic", "tournament", "oklahoma", "hollywood")
"""Matches under presets whose turns are those of standard gin."""

GOALS = {
    ("plain", "our own turn"): 30,
    ("plain", "the end of a hand"): 60,
    ("brief", "our own turn"): 15,
    ("brief", "the end of a hand"): 30,
}
"""The largest number of words that some parts should have."""


class Part(Enum):
    """The parts of a match. Most are averaged over hands, TURN over our turns and MATCH over
    matches."""

    DEAL = "a deal"
    TURN = "our own turn"
    END = "the end of a hand"
    MATCH = "before and after a match"


@dataclass(frozen=True, slots=True)
class Amount:
    """How much text the player hears."""

    lines: int = 0
    words: int = 0
    letters: int = 0

    @classmethod
    def of(cls, line: str) -> Amount:
        words = line.removesuffix("> ").split()
        return cls(1, len(words), sum(map(len, words)))

    def __add__(self, other: Amount) -> Amount:
        return Amount(
            self.lines + other.lines, self.words + other.words, self.letters + other.letters
        )


class Heard(Console):
    """A terminal that remembers its output, with the part of the match."""

    def __init__(self) -> None:
        super().__init__(None, io.StringIO(), lambda *call: None, {})
        self.interactive = True
        self.part = Part.MATCH
        self.said: list[tuple[Part, str]] = []
        self.typed: dict[int, str] = {}  # the line typed after a question, by its place in said
        self._question = ""

    def print(self, *lines: str, whole: bool = False) -> None:
        self.said += [(self.part, line) for line in lines]

    def prompt(self, prompt: str) -> None:
        self._question = prompt

    def wait_for_a_line(self, typed: str) -> None:
        """Count the current question as heard, and remember what is typed after it."""
        self.typed[len(self.said)] = typed
        self.said.append((self.part, self._question))


class Recorded:
    """The session of a recorded match, with our seat in it."""

    ending = None
    pause_offered = pause_wanted = may_propose = False

    def __init__(self) -> None:
        self.made: Move | None = None
        self._view: View | None = None

    def know(self, seat: int, hand: Hand | None, match: Match | None) -> None:
        if hand is not None and match is not None:
            self._view = View(seat, hand, match)

    def view(self) -> View:
        assert self._view is not None
        return self._view

    def drawn(self) -> None:
        return None

    def play(self, move: Move) -> None:
        self.view().hand.apply(move)
        self.made = move


def listen(record: Record, seat: int, *, words: bool = False, typed: Sequence[str] = ()) -> Heard:
    """Play a whole match as this seat's player hears it. *typed*: the lines typed before it
    begins."""
    heard = Heard()
    session = Recorded()
    settings = Settings(words=words, pace=False)
    table = HumanTable(
        heard,
        PersonPresenter(heard, Style(symbols=True, words=words), settings=settings),
        Clock(),  # never advanced, so no timer fires
        seat,
        MatchPort(),
        settings=settings,
    )
    table.use_session(session)  # type: ignore[arg-type]
    table.take_seat(session)
    for line in typed:
        table.take(TypedLine(line))
    heard.said.clear()
    for step in record.steps:
        match = step.entries[0].before.match
        if step.move is not None and step.author == seat:
            _play(table, session, heard, step, seat)
        for event, hand in _shown(step):
            heard.part = _part(event)
            session.know(seat, hand, match or event.after.match)
            table.show(event)
    return heard


def _play(table: HumanTable, session: Recorded, heard: Heard, step: Step, seat: int) -> None:
    hand = step.before
    assert hand is not None
    assert step.move is not None
    heard.part = _PARTS.get(hand.phase, Part.TURN)
    session.made = None
    session.know(seat, hand, step.entries[0].before.match)
    table.choose(session.view())
    if session.made is None:
        typed = str(step.move).removeprefix("discard ")
        heard.wait_for_a_line(typed)
        table.take(TypedLine(typed))
    if session.made != step.move:
        raise RuntimeError(f"{step.move} was recorded, and {session.made} is played")


def _shown(step: Step) -> Iterator[tuple[Admitted, Hand | None]]:
    """Yield each entry of the step, and the hand as we know it after that entry."""
    *first, last = step.entries
    for event in first:  # a draw: its card comes with the share
        hand = event.after.hand
        held = None if step.before is None else step.before.hands
        if hand is not None and held is not None:
            for at, cards in enumerate(held):
                hand = hand if cards is None else hand.knowing(at, cards)
        yield _with_moves(event, step.after), hand
    yield _with_moves(last, step.after), step.after


def _with_moves(event: Admitted, after: Hand | None) -> Admitted:
    """Return the event with the hand's moves in its last table: a limit may depend on them, and a
    record lacks them."""
    table = event.after
    if table.hand is None or after is None:
        return event
    return replace(event, after=replace(table, hand=table.hand._replace(moves=after.moves)))


_PARTS = {Phase.FIRST_UPCARD: Part.DEAL, Phase.SECOND_UPCARD: Part.DEAL, Phase.LAY_OFF: Part.END}


def _part(event: Admitted) -> Part:
    """Return the part of the match that an entry belongs to."""
    hand, after = event.before.hand, event.after.hand
    if isinstance(event.message, m.Settle | m.Disclose) or event.after.hand_number == 0:
        return Part.MATCH
    if isinstance(event.message, m.Knock):
        return Part.END
    if hand is None:
        return Part.DEAL
    if after is None or hand.phase is Phase.LAY_OFF:
        return Part.END
    if isinstance(event.message, m.TakeUpcard):
        return Part.TURN
    return _PARTS.get(hand.phase, Part.TURN)


_ENDS_TURN = (m.Discard, m.Knock)


def own_turns(record: Record, seat: int) -> int:
    """Return how many turns this player ends."""
    return sum(
        isinstance(step.message, _ENDS_TURN) and step.author == seat for step in record.steps
    )


def measure(
    records: Iterable[Record], *, words: bool = False, typed: Sequence[str] = ()
) -> dict[Part, tuple[float, float, float]]:
    """Return the lines, words and letters of each part, and how often it occurs."""
    heard: dict[Part, Amount] = dict.fromkeys(Part, Amount())
    times: Counter[Part] = Counter()
    for record in records:
        for seat in (0, 1):
            for part, line in listen(record, seat, words=words, typed=typed).said:
                heard[part] += Amount.of(line)
            times[Part.TURN] += own_turns(record, seat)
            times[Part.DEAL] += len(record.hands)
            times[Part.END] += len(record.hands)
            times[Part.MATCH] += 1
    return {
        part: (amount.lines / times[part], amount.words / times[part], amount.letters / times[part])
        for part, amount in heard.items()
    }


def recorded() -> list[Record]:
    """Return the matches to measure."""
    return [Record.read(LOGS / f"{name}.ginlog") for name in MATCHES]


WAYS = {
    "plain": {},
    "plain, words on": {"words": True},
    "brief": {"typed": ("brief on",)},
    "brief, words on": {"words": True, "typed": ("brief on",)},
}
