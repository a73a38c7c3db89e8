"""A table with one player, a session that only judges moves, and lines typed by the test."""

import io

from twisted.internet.task import Clock

from cli.table.presenter import PersonPresenter, ProgramPresenter
from cli.table.table import HumanTable
from cli.table.table_state import ALONE, MatchPort
from cli.terminal.console import Console
from cli.terminal.line_input import TypedLine
from cli.text.cards import Style
from ginpeer.names import NO_KNOWN_NAMES
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.session import SessionOver
from ginpeer.rules import Match, View
from ginpeer.store.small_files import Settings

CARELESS = Settings(confirm=False, pace=False)
"""Most tests of the table discard without confirmation; the "careful" sittings don't."""


class Recorder:
    """A session that judges moves as a real one does, and records the requests it gets."""

    def __init__(self):
        self.view = None
        self.ending = None
        self.played = []
        self.said = []
        self.error = None
        self.answers = []
        self.pause_offered = self.pause_wanted = self.may_propose = False
        self.paused = 0
        self.proposed = []

    def propose(self, rules):
        if self.error:
            raise self.error
        self.proposed.append(rules)

    def pause(self):
        if self.error:
            raise self.error
        if self.pause_offered:
            self.paused += 1
        self.pause_wanted = not self.pause_offered

    def decline_pause(self):
        self.pause_offered = self.pause_wanted = False

    def accept(self):
        self.answers.append("accepted")

    def decline(self, because="", *, asked=False):
        self.answers.append(because or "declined")

    def play(self, move):
        if self.ending is not None:
            raise SessionOver
        self.view.hand.apply(move)
        self.played.append(str(move))

    def resign(self):
        if self.error:
            raise self.error
        self.played.append("resign")

    def say(self, text):
        if self.error:
            raise self.error
        self.said.append(text)

    def guard(self, call):
        call()

    def leave(self):
        self.ending = CloseReason("left", "You left the table. The log is kept.")


class Port(MatchPort):
    """The match as the table sees it; the test sets its answers."""

    def __init__(self, seated):
        self.seated = seated

    def log_path(self):
        return "/home/ada/matches/1.ginlog"

    def stop_waiting(self):
        self.seated.stopped.append(True)

    def hang_up(self):
        self.seated.table.leave()

    def keep_setting(self, what, on):
        self.seated.kept.append((what, on))

    def on_proposal(self, rules):
        self.seated.proposed.append(rules)


class Seated:
    """A table whose player is at a terminal, if *interactive*, or else behind a pipe."""

    def __init__(
        self,
        interactive,
        seat=0,
        wanted=None,
        known=NO_KNOWN_NAMES,
        settings=CARELESS,
        partnership=ALONE,
        practice=False,
        expected=None,
    ):
        self.output = io.StringIO()
        self.console = console = Console(None, self.output, lambda *call: None, {})
        console.interactive = interactive
        presenter = (
            PersonPresenter(console, Style(), known=known)
            if interactive
            else ProgramPresenter(console)
        )
        self.clock = Clock()
        self.session = Recorder()
        self.stopped = []
        self.over = lambda closed: False
        self.kept = []
        self.proposed = []
        self.port = Port(self)
        self.table = HumanTable(
            console,
            presenter,
            self.clock,
            seat,
            self.port,
            wanted=wanted,
            known=known,
            settings=settings,
            partnership=partnership,
            practice=practice,
            expected=expected,
        )

    def sit(self):
        self.table.use_session(self.session)
        return self

    def end(self, closed):
        """End the session, and return the output; the table stays open if `over` says so."""
        reason = self.table.end_session(closed)
        if self.over(reason):
            self.table.stay_open()
        return reason

    def choose(self, hand):
        self.session.view = View(hand.to_move, hand, Match.begin(hand.rules, hand.dealer))
        self.table.choose(self.session.view)

    def type(self, text):
        """Return the answer to a line, or None if the line has to wait. If the console takes keys,
        *text* continues what has been typed."""
        before, taken = len(self.output.getvalue()), []
        self.console._taker = lambda event: taken.append(self.table.take(event)) or taken[0]
        keys = f"{text}\r".encode()
        self.console._pending += (
            self.console._input.feed(keys) if self.console.takes_keys else [TypedLine(text)]
        )
        self.console.offer()
        self.console._pending.clear()
        return self.output.getvalue()[before:] if taken[0] else None
