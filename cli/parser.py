"""The command line as argparse reads it: what `ginpeer --help` says, and how errors are worded.

The arguments of each command are in cli/commands/arguments.
"""

from __future__ import annotations

import argparse
import re
from typing import Any, NoReturn

from cli.commands.arguments import declare
from cli.commands.arguments.options import completes
from cli.failure import Failure
from cli.terminal.help_layout import HelpLayout, wrap_help

HELP = """\
ginpeer: gin rummy between two friends, with no server and nobody to trust.

To play:
  ginpeer practice          play against the bot on this machine
  ginpeer host              wait for a friend; prints an invite to send them
  ginpeer join INVITE       play with the friend who sent you this invite
  ginpeer host FRIEND       wait for a friend you have met, without an invite
  ginpeer join FRIEND       play with a friend who is waiting for you
  ginpeer resume            continue an unfinished match
  ginpeer rules [NAME]      explain the rules, or a variant of them
  ginpeer link [INVITE]     share the scores of two tables of a partnership

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
  ginpeer doctor            check whether a friend can connect
  ginpeer id                show your name and your key's fingerprint
  ginpeer id --name NAME    change the name that others see
  ginpeer id --protect      protect your key with a passphrase

Options:
  --home DIR                keep keys and matches in DIR (or set GINPEER_HOME)
  -V, --version             show the version and exit
  -h, --help                show this help, or help on a command;
                            "ginpeer help COMMAND" does the same

At the table, "help" lists what you can type. LOG is a file or a short name
from "ginpeer logs"; FRIEND is a name from "ginpeer friends".

Exit status: 0 done; 1 the log is forged or a player broke the rules;
2 wrong usage, or a file can't be read; 3 the log is incomplete; 4 the match
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


class _Parser(argparse.ArgumentParser):
    """argparse's parser, but each error is one sentence that says which help to read."""

    def error(self, message: str) -> NoReturn:
        raise Failure("usage", f"{one_line(message)} Try: {self.prog} --help")


class _TopParser(_Parser):
    def format_help(self) -> str:
        return wrap_help(HELP)

    def error(self, message: str) -> NoReturn:
        unknown = re.search("invalid choice: (.*?) \\(choose", message)
        if unknown:
            raise Failure(
                "usage", f"{one_line(f'there is no command {unknown[1]}')} {_all_commands()}"
            )
        super().error(message)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse like argparse, but let the error about an unknown option name the command's own
        help."""
        known, unknown = self.parse_known_args(args, namespace)
        if unknown:
            prog = self.prog if known.command is None else f"{self.prog} {known.command}"
            words = one_line(f"unrecognized arguments: {' '.join(unknown)}")
            raise Failure("usage", f"{words} Try: {prog} --help")
        return known


def _all_commands() -> str:
    """List the commands in the order in which help lists them."""
    names = dict.fromkeys(re.findall("^  ginpeer ([a-z]+)", HELP, re.MULTILINE))
    return f"Commands: {', '.join(names)}. Try: ginpeer --help"


def one_line(message: str) -> str:
    """Return argparse's message as a sentence on one line, without unprintable characters."""
    text = " ".join(message.split())
    shown = "".join(c if c.isprintable() else "?" for c in text)[:300]
    return shown[:1].upper() + shown[1:] + ("" if shown.endswith((".", "?", "!")) else ".")


class _Version(argparse.Action):
    """The option --version; it imports ginpeer only when it is used."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from cli.program import version

        print(f"ginpeer {version()}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    common = _Parser(add_help=False)
    home = common.add_argument(
        "--home",
        metavar="DIR",
        default=argparse.SUPPRESS,  # None would hide a --home before the command
        help="keep keys and matches in DIR (or set GINPEER_HOME)",
    )
    completes(home, "directory")
    top = _TopParser(prog="ginpeer", allow_abbrev=False, parents=[common])
    top.add_argument("-V", "--version", action=_Version, nargs=0, help="show the version and exit")
    commands = top.add_subparsers(
        metavar="COMMAND", dest="command", parser_class=_Parser, prog="ginpeer"
    )

    def command(name: str, summary: str, epilog: str = "") -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = commands.add_parser(
            name,
            help=" ".join(summary.split()).partition(". ")[0].rstrip("."),  # for completion
            description=summary,
            epilog=epilog,
            parents=[common],
            allow_abbrev=False,
            formatter_class=HelpLayout,
        )
        return added

    declare(command)
    about = command("help", "Show help on ginpeer or on one of its commands.")
    about.add_argument("about", metavar="COMMAND", nargs="?", help="the command to explain")
    return top
