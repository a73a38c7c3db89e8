"""Play against a Java player of the EAAI challenge (Neller 2021). Its sources must be in a folder,
along with the challenge's package `ginrummy`.

The player decides what to take, what to discard and when to knock. Its cards are laid out for it in
the best way, for a knock or against one: the challenge's players do much the same, and the game
that they are written for lays off for them. Their random choices come from their own generator, so
two runs differ. Needs javac, from any JDK.
"""

from __future__ import annotations

import atexit
import subprocess
import tempfile
from collections import defaultdict
from functools import cache
from pathlib import Path

from ginpeer.rules import (
    Card,
    CardSet,
    Discard,
    DrawStock,
    Knock,
    Move,
    Pass,
    Phase,
    TakeUpcard,
    View,
    cards_of,
    parse_card,
)

_BRIDGE = Path(__file__).with_name("JavaPlayer.java")


def is_java_player(name: str) -> bool:
    """Return whether *name* is FOLDER:CLASS with the sources of a Java player."""
    folder, _, player = name.rpartition(":")
    return bool(folder) and Path(folder, *player.split(".")).with_suffix(".java").is_file()


_idle: dict[str, list[subprocess.Popen[str]]] = defaultdict(list)
"""Processes whose game is over, by the player's name: starting one takes half a second."""


class JavaPlayer:
    """One Java player for one game. It's told what it would see, in the order of events."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._process = _idle[name].pop() if _idle[name] else _start(name)
        self._tell("game")
        self._hand = -1
        """The number of the hand that it is playing, from 0."""
        self._cards: CardSet = 0
        self._known = 0
        """How many of the hand's moves it knows."""

    def __del__(self) -> None:
        _idle[self._name].append(self._process)

    def __call__(self, view: View) -> Move:
        hand = view.hand
        if len(view.match.results) != self._hand:
            self._begin_hand(view)
        for seat, move in hand.moves[self._known :]:
            self._report(view, seat, move)
        self._known = len(hand.moves)
        match hand.phase:
            case Phase.DISCARD:
                return self._discard(view)
            case Phase.LAY_OFF:
                return view.sensible_moves()[0]
            case Phase.FIRST_DRAW:
                return DrawStock()
            case Phase.LAST_CHANCE:
                return Pass()
        if hand.upcard is not None and self._ask("upcard", _word(hand.upcard)) == "take":
            return TakeUpcard()
        return DrawStock() if hand.phase is Phase.DRAW else Pass()

    def _begin_hand(self, view: View) -> None:
        """Report the score and the cards dealt, which the player still has when first asked."""
        self._hand = len(view.match.results)
        self._known, self._cards = 0, view.cards
        self._tell("scores", *map(str, view.match.game.scores))
        dealt = map(_word, cards_of(view.cards))
        self._tell("start", str(view.seat), str(1 - view.hand.dealer), *dealt)
        self._pile = [] if view.hand.first_upcard is None else [view.hand.first_upcard]

    def _report(self, view: View, seat: int, move: Move) -> None:
        """Report a move, unless it's the player's own discard, which it knows."""
        match move:
            case TakeUpcard():
                self._tell("draw", str(seat), _word(self._pile.pop()))
            case DrawStock():
                drawn = view.cards & ~self._cards if seat == view.seat else 0
                self._tell("draw", str(seat), *map(_word, cards_of(drawn)), *["-"] * (not drawn))
            case Discard(card):
                self._pile.append(card)
                if seat != view.seat:
                    self._tell("discard", str(seat), _word(card))
        if seat == view.seat:
            self._cards = view.cards

    def _discard(self, view: View) -> Move:
        """Ask for a discard, then whether to knock, as the challenge does. A knock is laid out with
        the least deadwood."""
        word = self._ask("choose")
        card = parse_card(word[0] + word[1].lower())
        self._tell("discard", str(view.seat), _word(card))
        self._cards = view.cards & ~card.bit
        if self._ask("knocks") == "no":
            return Discard(card)
        knocks = [m for m in view.sensible_moves() if isinstance(m, Knock) and m.discard == card]
        return min(knocks, key=lambda knock: view.hand.melding.pips(knock.deadwood))

    def _tell(self, *words: str) -> None:
        print(*words, file=self._process.stdin, flush=True)

    def _ask(self, *words: str) -> str:
        self._tell(*words)
        for line in self._process.stdout or ():
            if line.startswith("= "):
                return line.removeprefix("= ").strip()
        raise RuntimeError(f"{self._name} ended when asked: {' '.join(words)}")


def _word(card: Card) -> str:
    """Return a card as the challenge writes it, like 7D."""
    return str(card).upper()


def _start(name: str) -> subprocess.Popen[str]:
    folder, _, player = name.rpartition(":")
    return subprocess.Popen(
        ["java", "-cp", _compiled(folder, player), "JavaPlayer", player],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@cache
def _compiled(folder: str, player: str) -> str:
    """Compile the player and what it needs. Return the folder of the classes."""
    classes = tempfile.TemporaryDirectory(prefix="ginpeer-java-")
    atexit.register(classes.cleanup)
    source = str(Path(folder, *player.split(".")).with_suffix(".java"))
    command = ["javac", "-nowarn", "-sourcepath", folder, "-d", classes.name, str(_BRIDGE), source]
    subprocess.run(command, check=True)
    return classes.name
