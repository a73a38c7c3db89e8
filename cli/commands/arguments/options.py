"""The options that several commands share, and how typed values are read.

Rule 1: this package imports nothing of ours except itself, because every `--help` loads all of
  it.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping

AddCommand = Callable[..., argparse.ArgumentParser]
"""Adds a command. It takes a name, a description and an epilog, or details, which only --help-all
shows; it returns the parser for the command's arguments."""


# --- typed values ------------------------------------------------------------------------


def _number(digits: int, low: int, high: int, error: str) -> Callable[[str], int]:
    """Return a reader for numbers from *low* to *high* with at most *digits* digits."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) <= digits and low <= int(text) <= high:
            return int(text)
        raise argparse.ArgumentTypeError(error)

    return read


LEVELS = 6  # those of the bot (ginpeer.adviser.levels), which isn't imported here: rule 1
level = _number(1, 1, LEVELS, f"must be a number from 1 to {LEVELS}")
hand_number = _number(6, 1, 999_999, "must be a number, 1 or higher")
port = _number(5, 1, 0xFFFF, "must be a number from 1 to 65535")
friend_count = _number(1, 1, 3, "must be a number from 1 to 3")
target_points = _number(6, 0, 999_999, "must be a number of points")
limit = _number(6, 1, 999_999, "must be a number, 1 or higher")
_match_count = _number(4, 1, 9_999, "must be a number from 1 to 9999")
_table_count = _number(2, 1, 99, "must be a number from 1 to 99")
_whole_seconds = _number(6, 0, 999_999, "must be a number of seconds")


def _seconds(text: str) -> float:
    return float(_whole_seconds(text))


def day(text: str) -> str:
    """Read a calendar day, "2026-11-22"."""
    from datetime import date

    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise argparse.ArgumentTypeError("must be a date like 2026-11-22")


def rule_words(text: str) -> str:
    """Spell rules as their parser does: "Oklahoma, box = 20" becomes "oklahoma box=20"."""
    return re.sub(r"\s*=\s*", "=", text.replace(",", " ").lower())


def in_words(argument: argparse.Action) -> None:
    """Mark an argument's words as one value, so that help shows no "..." after it."""
    setattr(argument, "in_words", True)  # noqa: B010 - argparse has no such field


def rare(command: argparse.ArgumentParser, *options: str) -> None:
    """Leave these options out of --help (cli.terminal.help_layout)."""
    for option in options:
        setattr(_action(command, option), "rare", True)  # noqa: B010 - argparse has no such field


def in_brief(command: argparse.ArgumentParser, explanations: Mapping[str, str]) -> None:
    """Set what --help says about these arguments, in one line each; --help-all says the rest."""
    for name, explanation in explanations.items():
        setattr(_action(command, name), "brief", explanation)  # noqa: B010 - the same


def _action(command: argparse.ArgumentParser, name: str) -> argparse.Action:
    return next(each for each in command._actions if name in (*each.option_strings, each.metavar))


_COMPLETED_BY = {
    "file": {"bash": "_shtab_compgen_files", "zsh": "_files", "fish": "__fish_complete_path"},
    "directory": {
        "bash": "_shtab_compgen_dirs",
        "zsh": "_files -/",
        "fish": "__fish_complete_directories",
    },
}


def completes(argument: argparse.Action, kind: str) -> None:
    """Set how a shell completes an argument; shtab reads this when it generates share/."""
    setattr(argument, "complete", _COMPLETED_BY[kind])  # noqa: B010 - argparse has no such field


# --- shared options ----------------------------------------------------------------------


def add_listening(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="where to wait; :PORT waits on every network of this machine (default: :4466, or "
        "the next free port)",
    )
    command.add_argument(
        "--advertise",
        metavar="HOST:PORT",
        action="append",  # one value at a time, because a friend's name or a match may follow
        help="another address for the invite, listed before this machine's own; repeatable",
    )
    add_no_mapping(command, "while this program runs")
    command.add_argument(
        "--tor",
        action="store_true",
        help="also let your friend connect through Tor, whatever routers are between you; you both "
        "need Tor, and the invite appears once it is ready",
    )
    command.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="say who tried to connect and was refused, and why",
    )


def add_through(command: argparse.ArgumentParser) -> None:
    either = command.add_mutually_exclusive_group()
    either.add_argument(
        "--through",
        metavar="PROXY",
        help="connect only through this SOCKS5 proxy: socks5://HOST:PORT or "
        "socks5://USER:PASSWORD@HOST:PORT; the proxy also looks up names. It is saved for this "
        "friend, but without the password",
    )
    add_direct(either)


