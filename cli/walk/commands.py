"""What can be typed while walking through a match, and the answers.

Rule 1: a line that can't be read does nothing, and the answer says in one line what was probably
  meant. Of the typed text, only these parts are kept: a command word, a number of up to nine
  digits, and the rest of the line if it names a player.
Rule 2: a step through the match is answered with what happened there, mostly in one or two lines.
  The position is named only when asked for, and when another hand is reached somewhere other than
  at its deal.
Rule 3: no step is judged or valued before somebody comes to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from cli.failure import Failure
from cli.table.command_table import CommandSpec, CommandTable, nearest_command
from cli.text.analysis import judge_line
from cli.text.grammar import inside, plural
from cli.text.replay import StepNarrator, ValueOfStep, no_value
from cli.text.score_sheet import score_sheet
from ginpeer.names import safe
from ginpeer.record import HighestDeadwood, Landmark, StepCursor
from ginpeer.rules.cards import Unreadable
from ginpeer.rules.match import Match

BEGIN = "Enter steps forward, b back. A number goes to that hand, ? lists the rest, q quits."
"""What a person at a terminal is shown first."""

_HELP = (
    "Enter or next (n) goes one step forward, back (b) one back; next 5 and back 5 go five. The "
    "right and left arrow keys do the same. Home and End go to the ends of the hand.",
    "3 or hand 3 goes to the deal of hand 3. turn 7 goes to turn 7 of this hand. turn 4 host goes "
    "to the host's fourth turn. entry 20 goes to entry 20 of the log. start and end go to the ends "
    "of this hand, first and last to those of the match. next hand, back hand, next turn and back "
    "turn move by hands or turns.",
    "knock (k) goes to the next knock or gin. discard (d) goes to your next discard, or to that "
    "of the player you are looking at. You can name a player, as in: discard host. To go back, "
    "type back first, as in: back knock.",
    "highest goes to the discard in this hand that left the most deadwood. It searches the players "
    "you are looking at, unless you name one, or both. highest match searches all hands.",
    "seat Ann (or seat host, seat guest) shows only that player's cards. seat both shows both "
    "hands.",
    "table (t): the whole position. where (w): the hand, turn and entry. score: the score sheet "
    "so far.",
    "full on: the whole position at each step. values on: what each choice was worth. words on: "
    "the cards in words. Each stays on until you turn it off, as in: full off. quit (q): end the "
    "replay.",
)

_DIGITS = 9  # of a number; nothing in a match needs more


@dataclass(frozen=True, slots=True)
class WalkCommand:
    """A line that was read. ``word``: the name of a command. ``number``: how many steps, or which
    hand, turn or entry. ``aim``: what next and back look for. ``player``: a player, as typed.
    ``everywhere``: whether to look in the whole match. ``on``: the position of a switch."""

    word: str
    number: int = 0
    aim: str = ""
    player: str = ""
    everywhere: bool = False
    on: bool = False


@dataclass(frozen=True, slots=True)
class WalkContext:
    """Who played, and who is walking through the match.

    ``names``: those of host and guest. ``own``: the seat of the player who is walking; None if it
    is a match between others. ``seat_named`` returns the seat for what was typed, or raises
    Failure. ``valued`` returns the function that says what choices were worth, or raises Failure if
    that can't be said. ``behind``: what to say at the end of a log that fails or breaks off.
    """

    names: tuple[str, str]
    own: int | None
    seat_named: Callable[[str], int]
    valued: Callable[[], ValueOfStep]
    behind: tuple[str, ...] = ()


class Answers:
    """Answers each line that is typed. ``over`` is True once the player has quit."""

    def __init__(self, walk: StepCursor, teller: StepNarrator, context: WalkContext) -> None:
        self.over = False
        self._walk = walk
        self._teller = teller
        self._context = context

    def here(self) -> list[str]:
        """Describe the step that the walk has reached."""
        first, *others = self._teller.lines(self._walk.step)
        return [first, *(f"  {line}" for line in others)]

    def to(self, line: str) -> list[str]:
        """Obey a line that was typed, and return the answer."""
        try:
            command = parse_walk_command(line)
            handler = COMMANDS.by_name[command.word].handler
            return [] if handler is None else handler(self, command)
        except (Failure, Unreadable) as why:
            return [why.sentence]

    # --- where to go ----------------------------------------------------------------------

    def _go(self, command: WalkCommand) -> list[str]:
        """Answer the commands next and back."""
        back, walk = command.word == "back", self._walk
        if command.aim in ("knock", "discard"):
            return self._to_landmark(Landmark(command.aim), command.player, back=back)
        if command.aim == "hand":
            hand = walk.hand or (walk.hands + 1 if walk.place else 0)
            return self._came(walk.to_hand(hand + (-1 if back else 1)), "There is no hand there.")
        if command.aim == "turn":
            return self._came(walk.to_turn(walk.turn + (-1 if back else 1)), self._no_turn())
        if walk.go(-command.number if back else command.number):
            return self.here()
        if not command.number:
            return self.here()
        return ["This is the beginning."] if back else self._end()

    def _end(self) -> list[str]:
        return [
            ("This is the end. back goes back, score shows the score sheet."),
            *self._context.behind,
        ]

    def _to_landmark(self, landmark: Landmark, player: str, *, back: bool) -> list[str]:
        anybody = landmark is Landmark.KNOCK and not player
        seats = (0, 1) if anybody else self._seats(player, own=True)
        whose = f" by {inside(self._context.names[seats[0]])}" if len(seats) == 1 else ""
        where = "before this" if back else "from here on"
        hand = self._walk.hand
        found = self._walk.to_next(landmark, seats, back=back)
        return self._came(found, f"No {landmark.value}{whose} {where}.", hand)

    def _numbered(self, command: WalkCommand) -> list[str]:
        """Answer the commands hand, turn and entry."""
        walk, number = self._walk, command.number
        if command.word == "hand":
            return self._came(walk.to_hand(number) or walk.hand == number > 0, self._no_hand())
        if command.word == "turn" and command.player:
            return self._to_turn_of(self._context.seat_named(command.player), number)
        if command.word == "turn":
            return self._came(walk.to_turn(number) or walk.turn == number > 0, self._no_turn())
        hand = walk.hand
        return self._came(walk.to_entry(number), f"No step has entry {number}.", hand)

    def _no_hand(self) -> str:
        hands = self._walk.hands
        return f"This match has hands 1 to {hands}." if hands > 1 else _NO_OTHER_HAND[hands]

    def _to_turn_of(self, seat: int, number: int) -> list[str]:
        """Go to a player's turn, as an analysis counts them."""
        turns = self._walk.turn_places(seat)
        otherwise = self._no_turn()
        if self._walk.hand:
            name = inside(self._context.names[seat])
            otherwise = f"This hand has {plural(len(turns), 'turn')} by {name}."
        found = self._walk.to_turn(number, seat) or self._walk.place in turns[number - 1 : number]
        return self._came(found, otherwise)

    def _no_turn(self) -> str:
        if not self._walk.hand:
            return "This step isn't part of a hand, so it has no turns."
        return f"This hand has {plural(self._walk.turns, 'turn')}."

    def _edge(self, command: WalkCommand) -> list[str]:
        """Answer the commands start and end (of the hand), and first and last (of the match)."""
        way = {
            "start": self._walk.to_hand_start,
            "end": self._walk.to_hand_end,
            "first": self._walk.to_start,
            "last": self._walk.to_end,
        }[command.word]
        if command.word in ("start", "end") and not self._walk.hand:
            return ["This step isn't part of a hand. first and last go to the ends of the match."]
        way()
        return self.here()

    def _highest(self, command: WalkCommand) -> list[str]:
        hand, seats = self._walk.hand, self._seats(command.player)
        if not hand and not command.everywhere:
            return ["This step isn't part of a hand. highest match searches all of them."]
        found = self._walk.to_highest(seats, everywhere=command.everywhere)
        if found is None:
            return ["There is no such discard, or the cards aren't known."]
        return [self._highest_told(found, command.everywhere), *self.here()]

    def _highest_told(self, found: HighestDeadwood, everywhere: bool) -> str:
        walk = self._walk
        hand = f"hand {walk.hand}, " if everywhere else ""
        name = inside(self._context.names[found.seat])
        return (
            f"Highest deadwood after a discard: {found.count}, by {name}, {hand}turn {walk.turn}."
        )

    def _came(self, found: bool, otherwise: str, hand: int | None = None) -> list[str]:
        """Describe the step that the walk has reached, or return *otherwise*. *hand*: the hand it
        came from, if the step may be in a different one."""
        if not found:
            return [otherwise]
        if hand is None or hand == self._walk.hand or not self._walk.hand:
            return self.here()
        return [f"Hand {self._walk.hand}, turn {self._walk.turn}.", *self.here()]

    def _seats(self, player: str, *, own: bool = False) -> tuple[int, ...]:
        """Return the seat of the named player; otherwise, with *own*, our own seat; otherwise the
        seats whose cards are shown."""
        if player and player.casefold() != "both":
            return (self._context.seat_named(player),)
        if not player and own and self._context.own is not None:
            return (self._context.own,)
        shown_seat = self._walk.shown_seat
        return (0, 1) if shown_seat is None or player else (shown_seat,)

    # --- what to look up ----------------------------------------------------------------

    def _table(self, command: WalkCommand) -> list[str]:
        return self._teller.position(self._walk.step)

    def _where(self, command: WalkCommand) -> list[str]:
        walk = self._walk
        last = walk.step_at(walk.last).entries[-1].sequence
        entry = f"entry {walk.step.entry} (last: {last})"
        if not walk.hand:
            return [f"This step isn't part of a hand: {entry}."]
        turn = f"turn {walk.turn} of {walk.turns}" if walk.turn else "the deal"
        return [f"Hand {walk.hand} of {walk.hands}, {turn}, {entry}."]

    def _score(self, command: WalkCommand) -> list[str]:
        match: Match | None = self._walk.step.entries[-1].after.match
        if match is None or not match.results:
            return ["No hand has ended yet."]
        return score_sheet(match, self._context.names)

    # --- how steps are shown -----------------------------------------------------------------

    def _seat(self, command: WalkCommand) -> list[str]:
        shown_seat = (
            None
            if command.player.casefold() == "both"
            else self._context.seat_named(command.player)
        )
        self._walk.show_seat(shown_seat)
        names = self._context.names
        whose = "both players'" if shown_seat is None else f"{inside(names[shown_seat])}'s"
        return [f"Now showing {whose} cards, as far as they are known.", *self.here()]

    def _switch(self, command: WalkCommand) -> list[str]:
        if command.word == "words":
            style = replace(self._teller.style, words=command.on)
            self._teller = replace(self._teller, style=style)
        elif command.word == "full":
            self._teller = replace(self._teller, full=command.on)
        else:
            valued = self._context.valued() if command.on else no_value
            self._teller = replace(self._teller, valued=valued)
            return [*([judge_line("the player")] if command.on else []), *self.here()]
        return self.here()

    def _help(self, command: WalkCommand) -> list[str]:
        return list(_HELP)

    def _quit(self, command: WalkCommand) -> list[str]:
        self.over = True
        return []


