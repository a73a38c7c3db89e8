"""The command line as argparse reads it: the text of `ginpeer --help`, and the wording of errors.

The arguments of each command are in cli/commands/arguments.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from cli.commands.arguments import home, logs, play
from cli.commands.arguments.options import declare_arguments
from cli.program import Failure, version
from cli.terminal.help_layout import Details, HelpLayout, WholeHelpLayout, wrap_help

HELP = """\
ginpeer: gin rummy between two friends, with no server and no need to trust anyone.

To play:
  ginpeer practice          play against the bot on this machine
  ginpeer host              wait for a friend; prints an invite to send them
  ginpeer join INVITE       play with the friend who sent you this invite
  ginpeer host FRIEND       wait for a friend you've played; no invite needed
  ginpeer join FRIEND       play with a friend who is waiting for you
  ginpeer resume            continue an unfinished match
  ginpeer rules [NAME]      explain the rules, or a variant
  ginpeer link [INVITE]     share the scores of a partnership's two tables

After a match:
  ginpeer logs              list the matches stored on this machine
  ginpeer stats             show statistics of your matches
  ginpeer archive FRIEND    pack your matches with a friend into one file
  ginpeer friends           list the friends you have played
  ginpeer verify LOG        check every card, move and point of a match
  ginpeer replay LOG        watch a match again, move by move
  ginpeer export LOG FILE   write a match as text, a web page or JSON
  ginpeer analyse LOG       show what you could have done better in a match
  ginpeer tally LOG ...     add up the scores of several tables

Also:
  ginpeer demo              let two bots play a whole match, and verify it
  ginpeer doctor            check whether a friend can connect to you
  ginpeer id                show your name and your key's fingerprint
  ginpeer id --name NAME    change the name that others see
  ginpeer id --protect      protect your key with a passphrase

Options:
  --home DIR                keep keys and matches in DIR (or set GINPEER_HOME)
  -V, --version             show the version and exit
  -h, --help                show this help, or help on a command;
                            "ginpeer help COMMAND" does the same
  --help-all                after a command: all its options, and details

At the table, "help" lists what you can type. LOG is a file or a short name
from "ginpeer logs"; FRIEND is a name from "ginpeer friends".

Exit status: 0 success; 1 the log is forged or a player broke the rules;
2 usage error, or a file can't be read; 3 the log is incomplete; 4 the match
ended early or never began; 70 something went wrong on this machine;
130 stopped with Ctrl-C.
"""

FIRST_STEPS = """\
  ginpeer practice     play against the bot
  ginpeer host         wait for a friend; prints an invite to send them
  ginpeer join INVITE  play with the friend who sent you this invite
  ginpeer help         more: friends, rules, unfinished matches
"""
"""Shown if no command was typed."""


_HOME = """\
--home DIR
    keep keys and matches in DIR (or set GINPEER_HOME)
"""

_ALSO = {"analyze": "analyse"}
"""Other spellings of commands."""


class _Parser(argparse.ArgumentParser):
    """Like argparse's parser, but each error says in one line what is wrong, and which help to
    read."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # Python 3.14 and later would colour the help of commands, but not HELP; 3.15 and later
        # would suggest words inside the messages that error() reads.
        self.color = self.suggest_on_error = False

    def error(self, message: str) -> NoReturn:
        raise Failure("usage", f"{one_line(message)} Try: {self.prog} --help")

    def _print_message(self, message: str, file: Any = None) -> None:
        print(message, end="", file=file)  # argparse would ignore a full disk or a closed pipe