def add_direct(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--direct",
        action="store_true",
        help="don't use the proxy or Tor that you used for this friend before; from now on this "
        "friend may learn your address",
    )


def add_no_mapping(command: argparse.ArgumentParser, until: str) -> None:
    command.add_argument(
        "--no-mapping",
        action="store_true",
        help=f"don't ask your router (by PCP, NAT-PMP and UPnP) to let your friend in {until}",
    )


def add_as_typed(command: argparse.ArgumentParser, options: str) -> None:
    command.add_argument(
        "--as-typed",
        action="store_true",
        help=f"use only the options that you type now. Otherwise {options} are saved for each "
        "friend and used again",
    )


def add_stun(command: argparse.ArgumentParser, code: str) -> None:
    either = command.add_mutually_exclusive_group()
    either.add_argument(
        "--stun",
        metavar="HOST[:PORT]",
        action="append",
        help=f"ask this STUN server for your public address and put it into {code}; the server "
        'learns only that address; repeatable. "--stun public" asks servers from a public list, '
        "but only if the router doesn't open a port (default: ginpeer asks you once at a terminal; "
        "otherwise it asks no server)",
    )
    either.add_argument(
        "--no-stun",
        action="store_true",
        help="don't ask any STUN server. At a terminal, ginpeer remembers this for next time, as "
        "it does --stun public",
    )


def add_disclose(command: argparse.ArgumentParser, explanation: str) -> None:
    command.add_argument(
        "--disclose",
        metavar="WHEN",
        choices=("after-match", "after-hand", "never"),
        default="after-match",
        help=explanation,
    )


def add_patience(command: argparse.ArgumentParser, more: str = "") -> None:
    command.add_argument(
        "--patience",
        metavar="SECONDS",
        type=_seconds,
        help="how long to wait for the other player after losing the connection "
        f"(default: at a terminal, until you quit; otherwise not at all){more}",
    )


def add_matches(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--matches",
        metavar="N",
        type=_match_count,
        help="play up to N matches in a row, if the other player stays (default: at a terminal, "
        "until one of you leaves; otherwise 1)",
    )


def add_club(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--club",
        action="store_true",
        help="with --bot: play one guest after another until you stop it; all of them can use the "
        "same invite. A guest plays one match, or as many as --matches says. If a guest "
        "loses the connection, the table is kept for as long as --patience says (default: 60 "
        "seconds); after that, the guest can continue the match another time. If the table is "
        "taken, the guest is told so, and at a terminal their program keeps trying",
    )
    command.add_argument(
        "--tables",
        metavar="N",
        type=_table_count,
        help="with --bot: like --club, but up to N guests play at once, each at their own table",
    )


def add_name(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--name",
        metavar="NAME",
        help="your name for other players, from now on (default: the last one you chose; at a "
        "terminal, ginpeer asks you once; otherwise your login name)",
    )


def add_bot(command: argparse.ArgumentParser) -> None:
    command.add_argument("--bot", action="store_true", help="let the bot play for you")
    add_level(command, "with --bot: how well it plays", "its best")


def add_level(command: argparse.ArgumentParser, what: str, default: str) -> None:
    command.add_argument(
        "--level",
        metavar="N",
        type=level,
        help=f"{what}, from 1 (a beginner) to {LEVELS} (default: {default})",
    )


def add_rules(command: argparse.ArgumentParser) -> None:
    rules = command.add_argument(
        "--rules",
        metavar="RULES",
        type=rule_words,
        nargs="+",
        default=["standard"],
        help="names from ginpeer rules --list and changes to them, in any order, like: oklahoma "
        "hollywood target=150 (default: standard)",
    )
    in_words(rules)


def add_json(command: argparse._ActionsContainer) -> None:
    command.add_argument("--json", action="store_true", help="print JSON instead of text")


def add_log(command: argparse.ArgumentParser, name: str = "log", nargs: str | None = None) -> None:
    log = command.add_argument(
        name, metavar="LOG", nargs=nargs, help='a log file, or a short name from "ginpeer logs"'
    )
    completes(log, "file")


def add_friend(command: argparse.ArgumentParser, explanation: str, also: str = "") -> None:
    command.add_argument(
        "friend",
        metavar="FRIEND",
        nargs="?",
        help=f"{explanation} (a name from ginpeer friends, or the beginning of the key's "
        f"fingerprint){also}",
    )