_NO_OTHER_HAND = ("There are no hands here.", "There is only one hand here, hand 1.")


# --- what can be typed ------------------------------------------------------------------

_AIMS = ("knock", "discard", "hand", "turn")
"""What may follow next and back, apart from a number."""

Spec = CommandSpec[None, WalkCommand]


def _number(text: str) -> int | None:
    digits = text.isascii() and text.isdigit() and len(text) <= _DIGITS
    return int(text) if digits else None


def _read_alone(name: str, word: str, rest: str) -> WalkCommand:
    if rest and word == "t":
        raise Unreadable("unclear", "t means table. To go to a turn, type turn 7.")
    if rest:
        raise Unreadable("unclear", f"Type only {name}, with nothing after it.")
    return WalkCommand(name)


def _numbered(name: str, need: str, *aliases: str) -> Spec:
    """Declare a command that needs a number after it."""

    def read(word: str, rest: str) -> WalkCommand:
        number = _number(rest)
        if number is None:
            raise Unreadable("unclear", need)
        return WalkCommand(name, number)

    return Spec(name, read=read, handler=Answers._numbered, aliases=aliases, more_follows=True)


def _turn() -> Spec:
    """Declare turn: "turn 7", or "turn 3 Ann" for Ann's third."""

    def read(word: str, rest: str) -> WalkCommand:
        first, *player = rest.split() or [""]
        number = _number(first)
        if number is None:
            need = "Name the turn of this hand, as in: turn 7; turn 0 is the deal."
            raise Unreadable("unclear", need)
        return WalkCommand("turn", number, player=" ".join(player))

    return Spec("turn", read=read, handler=Answers._numbered, more_follows=True)


