"""Walks through a match at a terminal or a pipe: reads lines and answers them until the player
quits.

When the player goes to a step, the answer says what happened there, usually in one or two lines. It
names the hand and turn only on request, or after a jump into the middle of another hand. The choice
at a step is valued only when the player gets there.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from cli.program import Failure
from cli.table.near_misses import nearest_command
from cli.terminal.console import Console
from cli.terminal.line_input import EndOfInput, InputEvent, Key, TypedLine
from cli.text.analysis import judge_line
from cli.text.cards import as_typed
from cli.text.grammar import at_start, inside, plural
from cli.text.replay import StepNarrator, ValueOfStep, no_value
from cli.text.score_sheet import score_sheet
from cli.text.verdict import unknown_score
from ginpeer.record import Landmark, StepCursor
from ginpeer.rules.cards import Unreadable

BEGIN = "Enter steps forward, b back. A number goes to that hand, ? lists the rest, q quits."
"""Shown to a person at a terminal before the first step."""

_HELP = (
    "Enter or next (n) goes one step forward, back (b) one back; next 5 and back 5 go five. The "
    "right and left arrow keys do the same. Home and End go to the ends of the hand.",
    "3 or hand 3 goes to the deal of hand 3. turn 7 goes to turn 7 of this hand. turn 4 host goes "
    "to the host's fourth turn. entry 20 goes to entry 20 of the log. start and end go to the ends "
    "of this hand, first and last to those of the match. next hand, back hand, next turn and back "
    "turn move by hands or turns.",
    "knock (k) goes to the next knock or gin. discard (d) goes to your next discard. In a match "
    "between two other players, it goes to the next discard by a player whose cards are shown. You "
    "can name a player, as in: discard host. To go back, type back first, as in: back knock.",
    "highest goes to the discard in this hand that left the most deadwood. It considers the "
    "players whose cards are shown, unless you name one player, or both. highest match searches "
    "all hands.",
    "seat Ann (or seat host, seat guest) shows only that player's cards. seat both shows both "
    "hands.",
    "table (t): the whole position. where (w): the hand, turn and entry. score: the score sheet "
    "so far.",
    "full on: the whole position at each step. values on: what each choice was worth. words on: "
    "the cards in words. Each stays on until you turn it off, as in: full off. quit (q): end the "
    "replay.",
)

_NO_TURNS = "This step isn't part of a hand, so it has no turns."
_DIGITS = 9  # the most digits that a number may have; nothing in a match needs more


@dataclass(eq=False)
class Answers:
    """Answers each line that is typed, with the method that has the command's name.

    ``own`` is our player's seat; None in a match between two other players.
    ``seat_named`` finds the seat that a typed name means, and ``valued`` makes a ValueOfStep for a
    seat, or for both if that is None; both raise Failure. ``closing`` is what to say at the end of
    a log that isn't valid or breaks off. ``over`` is True once the player has quit.
    """

    walk: StepCursor
    teller: StepNarrator
    _: KW_ONLY
    names: tuple[str, str]
    own: int | None
    seat_named: Callable[[str], int]
    valued: Callable[[int | None], ValueOfStep]
    closing: Sequence[str] = ()
    over: bool = field(default=False, init=False)

    def here(self) -> list[str]:
        first, *others = self.teller.lines(self.walk.step)
        return [first, *(f"  {line}" for line in others)]

    def to(self, line: str) -> list[str]:
        """Obey a line that was typed, and return the answer."""
        try:
            spec, rest = find_command(line)
            answer: Callable[[str], list[str]] = getattr(self, spec.name)
            return answer(rest)
        except (Failure, Unreadable) as why:
            return [why.sentence]

    # --- where to go ----------------------------------------------------------------------

    def next(self, rest: str, *, back: bool = False) -> list[str]:
        """Answer "next", "next 5" and "next knock host"."""
        walk, way = self.walk, -1 if back else 1
        count = _number(rest) if rest else 1
        if count is not None:
            if walk.go(way * count) or not count:
                return self.here()
            if back:
                return ["This is the beginning."]
            end = "This is the end. back goes back, score shows the score sheet."
            return [end, *self.closing]
        side = "earlier" if back else "later"
        typed, _, player = rest.partition(" ")
        spec = BY_WORD.get(typed.casefold())
        aim = "" if spec is None else spec.name
        match aim:
            case "knock" | "discard":
                return self._to_landmark(Landmark(aim), player, back=back)
            case "hand" if not player:
                begun = walk.hands and walk.place >= walk.places_of(1)[0]
                hand = walk.hand or (walk.hands + 1 if begun else 0)
                return self._came(walk.to_hand(hand + way), f"There is no {side} hand.")
            case "turn" if not player:
                otherwise = f"There is no {side} turn in this hand." if walk.hand else _NO_TURNS
                return self._came(walk.to_turn(walk.turn + way), otherwise)
        sentence = "After next or back, type a number of steps, or knock, discard, hand or turn."
        raise Unreadable("unclear", sentence)

    def back(self, rest: str) -> list[str]:
        return self.next(rest, back=True)

    def knock(self, rest: str) -> list[str]:
        return self._to_landmark(Landmark.KNOCK, rest)

    def discard(self, rest: str) -> list[str]:
        return self._to_landmark(Landmark.DISCARD, rest)

    def _to_landmark(self, landmark: Landmark, player: str, *, back: bool = False) -> list[str]:
        anybody = landmark is Landmark.KNOCK and not player
        seats = (0, 1) if anybody else self._seats(player, own=True)
        whose = f" by {inside(self.names[seats[0]])}" if len(seats) == 1 else ""
        where = "before this" if back else "after this"
        hand = self.walk.hand
        found = self.walk.to_next(landmark, seats, back=back)
        return self._came(found, f"There is no {landmark.value}{whose} {where}.", hand)

    def hand(self, rest: str) -> list[str]:
        walk, number = self.walk, _number_in(rest, "Type the hand's number, as in: hand 2.")
        otherwise = f"The hands of this match are numbered 1 to {walk.hands}."
        if walk.hands < 2:
            one = "There is only one hand here, hand 1."
            otherwise = one if walk.hands else "There are no hands here."
        return self._came(walk.to_hand(number) or walk.hand == number > 0, otherwise)

    def turn(self, rest: str) -> list[str]:
        """Answer "turn 7" and, for Ann's third turn, "turn 3 Ann"."""
        typed, _, player = rest.partition(" ")
        need = "Type the turn's number in this hand, as in: turn 7; turn 0 is the deal."
        walk, number = self.walk, _number_in(typed, need)
        seat = self.seat_named(player) if player else None
        turns, otherwise = walk.turn_places(seat), _NO_TURNS
        if walk.hand and seat is None:
            otherwise = f"This hand has {plural(len(turns), 'turn')}."
        elif walk.hand and seat is not None:
            name = at_start(self.names[seat])
            otherwise = f"{name} has {plural(len(turns), 'turn')} in this hand."
        starts = [*walk.places_of(walk.hand)[:1], *turns] if walk.hand else []
        found = walk.to_turn(number, seat) or walk.place in starts[number : number + 1]
        return self._came(found, otherwise)

    def entry(self, rest: str) -> list[str]:
        number = _number_in(rest, "Type the entry's number in the log, as in: entry 20.")
        hand = self.walk.hand
        return self._came(self.walk.to_entry(number), f"There is no step at entry {number}.", hand)

    def start(self, rest: str) -> list[str]:
        return self._to_edge(self.walk.to_hand_start)

    def end(self, rest: str) -> list[str]:
        return self._to_edge(self.walk.to_hand_end)

    def _to_edge(self, go: Callable[[], bool]) -> list[str]:
        if not self.walk.hand:
            return ["This step isn't part of a hand. first and last go to the ends of the match."]
        go()
        return self.here()

    def first(self, rest: str) -> list[str]:
        self.walk.to_start()
        return self.here()

    def last(self, rest: str) -> list[str]:
        self.walk.to_end()
        return self.here()

    def highest(self, rest: str) -> list[str]:
        """Answer "highest", "highest Ann" and "highest both match"."""
        words = rest.split()
        if words and words[0].casefold() == "deadwood":
            words = words[1:]  # the term used in help and the README
        everywhere = bool(words) and words[-1].casefold() == "match"
        seats = self._seats(" ".join(words[: len(words) - everywhere]))
        walk = self.walk
        if not walk.hand and not everywhere:
            return ["This step isn't part of a hand. highest match searches all hands."]
        found = walk.to_highest(seats, everywhere=everywhere)
        if found is None:
            return ["There is no such discard, or the cards aren't known."]
        name = inside(self.names[found.seat])
        place = f"hand {walk.hand}, turn {walk.turn}" if everywhere else f"turn {walk.turn}"
        told = f"Highest deadwood after a discard: {found.count}, by {name}, {place}."
        return [told, *self.here()]

    def _came(self, found: bool, otherwise: str, hand: int | None = None) -> list[str]:
        """Describe the step that was reached, or return *otherwise* if none was *found*. *hand*:
        the hand before the jump, if the step may be in a different hand."""
        if not found:
            return [otherwise]
        if hand is None or hand == self.walk.hand or not self.walk.hand:
            return self.here()
        place = f"Hand {self.walk.hand}, turn {self.walk.turn}."
        return [place, *self.here()] if self.walk.turn else self.here()

    def _seats(self, player: str, *, own: bool = False) -> tuple[int, ...]:
        """Return the seat of the named player; otherwise, with *own*, our own seat; otherwise the
        seats whose cards are shown."""
        if player and player.casefold() != "both":
            return (self.seat_named(player),)
        if not player and own and self.own is not None:
            return (self.own,)
        shown_seat = self.walk.shown_seat
        return (0, 1) if shown_seat is None or player else (shown_seat,)

    # --- what to look up ----------------------------------------------------------------

    def table(self, rest: str) -> list[str]:
        return self.teller.position(self.walk.step)

    def where(self, rest: str) -> list[str]:
        walk = self.walk
        last = walk.step_at(walk.last).entries[-1].sequence
        entry = f"entry {walk.step.entry} (last: {last})"
        if not walk.hand:
            return [f"This step, {entry}, isn't part of a hand."]
        turn = f"turn {walk.turn} of {walk.turns}" if walk.turn else "the deal"
        return [f"Hand {walk.hand} of {walk.hands}, {turn}, {entry}."]

    def score(self, rest: str) -> list[str]:
        table = self.walk.step.entries[-1].after
        if table.match is None or not (table.match.results or table.match.finished):
            return ["No hand has ended yet."]
        return unknown_score(table.begins) or score_sheet(table.match, self.names)

    # --- how steps are shown -----------------------------------------------------------------

    def seat(self, rest: str) -> list[str]:
        if not rest:
            sentence = "Say whose cards to show: a player's name, host, guest, or both."
            raise Unreadable("unclear", sentence)
        shown_seat = None if rest.casefold() == "both" else self.seat_named(rest)
        self.walk.show_seat(shown_seat)
        if self.teller.valued is not no_value:
            self.teller = replace(self.teller, valued=self.valued(shown_seat))
        whose = "both players'" if shown_seat is None else f"{inside(self.names[shown_seat])}'s"
        return [f"Now showing {whose} cards, as far as they are known.", *self.here()]

    def words(self, rest: str) -> list[str]:
        style = replace(self.teller.style, words=_is_on("words", rest))
        self.teller = replace(self.teller, style=style)
        return self.here()

    def full(self, rest: str) -> list[str]:
        self.teller = replace(self.teller, full=_is_on("full", rest))
        return self.here()

    def values(self, rest: str) -> list[str]:
        on = _is_on("values", rest)
        valued = self.valued(self.walk.shown_seat) if on else no_value
        self.teller = replace(self.teller, valued=valued)
        return [*([judge_line("the player")] if on else []), *self.here()]

    def help(self, rest: str) -> list[str]:
        return list(_HELP)

    def quit(self, rest: str) -> list[str]:
        self.over = True
        return []


