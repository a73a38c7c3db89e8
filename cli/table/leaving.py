"""Getting up: to quit, to resign, and the end of the input.

# House rules
#
# 1. Input that ends is a player who leaves: nobody is left to choose a move. But a terminal that is
#    closed is no word to the other player, whose table waits as for a lost connection.
# 2. A hand that was knocked, or in which the other went gin, counts: who leaves or resigns then has
#    the cards laid down first, in the best way (RULES 8.8).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from cli.table.display import Display
from cli.table.open_questions import Confirming
from cli.table.possible_moves import enter_move
from cli.table.presenter import Presenter
from cli.table.situation import Situation
from cli.terminal.console import Console
from ginpeer.net.session import SessionOver
from ginpeer.rules.cards import Illegal


class Leaving:
    """How our player leaves the table, or gives up the match."""

    def __init__(
        self,
        console: Console,
        presenter: Presenter,
        display: Display,
        here: Situation,
        *,
        log: Callable[[], str | None],
        stop: Callable[[], None],
        hang_up: Callable[[], None],
    ) -> None:
        """*log*: the log's path, once there is one. *stop*: end the wait for another player.
        *hang_up*: end because the terminal is gone."""
        self._console = console
        self._presenter = presenter
        self._display = display
        self._here = here
        self._log = log
        self._stop = stop
        self._hang_up = hang_up
        self.resigns = False
        """As soon as the hand that counts is over."""

    def leave(self) -> None:
        """Get up from the table, or stop waiting for somebody to sit down."""
        here = self._here
        if here.leaving:
            return
        here.leaving = True
        if here.session is not None and here.session.ending is None:
            if here.is_knocked():
                with suppress(ValueError, SessionOver):
                    self._lay_down()
            here.session.leave()
        elif here.session is None or here.away:
            self._stop()

    def interrupt(self) -> None:
        """Handle Ctrl-C: clear a half-typed line, or ask whether to leave, or leave if already
        asked."""
        if self._console.clear_typed():
            return
        asked = self._here.questions.asks_to_quit
        if asked or not self._console.interactive or self._here.is_over():
            self.leave()
        else:
            self.ask_to_quit("Ctrl-C once more leaves, too.")

    def nobody_there(self) -> None:
        """There is no more input, or no output. That is a script that has ended, or a person who
        has lost the terminal and not left the table."""
        if self._console.terminal_gone:
            self._hang_up()
        else:
            self.leave()

    def ask_to_quit(self, hint: str = "") -> None:
        """Whether to leave; only yes does."""
        here = self._here
        here.questions.confirming = Confirming("quit", self.leave)
        if here.session is None:
            sentence = "Stop waiting and leave?"
        elif self._log() is None or here.questions.offer is not None:
            sentence = "Leave the table?"
        else:
            sentence = (
                f"Leave the table? {self._laid_first()}The match is kept, and can go on later."
            )
        self._presenter.confirm("quit", f"{sentence} {hint}".strip())

    def ask_to_resign(self) -> None:
        """Whether to give up the match; only yes does."""
        if self._here.view is None:
            sentence = f"You can resign in your turn. {self._here.why_no_move()}"
            self._display.refuse(Illegal("not-your-turn", sentence))
            return
        self._here.questions.confirming = Confirming("resign", self.resign)
        self._presenter.confirm(
            "resign", f"Resign? {self._laid_first()}The other player then wins the whole match."
        )

    def resign(self) -> None:
        """Give up the match; where a hand counts, at the first choice behind it."""
        self.resigns = self._here.is_knocked()
        try:
            if self.resigns:
                self._lay_down()
            elif self._here.session is not None:
                self._here.session.resign()
        except (ValueError, SessionOver) as error:
            self._display.refuse(error)

    def _laid_first(self) -> str:
        if not self._here.is_knocked():
            return ""
        return "This hand counts: your cards are laid down first, in the best way. "

    def _lay_down(self) -> None:
        best = None if self._here.view is None else enter_move(self._here.view)
        if best is not None:
            self._here.in_session().play(best)