def _steps(name: str, *aliases: str) -> Spec:
    """Declare next or back: "next", "next 5", "next knock", "back discard Ann"."""

    def read(word: str, rest: str) -> WalkCommand:
        if not rest:
            return WalkCommand(name, 1)
        number = _number(rest)
        if number is not None:
            return WalkCommand(name, number)
        first, *player = rest.split()
        spec = COMMANDS.by_word.get(first.casefold())
        if spec is None or spec.name not in _AIMS or (player and spec.name in ("hand", "turn")):
            sentence = "Add a number of steps, or knock, discard, hand or turn."
            raise Unreadable("unclear", sentence)
        return WalkCommand(name, aim=spec.name, player=" ".join(player))

    return Spec(name, read=read, handler=Answers._go, aliases=aliases, after=_offer(*_AIMS))


def _landmark(name: str, *aliases: str) -> Spec:
    """Declare knock or discard, which go to the next one."""
    return Spec(
        name,
        read=lambda word, rest: WalkCommand("next", aim=name, player=rest),
        handler=Answers._go,
        aliases=aliases,
        after=_offer("host", "guest"),
    )


def _switch(name: str, *aliases: str) -> Spec:
    """Declare a command that needs on or off after it."""

    def read(word: str, rest: str) -> WalkCommand:
        if rest.casefold() not in ("on", "off"):
            raise Unreadable("unclear", f"Type {name} on or {name} off.")
        return WalkCommand(name, on=rest.casefold() == "on")

    return Spec(
        name,
        read=read,
        handler=Answers._switch,
        aliases=aliases,
        after=_offer("on", "off"),
        more_follows=True,
    )