# --- what can be typed ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spec:
    """One command. ``offers``: what Tab offers after it. ``needs_more``: whether Tab adds a blank.
    ``alone``: whether nothing may follow it."""

    name: str
    aliases: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    needs_more: bool = False
    alone: bool = False


def _number(text: str) -> int | None:
    digits = text.isascii() and text.isdigit() and len(text) <= _DIGITS
    return int(text) if digits else None


def _number_in(text: str, need: str) -> int:
    """Return the number that was typed. Raises Unreadable, with the sentence *need*."""
    number = _number(text)
    if number is None:
        raise Unreadable("unclear", need)
    return number


def _is_on(name: str, rest: str) -> bool:
    if rest.casefold() not in ("on", "off"):
        raise Unreadable("unclear", f"Type {name} on or {name} off.")
    return rest.casefold() == "on"


_AIMS = ("knock", "discard", "hand", "turn")
_SEATS = ("host", "guest")
_ON_OFF = ("on", "off")
COMMANDS = (
    Spec("next", ("", "n", "+", "forward"), _AIMS),
    Spec("back", ("b", "p", "-", "prev", "previous"), _AIMS),
    Spec("hand", ("g", "goto", "h"), needs_more=True),
    Spec("turn", needs_more=True),
    Spec("entry", needs_more=True),
    Spec("start", ("beginning",), alone=True),
    Spec("end", alone=True),
    Spec("first", alone=True),
    Spec("last", alone=True),
    Spec("knock", ("k", "gin"), _SEATS),
    Spec("discard", ("d", "throw"), _SEATS),
    Spec("highest", ("high", "deadwood"), (*_SEATS, "both")),
    Spec("table", ("t", "show", "board"), alone=True),
    Spec("where", ("w",), alone=True),
    Spec("score", alone=True),
    Spec("seat", ("s", "view"), (*_SEATS, "both"), needs_more=True),
    Spec("words", (), _ON_OFF, needs_more=True),
    Spec("full", (), _ON_OFF, needs_more=True),
    Spec("values", ("value",), _ON_OFF, needs_more=True),
    Spec("help", ("?",)),
    Spec("quit", ("q", "exit", "bye"), alone=True),
)
BY_NAME = {spec.name: spec for spec in COMMANDS}
BY_WORD = {word: spec for spec in COMMANDS for word in (spec.name, *spec.aliases)}


