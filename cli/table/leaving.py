"""Leaving the table: quit, resign, Ctrl-C, and the end of the input.

Rule 1: when the input ends, our player leaves, because nobody is left to choose a move. If the
  terminal was closed, the opponent isn't told and waits, as after a lost connection.
Rule 2: a hand counts once the opponent has knocked or gone gin. If our player then leaves or
  resigns, the best spread is laid down first (RULES 8.8).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from cli.table.display import HandBreak
from cli.table.possible_moves import enter_move
from cli.table.presenter import Presenter
from cli.table.table_state import AwaitedYes, MatchPort, TableState
from cli.terminal.console import Console
from ginpeer.net.session import SessionOver
from ginpeer.rules.cards import Illegal


class Leaving:
    """Lets one player leave the table or resign, after a question."""

    def __init__(
        self,
        console: Console,
        presenter: Presenter,
        state: TableState,
        port: MatchPort,
        hand_break: HandBreak,
        refuse: Callable[[Exception], None],
    ) -> None:
        """*refuse*: says why our player can't resign."""
        self._console = console
        self._presenter = presenter
        self._state = state
        self._port = port
        self._hand_break = hand_break
        self._refuse = refuse
        self.resigns = False
        """Whether our player resigns as soon as the hand that counts is over."""

    def leave(self) -> None:
        state, aside = self._state, self._state.questions.aside
        if state.leaving:
            return
        state.leaving = True
        if aside is not None and aside.leaving_means_no and aside.no is not None:
            state.questions.aside = None
            self._presenter.clear_prompt()
            aside.no()
            return
        if state.session is not None and state.session.ending is None:
            if state.is_knocked():
                with suppress(ValueError, SessionOver):
                    self._play_best_spread()
            state.session.leave()
        elif state.session is None or state.away:
            self._port.stop_waiting()

    def interrupt(self) -> None:
        """Handle Ctrl-C: clear a half-typed line, or ask whether to leave, or leave if already
        asked."""
        if self._console.clear_typed():
            return
        asked = self._state.questions.asks_to_quit or self._leaving_is_an_answer()
        if asked or not self._console.interactive or self._state.is_over():
            self.leave()
        else:
            self.ask_to_quit("Press Ctrl-C again to leave.")

    def on_input_end(self) -> None:
        """Handle the end of the input or the output: a script ended, or a person's terminal was
        closed while they were at the table."""
        if self._console.terminal_gone:
            self._port.hang_up()
        else:
            self.leave()

    def ask_to_quit(self, hint: str = "") -> None:
        self._hand_break.end()  # a knock that our player has to answer may be held back
        state = self._state
        if self._leaving_is_an_answer():
            self.leave()
            return
        state.questions.confirming = AwaitedYes("quit", self.leave)
        if state.session is None:
            sentence = "Stop waiting and leave?"
        elif self._port.log_path() is None:
            sentence = "Leave the table?"
        elif state.table.offer is not None and state.table.accept is None:
            sentence = "Leave the table? This match hasn't begun."
        else:
            sentence = (
                f"Leave the table? {self._lay_warning()}The match is kept. You can continue later."
            )
        self._presenter.confirm("quit", f"{sentence} {hint}".strip())

    def _leaving_is_an_answer(self) -> bool:
        aside = self._state.questions.aside
        return aside is not None and aside.leaving_means_no

    def ask_to_resign(self) -> None:
        if self._state.view is None:
            sentence = f"You can resign only on your turn. {self._state.why_no_move()}"
            self._refuse(Illegal("not-your-turn", sentence))
            return
        self._state.questions.confirming = AwaitedYes("resign", self.resign)
        self._presenter.confirm(
            "resign", f"Resign? {self._lay_warning()}Your opponent then wins the match."
        )

    def resign(self) -> None:
        """Resign the match. If a hand counts, lay it down and resign at the next choice."""
        self.resigns = self._state.is_knocked()
        try:
            if self.resigns:
                self._play_best_spread()
            elif self._state.session is not None:
                self._state.session.resign()
        except (ValueError, SessionOver) as error:
            self._refuse(error)

    def _lay_warning(self) -> str:
        if not self._state.is_knocked():
            return ""
        return "This hand still counts, so ginpeer first spreads your cards in the best way. "

    def _play_best_spread(self) -> None:
        best = None if self._state.view is None else enter_move(self._state.view)
        if best is not None:
            self._state.in_session().play(best)
