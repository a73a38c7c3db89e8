"""Leaving the table: quit, resign, Ctrl-C, and the end of the input.

# House rules
#
# 1. When the input ends, the player leaves: nobody is left to choose a move. But if the terminal is
#    closed, the other player isn't told, and waits as for a lost connection.
# 2. A hand counts once the other player has knocked or gone gin. If our player leaves or resigns
#    then, the cards are first laid down in the best way (RULES 8.8).
"""

from __future__ import annotations

from contextlib import suppress

from cli.table.display import Display
from cli.table.possible_moves import enter_move
from cli.table.presenter import Presenter
from cli.table.table_state import AwaitedYes, MatchPort, TableState
from cli.terminal.console import Console
from ginpeer.net.session import SessionOver
from ginpeer.rules.cards import Illegal


class Departure:
    """Lets our player leave the table, or give up the match."""

    def __init__(
        self,
        console: Console,
        presenter: Presenter,
        display: Display,
        state: TableState,
        port: MatchPort,
    ) -> None:
        self._console = console
        self._presenter = presenter
        self._display = display
        self._state = state
        self._port = port
        self.resigns = False
        """Whether our player resigns as soon as the hand that counts is over."""

    def leave(self) -> None:
        """Leave the table, or stop waiting for another player."""
        state = self._state
        if state.leaving:
            return
        state.leaving = True
        if state.session is not None and state.session.ending is None:
            if state.is_knocked():
                with suppress(ValueError, SessionOver):
                    self._lay_down()
            state.session.leave()
        elif state.session is None or state.away:
            self._port.stop_waiting()

    def interrupt(self) -> None:
        """Handle Ctrl-C: clear a half-typed line, or ask whether to leave, or leave if already
        asked."""
        if self._console.clear_typed():
            return
        asked = self._state.questions.asks_to_quit
        if asked or not self._console.interactive or self._state.is_over():
            self.leave()
        else:
            self.ask_to_quit("Ctrl-C once more leaves, too.")

    def nobody_there(self) -> None:
        """Handle the end of the input or the output: a script has ended, or a person has lost the
        terminal without leaving the table."""
        if self._console.terminal_gone:
            self._port.hang_up()
        else:
            self.leave()

    def ask_to_quit(self, hint: str = "") -> None:
        """Ask whether to leave. Only yes leaves."""
        state = self._state
        state.questions.confirming = AwaitedYes("quit", self.leave)
        if state.session is None:
            sentence = "Stop waiting and leave?"
        elif self._port.log_path() is None or state.questions.offer is not None:
            sentence = "Leave the table?"
        else:
            sentence = (
                f"Leave the table? {self._laid_first()}The match is kept, and can go on later."
            )
        self._presenter.confirm("quit", f"{sentence} {hint}".strip())

    def ask_to_resign(self) -> None:
        """Ask whether to give up the match. Only yes resigns."""
        if self._state.view is None:
            sentence = f"You can resign in your turn. {self._state.why_no_move()}"
            self._display.refuse(Illegal("not-your-turn", sentence))
            return
        self._state.questions.confirming = AwaitedYes("resign", self.resign)
        self._presenter.confirm(
            "resign", f"Resign? {self._laid_first()}The other player then wins the whole match."
        )

    def resign(self) -> None:
        """Give up the match; if a hand counts, at the first choice after it."""
        self.resigns = self._state.is_knocked()
        try:
            if self.resigns:
                self._lay_down()
            elif self._state.session is not None:
                self._state.session.resign()
        except (ValueError, SessionOver) as error:
            self._display.refuse(error)

    def _laid_first(self) -> str:
        if not self._state.is_knocked():
            return ""
        return "This hand counts: your cards are laid down first, in the best way. "

    def _lay_down(self) -> None:
        best = None if self._state.view is None else enter_move(self._state.view)
        if best is not None:
            self._state.in_session().play(best)