def find_command(line: str) -> tuple[Spec, str]:
    """Return the command that a line names, and what follows it. Raises Unreadable."""
    word, _, rest = " ".join(line.split()).partition(" ")
    word = word.casefold()
    if _number(word) is not None and not rest:
        return BY_NAME["hand"], word
    spec = BY_WORD.get(word)
    if spec is None:
        instead = nearest_command(word, BY_NAME)
        near = f" Did you mean {instead}?" if instead in BY_NAME else ""
        sentence = f"{as_typed(word)} isn't a command.{near} For a list, type ?."
        raise Unreadable("unknown-command", sentence)
    if rest and spec.alone:
        means_turn = "t means table. To go to a turn, type turn 7."
        only = f"Type only {spec.name}, with nothing after it."
        raise Unreadable("unclear", means_turn if word == "t" else only)
    return spec, rest


def completions(typed: str) -> Sequence[str] | None:
    """Return the completions of the last word that was *typed* up to the cursor."""
    before, _, begun = typed.rpartition(" ")
    words = before.casefold().split()
    found: Sequence[str] = ()
    if not words:
        found = [f"{spec.name} " if spec.needs_more else spec.name for spec in COMMANDS]
    elif len(words) == 1 and words[0] in BY_NAME:
        found = BY_NAME[words[0]].offers
    return tuple(each for each in found if each.startswith(begun.casefold()))


