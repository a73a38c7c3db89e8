"""A script that plays at the table through pipes, as anybody's program would. It reads event lines
and relies only on what cli.text.event_lines documents."""

import contextlib
import json
import re
import subprocess
import sys
import threading

from tests.cli.started import COMMAND, start

EVENT = re.compile(r'event [a-z-]+( [a-z-]+=([^ "]+|"([^"\\]|\\.)*"))*')
FIELD = re.compile(r'([a-z-]+)=("(?:[^"\\]|\\.)*"|\S+)')
PATIENCE = 60


def parse(line):
    """Return the kind and the fields of an event line."""
    word, kind, *rest = line.split(" ", 2)
    assert word == "event", line
    fields = dict(FIELD.findall(rest[0] if rest else ""))
    return kind, {k: json.loads(v) if v[0] == '"' else v for k, v in fields.items()}


def ginpeer(home, *arguments):
    return [*COMMAND, "--home", str(home), *arguments]


class Script:
    """A running ginpeer connected by pipes. *code*: a Python program that changes ginpeer and then
    runs it."""

    def __init__(self, home, *arguments, code=None):
        self.lines = []
        command = ginpeer(home, *arguments)
        self.process = start(
            command if code is None else [sys.executable, "-c", code, *command[len(COMMAND) :]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.deadline = threading.Timer(PATIENCE, self.process.kill)
        self.deadline.start()

    def send(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def events(self):
        """Yield the events until the output ends."""
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith("event "):
                yield parse(self.lines[-1])

    def wait_for(self, kind, **wanted):
        """Return all fields of the next event of this kind whose fields include *wanted*."""
        for found, fields in self.events():
            if found == kind and wanted.items() <= fields.items():
                return fields
        raise AssertionError(f"no event {kind} {wanted} came; the last lines: {self.lines[-3:]}")

    def invite(self):
        """Return the code that a host prints once it listens."""
        self.wait_for("listening")
        return next(line for line in self.lines if line.startswith("invite: ")).split()[1]

    def kill(self):
        """Kill the process if it is still running."""
        self.deadline.cancel()
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                stream.close()

    def end(self, *lines):
        """Send these lines, close the input, and return exit status and error output."""
        rest, errors = self.process.communicate("".join(f"{line}\n" for line in lines))
        self.deadline.cancel()
        self.lines += rest.splitlines()
        return self.process.returncode, errors


def play_by_events(script):
    """Play until the match is over: draw, discard the costliest unmatched card, and knock when
    possible. Return the fields of the event `end`."""
    knock, hand = None, {}
    for kind, fields in script.events():
        if kind == "can-knock":
            knock = knock or fields["discard"]
        elif kind == "hand":
            hand = fields
        elif kind == "choose":
            script.send(_move(fields["what"], knock, hand))
            knock = None
        elif kind == "refused":
            raise AssertionError(fields["text"])
        elif kind == "end":
            return fields
    raise AssertionError("the output ended without an end")


def _move(what, knock, hand):
    if what == "upcard":
        return "pass"
    if what == "draw":
        return "draw"
    if what == "spread":
        return ""
    if knock is not None:
        return "big gin" if knock == "none" else f"knock {knock} 1"
    cards = re.findall("..", hand["deadwood"])
    return f"discard {max(cards, key=lambda card: 'A23456789TJQK'.index(card[0]))}"