class _TopParser(_Parser):
    """The parser of the whole command line. ``commands``: the parser of each command, by name."""

    commands: Mapping[str, argparse.ArgumentParser] = {}

    def format_help(self) -> str:
        return wrap_help(HELP)

    def error(self, message: str) -> NoReturn:
        unknown = re.search("invalid choice: (.*?) \\(choose", message)
        if unknown:
            near = _did_you_mean(unknown[1].strip("'\""), self.commands)
            sentence = one_line(f"there is no command {unknown[1]}")
            raise Failure("usage", f"{sentence} {near or _all_commands()} Try: ginpeer --help")
        super().error(message)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse like argparse, but refer to the command's own help if an option is unknown."""
        words = _usual_spelling(sys.argv[1:] if args is None else args)
        known, unknown = self.parse_known_args(words, namespace)
        # Before Python 3.12.7, argparse doesn't accept a FILE after an option that follows the LOG.
        while known.command == "export" and unknown and not unknown[0].startswith("-"):
            known.files = [*known.files, unknown.pop(0)]
        if unknown:
            prog = self.prog if known.command is None else f"{self.prog} {known.command}"
            what = one_line(f"unrecognized arguments: {' '.join(unknown)}")
            actions = self.commands.get(known.command, self)._actions
            options = [name for action in actions for name in action.option_strings]
            near = _did_you_mean(unknown[0].partition("=")[0], options)
            raise Failure("usage", " ".join(filter(None, (what, near, f"Try: {prog} --help"))))
        return known


def _usual_spelling(words: Sequence[str]) -> list[str]:
    """Return the typed words, with the command (or the command after "help") as usually spelled."""
    spelled, first = list(words), 0
    while first < len(spelled) and spelled[first].startswith("-"):
        first += 2 if spelled[first] == "--home" else 1
    until = first + 2 if spelled[first : first + 1] == ["help"] else first + 1
    spelled[first:until] = [_ALSO.get(word, word) for word in spelled[first:until]]
    return spelled


def _all_commands() -> str:
    """Return a sentence that lists the commands in the same order as help."""
    names = dict.fromkeys(re.findall("^  ginpeer ([a-z]+)", HELP, re.MULTILINE))
    return f"Commands: {', '.join(names)}."


def _did_you_mean(typed: str, known: Iterable[str]) -> str:
    """Ask whether the nearest of the known words was meant. Return "" if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(typed, known, n=1)
    return f"Did you mean {near[0]}?" if near else ""


def one_line(message: str) -> str:
    """Return the message as a sentence on one line, with "?" for each unprintable character."""
    text = " ".join(message.split())
    shown = "".join(c if c.isprintable() else "?" for c in text)[:300]
    return shown[:1].upper() + shown[1:] + ("" if shown.endswith((".", "?", "!")) else ".")


class _HelpAll(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        parser.formatter_class = WholeHelpLayout
        parser.print_help()
        parser.exit()


class _Version(argparse.Action):
    """The option --version; `version` imports ginpeer only when it is used."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(f"ginpeer {version()}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    common = _Parser(add_help=False)
    declare_arguments(common, _HOME)
    more = common.add_argument(
        "--help-all", action=_HelpAll, nargs=0, help="show all options, and details"
    )
    vars(more)["rare"] = True
    top = _TopParser(prog="ginpeer", allow_abbrev=False, parents=[common])
    top.add_argument("-V", "--version", action=_Version, nargs=0, help="show the version and exit")
    commands = top.add_subparsers(
        metavar="COMMAND", dest="command", parser_class=_Parser, prog="ginpeer"
    )

    def command(
        name: str, summary: str, epilog: str = "", *, details: str = "", arguments: str = ""
    ) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = commands.add_parser(
            name,
            help=" ".join(summary.split()).partition(". ")[0].rstrip("."),  # for completion
            description=summary,
            epilog=Details(details) if details else epilog,
            parents=[common],
            allow_abbrev=False,
            formatter_class=HelpLayout,
        )
        declare_arguments(added, arguments, briefly=bool(details))
        return added

    for group in (play, logs, home):  # the order in which shells offer the commands
        group.declare(command)
    about = command("help", "Show help on ginpeer or on one of its commands.")
    about.add_argument("about", metavar="COMMAND", nargs="?", help="the command to explain")
    top.commands = commands.choices
    return top
