"""A table with one player at it, typed at line by line, over a session that only judges."""

import io

from twisted.internet.task import Clock

from cli.table.partnership import ALONE
from cli.table.person_voice import PersonVoice
from cli.table.program_voice import ProgramVoice
from cli.table.table import HumanTable
from cli.terminal.console import Console
from cli.terminal.line_input import TypedLine
from cli.text.cards import Style
from ginpeer.names.nicknames import NOBODY
from ginpeer.net.interfaces import Closed
from ginpeer.rules import Match, View
from ginpeer.store.settings import Settings

CARELESS = Settings(confirm=False)
"""Most tests of the table throw cards without being asked; tests/cli/table/test_care.py is."""


class Recorder:
    """A session that judges as a real one does and remembers what it was asked."""

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

    def no_pause(self):
        self.pause_offered = self.pause_wanted = False

    def accept(self):
        self.answers.append("accepted")

    def decline(self, because=""):
        self.answers.append(because or "declined")

    def play(self, move):
        self.view.hand.apply(move)
        self.played.append(str(move))

    def resign(self):
        self.played.append("resign")

    def say(self, text):
        if self.error:
            raise self.error
        self.said.append(text)

    def leave(self):
        self.ending = Closed("left", "You left the table; the log is kept.")


class Seated:
    """A table with one player at it, in front of a terminal or a pipe."""

    def __init__(
        self,
        interactive,
        seat=0,
        wanted=None,
        known=NOBODY,
        likes=CARELESS,
        partnership=ALONE,
        practice=False,
    ):
        self.output = io.StringIO()
        self.console = console = Console(None, self.output, lambda *call: None, {})
        console.interactive = interactive
        voice = PersonVoice(console, Style(), known=known) if interactive else ProgramVoice(console)
        self.clock = Clock()
        self.session = Recorder()
        self.stopped = []
        self.kept = []
        self.proposed = []
        self.table = HumanTable(
            console,
            voice,
            self.clock,
            seat,
            log=lambda: "/home/ada/matches/1.ginlog",
            stop=lambda: self.stopped.append(True),
            named=lambda name: [],
            over=lambda closed: None,
            proposed=self.proposed.append,
            wanted=wanted,
            known=known,
            likes=likes,
            switched=lambda what, on: self.kept.append((what, on)),
            partnership=partnership,
            practice=practice,
        )

    def sit(self):
        self.table.sit_down(self.session)
        return self

    def choose(self, hand):
        self.session.view = View(hand.to_move, hand, Match.begin(hand.rules, hand.dealer))
        self.table.choose(self.session.view)

    def type(self, text):
        """What is shown in answer to a line; None if the line has to wait."""
        before, taken = len(self.output.getvalue()), []
        self.console._taker = lambda event: taken.append(self.table._lines.take(event)) or taken[0]
        self.console._pending.append(TypedLine(text))
        self.console.offer()
        self.console._pending.clear()
        return self.output.getvalue()[before:] if taken[0] else None
