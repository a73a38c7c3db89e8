"""What a person reads at the table: sentences on a terminal.

# Each sentence is complete in itself: nothing depends on its position on the screen. The open
# question is the prompt, which is always the last line.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

from cli.table.chat import AGAIN
from cli.table.turn_words import brief_question, turn_lines, turn_question, which_lines
from cli.terminal.console import Console
from cli.text.board import awaited_action, position_lines
from cli.text.cards import Sort, Style
from cli.text.connecting import places_text
from cli.text.grammar import YOU, at_start, does, duration
from cli.text.narration import narrate
from ginpeer.names import NO_KNOWN_NAMES, KnownNames, isolate_quotes, safe, safe_quote
from ginpeer.net import in_process
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.own_addresses import ReachableAddress
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table
from ginpeer.rules.cards import Card
from ginpeer.rules.moves import Move
from ginpeer.rules.view import View
from ginpeer.store.settings import Settings
from protocol import messages as m
from protocol.frames import Pause

_CONFIRMED = {
    "quit": "leave the table",
    "resign": "resign the match",
    "spread": "spread",
    "discard": "discard it",
    "propose": "propose it",
}


class PersonPresenter:
    """Prints sentences on a terminal, with a prompt below them. The player may change ``style``,
    ``sort`` and ``brief``."""

    def __init__(
        self,
        console: Console,
        style: Style,
        *,
        listens: bool = True,
        command: str = "ginpeer",
        known: KnownNames = NO_KNOWN_NAMES,
        brief: bool = False,
    ) -> None:
        """*listens*: whether typed lines are read at all. *command*: the command that starts this
        program with the same home. *known*: our player's names for others. *brief*: report each
        turn in as few words as possible."""
        self.brief = brief
        self.style = style
        self._command = command
        self._known = known
        self.sort = Sort.MELDS
        self._listens = listens
        self._console = console

    def begin_waiting(
        self,
        places: Sequence[ReachableAddress],
        key: str,
        *,
        again: bool,
        port: int | None,
        friend: str | None = None,
    ) -> None:
        ways = places_text(places)
        where = (
            f"Waiting at {ways}."
            if port is None
            else f"Waiting at port {port} of this machine. The invite leads to {ways}."
        )
        given = (
            friend
            if friend is not None
            else "Your friend types ginpeer resume, or ginpeer join and this invite."
            if again
            else "Send this invite to your friend, who types: ginpeer join and the invite."
        )
        self._console.print(
            *filter(None, [given]),
            f"Your key is {key}. {where} To stop, "
            f"{'type quit' if self._listens else 'press Ctrl-C'}.",
        )

    def begin_joining(self, addresses: str, key: str) -> None:
        self._console.print(f"Looking for the host with the key {key} at {addresses}.")

    def unreached(self, why: str, reply: str) -> None:
        cause, asks, sentence = why.partition(" Tell the host")
        told = f"{cause} Still trying." if why else "Here is a new way to reach you."
        self._console.print(told)
        if asks:  # on a line of its own, to be copied
            self._console.print(f"Tell the host{sentence}", whole=True)
        self._console.print(f"reply: {reply}", whole=True)
        self._console.print(
            "Send this line to the host. They paste it into their waiting program."
            if why
            else "If the host hasn't pasted the line above yet, send this one instead."
        )

    def dialling(self, addresses: str, key: str) -> None:
        self._console.print(
            f"Dialling your friend at {addresses}. Their key is {key}, and their program dials "
            "too. This may take a few minutes."
        )

    def connected(self, peer: PeerInfo, *, back: str | None = None) -> None:
        if back is not None:
            self._console.print(f"{at_start(back)} is back.")
            return
        help_ = ["Type help for a list of commands."] if self._listens else []
        if peer.address == in_process.ADDRESS:
            self._console.print("You are playing against the bot.", *help_)
            return
        bot = ["A bot plays for your opponent."] if peer.bot else []
        known = (
            "You haven't met this key before."
            if peer.known_as is None
            else f"You know this key as {self._known.one(peer.key, peer.known_as, safe_quote)}."
        )
        self._console.print(
            f"Connected to {safe(peer.address)}. Your opponent's key is {peer.fingerprint}. "
            f"{known}",
            *bot,
            *help_,
        )

    def happened(
        self, event: Admitted, seat: int, drawn: Card | None, deadwood: int | None = None
    ) -> None:
        told = narrate(
            event, self.style, seat, drawn, self._known, deadwood=deadwood, brief=self.brief
        )
        self._console.print(*told)

    def offered(self, lines: list[str]) -> None:
        self._console.print(*lines, "Type rules for an explanation.")

    def ask_consent(self, name: str, offer: m.Offer) -> None:
        self._console.prompt("accept the match, yes or no> ")

    def ask_aside(self, what: str) -> None:
        self._console.prompt(f"{what}, yes or no> ")

    def put_aside(self, match: str, sentence: str) -> None:
        self._console.print(sentence)

    def hand(self, view: View, order: Sequence[Card] = ()) -> None:
        hand = self.style.hand(view.known, view.hand.rules, self.sort, order)
        self._console.print(f"Your hand: {hand}.")

    def going_on(self, table: Table, own: int | None) -> None:
        rules = "" if table.match is None else f"; the rules: {table.match.rules}"
        self._console.print(
            f"The match continues with hand {table.hand_number}{rules}.",
            *position_lines(table, self.style, own, self._known),
        )

    def back(self, table: Table, own: int) -> None:
        lines = position_lines(table, self.style, own, self._known, score=False)  # as it was
        self._console.print(*lines)

    def drew(self, card: Card) -> None:
        self._console.print(f"You have just drawn {self.style.the(card)}.")

    def paused(self, table: Table, own: int | None) -> None:
        self._console.prompt("")
        self._console.print(*position_lines(table, self.style, own, self._known))

    def pause(self, word: Pause, seat: int, name: str) -> None:
        ours = name == YOU
        match word:
            case Pause.ASK if ours:
                told = (
                    "You ask for a pause. The game continues until your opponent agrees. To "
                    "withdraw your request, type no."
                )
            case Pause.ASK:
                told = (
                    f"{name} asks for a pause, to continue the match another time. Type yes or no, "
                    "or play on first."
                )
            case Pause.DECLINE:
                told = f"{does(name, 'play')} on: no pause for now."
            case Pause.WITHDRAW:
                told = f"{does(name, 'take')} the question for a pause back."
        self._console.print(told)

    def away(self, name: str, sentence: str, *, resumable: bool) -> None:
        self._console.prompt("")
        again = f", and {self._command} resume continues another time" if resumable else ""
        self._console.print(f"{sentence} Waiting for {name} to come back; quit leaves{again}.")

    def still_away(self, name: str, minutes: int) -> None:
        closes = "type quit" if self._listens else "press Ctrl-C"
        self._console.print(
            f"{name} has been gone for {duration(minutes)}. Wait, or {closes} to leave; "
            f"{self._command} resume continues another time."
        )

    def still_waiting(self, table: Table, name: str, minutes: int) -> None:
        self._console.print(
            f"{name} is still connected, and has had {duration(minutes)} {awaited_action(table)}."
        )

    def turn(self, view: View, *, looked: bool = False) -> None:
        self._console.print(*turn_lines(view, self.style, looked=looked, brief=self.brief))

    def ask(self, view: View) -> None:
        question = brief_question if self.brief else turn_question
        self._console.prompt(f"{question(view, self.style)}> ")

    def no_turn(self) -> None:
        self._console.prompt("")

    def waiting(self, table: Table, name: str) -> None:
        self._console.print(f"Waiting for {name} {awaited_action(table)}.")

    def refused(self, code: str, sentence: str) -> None:
        self._console.print(sentence)

    def info(self, *lines: str) -> None:
        self._console.print(*lines)

    def confirm(self, what: str, sentence: str) -> None:
        self._console.prompt("")
        self._console.print(sentence)
        self._console.prompt(f"{_CONFIRMED[what]}, yes or no> ")

    def arrangements(self, moves: tuple[Move, ...], view: View) -> None:
        self._console.print(*which_lines(moves, view, self.style))
        self._console.prompt(f"which, 1 to {len(moves)}> ")

    def chat(self, seat: int, name: str, text: str) -> None:
        said = does(at_start(name), "say")
        if name != YOU and text.startswith(AGAIN):
            said, text = f"{at_start(name)} said before", text.removeprefix(AGAIN)
        self._console.print(f"{said}: {safe_quote(text)}")

    def ended(
        self, code: str, sentence: str, status: int, log: str | None, resume: str | None = None
    ) -> None:
        self._console.prompt("")
        self._console.print(isolate_quotes(safe(sentence, limit=1_000)))  # it may quote a goodbye
        if log is not None:
            self._console.print(
                f"The log is in {safe(log, limit=1_000)}",
                f"To check it: {self._command} verify {safe(shlex.quote(log), limit=1_000)}",
                whole=True,
            )
        if resume is not None:
            self._console.print(
                f"To continue this match: {self._command} resume {resume}", whole=True
            )

    def like(self, likes: Settings) -> None:
        """Show everything according to these settings from now on."""
        self.brief = likes.brief
        self.style = replace(self.style, words=likes.words, four=likes.four_colours)
