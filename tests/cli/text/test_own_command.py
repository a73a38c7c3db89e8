"""Every command that is printed can be pasted: it names the home with which we were started."""

import ast
import re
import sys
from functools import cache

from cli.program import quoted
from tests.syntax import modules_of, nodes_of

FOR_A_FRIEND = "typed on another machine, whose home is its own"
ANYWHERE = "works whatever the home"

PLAIN = {
    "cli/commands/play.py": {
        "Try: ginpeer join --help": ANYWHERE,
        "for the host to paste where ginpeer host waits": FOR_A_FRIEND,
    },
    "cli/commands/archive.py": {
        "ginpeer verify checks each": "stands in the file, which goes anywhere"
    },
    "cli/text/page.py": {"which ginpeer id shows": FOR_A_FRIEND},
    "cli/commands/demo.py": {"ginpeer replay ": ANYWHERE},
    "cli/match/aftermath.py": {"your opponent types ginpeer resume": FOR_A_FRIEND},
    "cli/match/hosting.py": {
        "who has to type ginpeer resume": FOR_A_FRIEND,
        "send them this invite for ginpeer join": FOR_A_FRIEND,
        "type ginpeer join and the name they know you by": FOR_A_FRIEND,
        "who types ginpeer join and the invite": FOR_A_FRIEND,
        "If your friend typed ginpeer host": FOR_A_FRIEND,
    },
    "cli/match/joining.py": {
        "once the host types ginpeer host and your name": FOR_A_FRIEND,
        "or to type ginpeer host and your name": FOR_A_FRIEND,
        " types ginpeer resume, the hand continues": FOR_A_FRIEND,
        " to run ginpeer host; when you connect": FOR_A_FRIEND,
    },
    "cli/table/lookups.py": {"ginpeer rules ": ANYWHERE},
    "cli/table/presenter.py": {
        "who types ginpeer join and then the invite": FOR_A_FRIEND,
    },
    "cli/text/diagnosis.py": {
        "While ginpeer host waits": "isn't advice",
        "maybe a ginpeer host": "isn't advice",
    },
    "cli/text/series.py": {"has typed ginpeer host and your name": FOR_A_FRIEND},
    "cli/match/club.py": {"They type ginpeer join and the invite": FOR_A_FRIEND},
    "ginpeer/net/connection_attempt.py": {
        "that player runs ginpeer host with the other's name": FOR_A_FRIEND
    },
    "ginpeer/net/acceptor.py": {
        "Ask your friend to run ginpeer join": FOR_A_FRIEND,
        "To join from this machine, type ginpeer join": "of another player, in another home",
    },
    "ginpeer/partnership.py": {
        "both run ginpeer link; to play, run ginpeer host and ginpeer join": FOR_A_FRIEND
    },
    "cli/commands/link.py": {"They type ginpeer link and the invite": FOR_A_FRIEND},
}
"""Sentences that name a command without a home, by file: a part of the sentence, and the reason."""

HELP = ("cli/parser.py", "cli/commands/arguments/")
"""The text of --help applies to every home."""

COMMANDS = re.compile(
    r"\bginpeer (?:host|join|resume|practice|rules|logs|friends|verify|replay|tally|link|demo"
    r"|doctor|id)\b"
)


def sentences(name):
    """Return the strings of a module except docstrings, with adjacent parts joined."""
    nodes = nodes_of(name)
    passed_over = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            passed_over.update(map(id, node.values))
            yield "".join(str(getattr(part, "value", "{}")) for part in node.values)
    for node in nodes:
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and id(node) not in passed_over:
            yield text


@cache
def named_plainly():
    """Return (module, sentence, position in the sentence) of every command without a home."""
    return [
        (name, sentence, found.start())
        for package in ("cli", "ginpeer")
        for name in modules_of(package)
        if not name.startswith(HELP)
        for sentence in sentences(name)
        for found in COMMANDS.finditer(sentence)
    ]


def is_excused(name, sentence, at):
    pieces = ((piece, sentence.find(piece)) for piece in PLAIN.get(name, {}))
    return any(start >= 0 and start <= at < start + len(piece) for piece, start in pieces)


def test_every_suggested_command_names_the_home_or_is_excused():
    assert not [
        (name, text) for name, text, at in named_plainly() if not is_excused(name, text, at)
    ]


def test_every_excuse_is_still_in_use():
    said = [(name, text) for name, text, _ in named_plainly()]
    for name, pieces in PLAIN.items():
        for piece in pieces:
            assert any(name == where and piece in text for where, text in said), piece


def test_on_windows_an_argument_is_quoted_as_its_shells_want_it(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert quoted(r"C:\Users\Ann\gin") == r"C:\Users\Ann\gin"
    assert quoted(r"C:\Users\Ann Lee\gin") == r'"C:\Users\Ann Lee\gin"'
