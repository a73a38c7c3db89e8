"""A console that reads keys as bytes and writes to an emulated terminal."""

import io

from cli.terminal.console import Console
from cli.terminal.line_input import LineEditor, TypedLine
from cli.terminal.output import columns_of_character
from tests.cli.terminal.emulator import Emulator


class Keyboard:
    def __init__(self, monkeypatch, columns=80, height=1000, complete=lambda text: None):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("LINES", str(height))
        self.screen = Emulator(columns, height)
        self.output, self.events, self.above = io.StringIO(), [], []
        self.console = console = Console(None, self.output, lambda call: call(), {})
        console.interactive = True
        console._mode = object()
        console._input = LineEditor(complete=complete)
        console._taker = self._take
        self.answers = lambda event: None

    @property
    def editor(self):
        return self.console._input

    def _take(self, event):
        self.events.append(event)
        if isinstance(event, TypedLine):
            self.console.keep(event.text)
        self.answers(event)
        return True

    def sent(self, act=lambda: None):
        """Return what the console writes during *act*."""
        before = len(self.output.getvalue())
        act()
        sent = self.output.getvalue()[before:]
        self.screen.write(sent)
        return sent

    def type(self, keys):
        """Return what the console writes when these keys are pressed."""
        return self.sent(lambda: self.console._received(keys.encode()))

    def tell(self, *lines):
        return self.sent(lambda: self.console.print(*lines))

    def ask(self, prompt):
        return self.sent(lambda: self.console.prompt(prompt))


def laid_out(text, columns):
    """Return the rows that a text fills, and the position of its end."""
    rows, at = [""], 0
    for character in text:
        wide = columns_of_character(character)
        if wide and at + wide > columns:
            rows.append("")
            at = 0
        rows[-1] += character
        at += wide
    if at >= columns:
        rows.append("")
        at = 0
    return rows, (len(rows) - 1, at)