def _read_highest(word: str, rest: str) -> WalkCommand:
    words = rest.split()
    if words and words[0].casefold() == "deadwood":
        words = words[1:]  # the term used in help and the README
    everywhere = bool(words) and words[-1].casefold() == "match"
    player = " ".join(words[: len(words) - everywhere])
    return WalkCommand("highest", player=player, everywhere=everywhere)


def _read_seat(word: str, rest: str) -> WalkCommand:
    if not rest:
        sentence = "Name whose cards to look at: a player's name, host, guest, or both."
        raise Unreadable("unclear", sentence)
    return WalkCommand("seat", player=rest)


def _offer(*words: str) -> Callable[[None], Iterable[str]]:
    return lambda state: words


COMMANDS = CommandTable(
    _steps("next", "", "n", "+", "forward"),
    _steps("back", "b", "p", "-", "prev", "previous"),
    _numbered("hand", "Name the hand, as in: hand 2.", "g", "goto", "h"),
    _turn(),
    _numbered("entry", "Name the entry of the log, as in: entry 20."),
    Spec("start", handler=Answers._edge, aliases=("beginning",)),
    Spec("end", handler=Answers._edge),
    Spec("first", handler=Answers._edge),
    Spec("last", handler=Answers._edge),
    _landmark("knock", "k", "gin"),
    _landmark("discard", "d", "throw"),
    Spec(
        "highest",
        read=_read_highest,
        handler=Answers._highest,
        aliases=("high", "deadwood"),
        after=_offer("host", "guest", "both"),
    ),
    Spec("table", handler=Answers._table, aliases=("t", "show", "board")),
    Spec("where", handler=Answers._where, aliases=("w",)),
    Spec("score", handler=Answers._score),
    Spec(
        "seat",
        read=_read_seat,
        handler=Answers._seat,
        aliases=("s", "view"),
        after=_offer("host", "guest", "both"),
        more_follows=True,
    ),
    _switch("words"),
    _switch("full"),
    _switch("values", "value"),
    Spec(
        "help",
        read=lambda word, rest: WalkCommand("help"),
        handler=Answers._help,
        aliases=("?",),
    ),
    Spec("quit", handler=Answers._quit, aliases=("q", "exit", "bye")),
)


def parse_walk_command(line: str) -> WalkCommand:
    """Read a line. Raises Unreadable with a sentence."""
    word, _, rest = " ".join(line.split()).partition(" ")
    word = word.casefold()
    number = _number(word)
    if number is not None and not rest:
        return WalkCommand("hand", number)
    spec = COMMANDS.by_word.get(word)
    if spec is not None:
        read = spec.read
        return _read_alone(spec.name, word, rest) if read is None else read(word, rest)
    instead = nearest_command(word, COMMANDS.by_name)
    near = f" Did you mean {instead}?" if instead in COMMANDS.by_name else ""
    sentence = f"{safe(word, 20)} isn't a command.{near} For a list, type ?."
    raise Unreadable("unknown-command", sentence)


def completions(typed: str) -> Sequence[str] | None:
    """Return the completions of the last word that was *typed* up to the cursor."""
    before, _, begun = typed.rpartition(" ")
    words = before.casefold().split()
    found: Iterable[str] = ()
    if not words:
        found = COMMANDS.offered(None)
    elif len(words) == 1 and words[0] in COMMANDS.by_name:
        found = COMMANDS.by_name[words[0]].after(None)
    return tuple(each for each in found if each.startswith(begun.casefold()))