# --- reading and answering --------------------------------------------------------------

PROMPT = "> "
KEYS = {Key.RIGHT: "next", Key.LEFT: "back", Key.HOME: "start", Key.END: "end"}
"""The commands that these keys enter on an empty line, where they can't move the cursor."""
_WAKE_EVERY = 0.2 if sys.platform == "win32" else None
"""The longest wait for input, in seconds; None for no limit. On Windows, Ctrl-C takes effect only
after the wait."""


class Repl:
    """Reads lines and prints the answers. The Console reads in another thread. No reactor is
    running, so the lines wait in a queue for the main thread."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._console = Console(sys.stdin, sys.stdout, self._call_in_main)
        self._interrupted = False

    def _call_in_main(self, call: Callable[..., Any], *given: Any) -> None:
        self._calls.put(lambda: call(*given))

    def run(self, *heading: str) -> None:
        """Walk until the player quits. Raises KeyboardInterrupt and output errors."""
        console = self._console
        console.print(*heading, *((BEGIN,) if console.interactive else ()), *self._answers.here())
        if console.broken is None:
            with self._left_as_found():
                console.start(self._take, self._stop, complete=completions, instead=KEYS)
                console.prompt(PROMPT)
                while not self._answers.over:
                    with contextlib.suppress(queue.Empty):
                        self._calls.get(timeout=_WAKE_EVERY)()
        if console.broken is not None:
            raise console.broken

    def _take(self, event: InputEvent) -> bool:
        match event:
            case _ if self._answers.over:
                pass
            case TypedLine(text):
                self._console.keep(text)
                self._console.print(*self._answers.to(text))
                if self._answers.over:
                    self._console.prompt("")
            case EndOfInput():
                self._stop()
            case _:
                self._console.print("That line is too long. It was ignored.")
        return True

    def _stop(self) -> None:
        self._answers.over = True

    def _interrupt(self, *_: object) -> None:
        """Handle Ctrl-C after the current call, so that a key being processed isn't lost. If Ctrl-C
        is pressed again before then, interrupt that call, which may take too long."""
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True
        self._calls.put(self._clear_or_end)

    def _clear_or_end(self) -> None:
        if not self._console.clear_typed():
            raise KeyboardInterrupt
        self._interrupted = False

    @contextlib.contextmanager
    def _left_as_found(self) -> Iterator[None]:
        """Restore the terminal at the end, even if a signal ends the program."""

        def end(number: int, _: object) -> None:
            # First do what needs no output: if writing blocks, the next signal ends us.
            self._console.restore()
            signal.signal(number, signal.SIG_DFL)
            with contextlib.suppress(RuntimeError):  # the signal came in the middle of a write
                self._console.close()
            os.kill(os.getpid(), number)

        numbers = [signal.SIGTERM] + ([] if sys.platform == "win32" else [signal.SIGHUP])
        before = [(number, signal.signal(number, end)) for number in numbers]
        before.append((signal.SIGINT, signal.signal(signal.SIGINT, self._interrupt)))
        try:
            yield
        finally:
            self._console.close()
            for number, handler in before:
                signal.signal(number, handler)
