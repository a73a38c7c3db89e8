"""The command `ginpeer`: arguments, exit statuses, and the last word on every error.

# House rules
#
# 1. Nothing heavy is imported to say what the program can do. Each command's module, and with
#    it Twisted, protobuf and the crypto, is imported only when that command runs.
# 2. No traceback ever reaches a player. What was foreseen ends in a sentence with a stable
#    code; what was not ends in one line and status 70, and GINPEER_DEBUG=1 shows the rest.
# 3. An exit status means one thing in every command, so that scripts can rely on it: 1 and 3
#    are verdicts on a match, and nothing that merely went wrong ends with them.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from cli.failure import OUR_FAULT, USAGE, Failure

INTERRUPTED = 130  # what shells report for SIGINT
PIPE_CLOSED = 141  # and for SIGPIPE

_HELP = """\
ginpeer: gin rummy between two friends, with no server and nobody to trust.

To play:
  ginpeer practice          play against the bot, on this machine alone
  ginpeer host              wait for a friend; prints the invite to send them
  ginpeer join INVITE       play with the friend who sent you this invite
  ginpeer resume            go on with a match that was broken off
  ginpeer rules [NAME]      explain the rules, or a variant of them

After a match:
  ginpeer logs              list the matches that are stored on this machine
  ginpeer verify LOG        check every card, move and point of a match
  ginpeer replay LOG        watch a match again, move by move
  ginpeer tally LOG...      add up the tables of two teams, or of three players

Also:
  ginpeer demo              let two bots play a whole match, and verify it
  ginpeer id                show your name and the fingerprint of your key
  ginpeer id --protect      put your key under a passphrase

Options:
  --home DIR                keep keys and matches in DIR (or set GINPEER_HOME)
  -V, --version             show the version and stop
  -h, --help                show this, or after a command: more about it;
                            "ginpeer help COMMAND" does the same

At the table, "help" lists what you can type. LOG is a file, or the short name
that "ginpeer logs" shows.

Exit status: 0 done; 1 the log is forged or a player broke the rules;
2 wrong usage, or a file cannot be read; 3 the log is incomplete; 4 the match
ended early or never began; 70 something went wrong on this machine;
130 stopped with Ctrl-C.
"""


class _Parser(argparse.ArgumentParser):
    """argparse, but an error is one sentence and where to read on."""

    def error(self, message: str) -> NoReturn:
        raise Failure("usage", f"{_sentence(message)} Try: {self.prog} --help")


class _TopParser(_Parser):
    def format_help(self) -> str:
        return _HELP

    def error(self, message: str) -> NoReturn:
        unknown = re.search("invalid choice: (.*?) \\(choose", message)
        if unknown:
            raise Failure("usage", f"{_sentence(f'there is no command {unknown[1]}')} {_ALL}")
        super().error(message)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """argparse's, but what a command does not know is told with that command's own help."""
        known, unknown = self.parse_known_args(args, namespace)
        if unknown:
            prog = self.prog if known.command is None else f"{self.prog} {known.command}"
            words = _sentence(f"unrecognized arguments: {' '.join(unknown)}")
            raise Failure("usage", f"{words} Try: {prog} --help")
        return known


_ALL = (
    "The commands: practice, host, join, resume, rules, logs, verify, replay, tally, demo, id. "
    "Try: ginpeer --help"
)


def _sentence(message: str) -> str:
    """An argparse message as a sentence of one line, whatever was typed."""
    text = " ".join(message.split())
    shown = "".join(c if c.isprintable() else "?" for c in text)[:300]
    return shown[:1].upper() + shown[1:] + ("" if shown.endswith((".", "?", "!")) else ".")


class _Version(argparse.Action):
    """--version; ginpeer is imported only if somebody wants to know."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from cli.version import version

        print(f"ginpeer {version()}")
        parser.exit()


# --- the commands ------------------------------------------------------------------------


def _demo(args: argparse.Namespace) -> int:
    from cli.commands.demo import run_demo

    args.rules = " ".join(args.rules)
    return run_demo(args)


def _practice(args: argparse.Namespace) -> int:
    from cli.commands.play import run_practice

    args.rules = " ".join(args.rules)
    return run_practice(args)


def _host(args: argparse.Namespace) -> int:
    from cli.commands.play import run_host

    args.rules = " ".join(args.rules)
    if args.hands is not None:
        args.rules = f"{args.rules} hands={args.hands}"
    return run_host(args)


def _join(args: argparse.Namespace) -> int:
    from cli.commands.play import run_join

    return run_join(args)


def _rules(args: argparse.Namespace) -> int:
    from cli.commands.rules import run_rules

    return run_rules(args)


def _resume(args: argparse.Namespace) -> int:
    from cli.commands.play import run_resume

    return run_resume(args)


def _verify(args: argparse.Namespace) -> int:
    from cli.commands.verify import run_verify

    return run_verify(args)


def _replay(args: argparse.Namespace) -> int:
    from cli.commands.replay import run_replay

    return run_replay(args)


def _tally(args: argparse.Namespace) -> int:
    from cli.commands.tally import run_tally

    return run_tally(args)


def _logs(args: argparse.Namespace) -> int:
    from cli.commands.logs import run_logs

    return run_logs(args)


def _id(args: argparse.Namespace) -> int:
    from cli.commands.id import run_id

    return run_id(args)


def _help(args: argparse.Namespace) -> int:
    return _run(["--help"] if args.about is None else [args.about, "--help"])


_VERDICTS = """\
A log has 64 MiB at most. One of that size takes some minutes and up to 300 MB of
memory, half as much again to replay; on a terminal it is said how far it is.

exit status: 0 valid and finished; 1 forged, or a player broke the rules;
3 sound as far as it goes, but incomplete; 2 cannot be read."""


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    common = _Parser(add_help=False)
    home = common.add_argument(
        "--home",
        metavar="DIR",
        default=argparse.SUPPRESS,  # None would hide a --home before the command
        help="keep keys and matches in DIR (or set GINPEER_HOME)",
    )
    _completes(home, "directory")
    top = _TopParser(prog="ginpeer", allow_abbrev=False, parents=[common])
    top.set_defaults(run=None)
    top.add_argument("-V", "--version", action=_Version, nargs=0, help="show the version and stop")
    commands = top.add_subparsers(
        metavar="COMMAND", dest="command", parser_class=_Parser, prog="ginpeer"
    )

    def command(
        name: str, run: Callable[[argparse.Namespace], int], summary: str, epilog: str = ""
    ) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = commands.add_parser(
            name,
            help=" ".join(summary.split()).partition(". ")[0].rstrip("."),  # for completion
            description=summary,
            epilog=epilog,
            parents=[common],
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(run=run)
        return added

    _add_play(command)
    _add_logs(command)
    about = command("help", _help, "Show the help on ginpeer, or on one of its commands.")
    about.add_argument("about", metavar="COMMAND", nargs="?", help="the command to explain")
    return top


Command = Callable[..., argparse.ArgumentParser]


def _add_play(command: Command) -> None:
    practice = command(
        "practice",
        _practice,
        "Play against the bot on this machine, with the real deck and a real log.",
    )
    _add_name(practice)
    _add_rules(practice)

    host = command(
        "host",
        _host,
        "Wait for a friend and play a match. Prints a line that begins with\n"
        '"invite: "; send what follows to your friend, who types\n'
        '"ginpeer join" and the invite.',
        "The invite works for one guest. Your friend must be able to reach this\n"
        "machine: in one local network that is so; over the Internet, let your\n"
        "router forward the port and name your public address with --advertise.",
    )
    _add_listening(host)
    _add_name(host)
    _add_bot(host)
    _add_rules(host)
    host.add_argument(
        "--hands",
        metavar="N",
        help="play N hands, as tables do that are added up; not to a target, unless the rules give "
        "one (the same as hands=N among the rules)",
    )
    _add_disclose(
        host,
        "when both players open their hand seeds, so that anyone can see all hands "
        "and check the deals once more (default: after-match)",
    )

    _add_patience(host)
    host.add_argument(
        "--new",
        action="store_true",
        help="begin a new match even if one with this friend is unfinished; that one is put aside, "
        "and at a terminal both players are asked first",
    )

    join = command(
        "join",
        _join,
        "Play with the friend who sent you this invite.",
        "The invite names the friend's key, so nobody else can take their place.\n"
        "Where a match with this friend is unfinished and a new one is offered, a person\n"
        "is asked, with --rules too; a bot, or a program with --rules, accepts it and is\n"
        'told so ("event aside"), and the unfinished one is kept for ginpeer resume.',
    )
    join.add_argument(
        "invite",
        metavar="INVITE",
        nargs="+",
        help='what your friend\'s screen shows after "invite: "',
    )
    _add_name(join)
    _add_bot(join)
    join.add_argument(
        "--rules",
        metavar="RULES",
        type=_rule_words,
        help="play by exactly these rules without being asked, and decline all others "
        "(default: see the rules that are offered, and be asked); an unfinished match goes on by "
        "its own",
    )
    _add_disclose(
        join, "with --rules: when seeds are opened in the match that is accepted (as for host)"
    )
    _add_patience(join)
    join.set_defaults(new=False)

    resume = command(
        "resume",
        _resume,
        "Go on with a match that was broken off: with the same cards, from the very move.\n"
        "Both players type this; whoever was the host waits, the guest comes back. If\n"
        "the host's address has changed, its new invite with ginpeer join does it, too.",
    )
    resume.add_argument(
        "match",
        metavar="MATCH",
        nargs="?",
        help='the short name from "ginpeer logs"; not needed where only one is unfinished',
    )
    resume.add_argument(
        "--at",
        metavar="HOST:PORT",
        nargs="+",
        help="where the host is now, instead of where it was",
    )
    _add_listening(resume)
    _add_bot(resume)
    _add_patience(resume)
    resume.set_defaults(new=False)

    rules = command(
        "rules",
        _rules,
        "Explain a rule set in plain sentences, each with its number in RULES.md.\n"
        "RULES is what --rules takes, like: oklahoma hollywood target=150",
        "exit status: 0 explained; 2 rules that cannot be read or played.",
    )
    rules.add_argument(
        "rules",
        metavar="RULES",
        type=_rule_words,
        nargs="*",
        help="the rules to explain (default: standard)",
    )
    rules.add_argument(
        "--diff",
        metavar="OTHER",
        type=_rule_words,
        nargs="+",
        help="say only in what these other rules differ",
    )
    rules.add_argument("--list", action="store_true", help="list the rules that have a name")


def _add_logs(command: Command) -> None:
    verify = command(
        "verify",
        _verify,
        "Check a match from its log alone: every signature, shuffle, card, move and\n"
        "point. Needs no secrets and no connection.",
        _VERDICTS,
    )
    _add_log(verify)
    verify.add_argument(
        "--json", action="store_true", help="print one JSON document instead of text"
    )

    replay = command(
        "replay",
        _replay,
        "Watch a match again, move by move. Both hands are shown where the players\n"
        "disclosed them, otherwise your own, otherwise what everybody saw.",
        "On a terminal, Enter goes on, a number jumps to that hand, q quits.\n" + _VERDICTS,
    )
    _add_log(replay)
    replay.add_argument("--hand", metavar="N", type=_positive, help="this hand only")
    replay.add_argument(
        "--seat", metavar="NAME", help="one player's view: a player's name, or host, or guest"
    )
    replay.add_argument(
        "--events", action="store_true", help="print lines for programs instead of sentences"
    )

    tally = command(
        "tally",
        _tally,
        "Add up the matches of several tables, after checking each as verify does.\n"
        "Four players or more: two teams, with a player of each at every table; all\n"
        "tables play the same number of hands (ginpeer host --hands 6).\n"
        "Three players: who sits out changes with every match (ginpeer host --hands 1).",
        "exit status: 0 scored; 1 a log is forged; 2 one cannot be read, or they do not\n"
        "belong together; 3 one is incomplete. Without a 0, no score is shown.",
    )
    logs = tally.add_argument(
        "logs",
        metavar="LOG",
        nargs="+",
        help='a log file, or a short name from "ginpeer logs"',
    )
    _completes(logs, "file")
    tally.add_argument(
        "--team",
        metavar="NAME,NAME",
        help="the players of one team, by name or by fingerprint (default: the hosts)",
    )
    tally.add_argument(
        "--target",
        metavar="N",
        type=_points,
        help="the points that win (default: 125 for teams, with Tedesco's columns 100 a player "
        "but 200 at least, and 100 for three players)",
    )
    tally.add_argument(
        "--tedesco",
        action="store_true",
        help="teams keep three columns as in Tedesco gin (default: if its rules were played)",
    )
    tally.add_argument(
        "--as-given",
        action="store_true",
        help="take the logs in this order, not in that in which the matches were begun",
    )
    tally.add_argument(
        "--json", action="store_true", help="print one JSON document instead of text"
    )

    command("logs", _logs, "List the matches that are stored on this machine.")
    _add_id(command)
    demo = command(
        "demo",
        _demo,
        "Let two bots, as two programs over an encrypted connection, play a whole\n"
        "match, then compare their logs and verify them.",
        "exit status: 0 only if both logs are the same, byte for byte, and valid.",
    )
    keep = demo.add_argument("--keep", metavar="FILE", help="keep the log of the match in FILE")
    _completes(keep, "file")
    _add_rules(demo)


def _add_id(command: Command) -> None:
    own = command(
        "id",
        _id,
        "Show your name, and the fingerprint by which friends can recognise your key.",
        "A passphrase protects your key, so that nobody can play as you with a copy of\n"
        "it: not with a stolen disk, nor with a backup that is made from now on. It does\n"
        "not hide your matches: whoever can read your files sees the cards that you held.\n"
        "It is asked for before each match, and typing is not shown. For programs,\n"
        "GINPEER_PASSPHRASE_FILE names a file that holds it.",
    )
    either = own.add_mutually_exclusive_group()
    either.add_argument(
        "--protect",
        action="store_true",
        help="put the key under a passphrase, or under another one",
    )
    either.add_argument("--unprotect", action="store_true", help="take the passphrase away")


def _add_listening(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="where to wait; :PORT waits on every network of this machine",
    )
    command.add_argument(
        "--advertise",
        metavar="HOST:PORT",
        nargs="+",
        action="extend",
        help="the addresses to put into the invite, instead of guessing them",
    )
    command.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="tell who knocked and was not let in, and why",
    )


def _add_disclose(command: argparse.ArgumentParser, explanation: str) -> None:
    command.add_argument(
        "--disclose",
        choices=("after-match", "after-hand", "never"),
        default="after-match",
        help=explanation,
    )


def _add_patience(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--patience",
        metavar="SECONDS",
        type=_seconds,
        help="how long to wait for the other player after the connection was lost "
        "(default: at a terminal, until you quit; otherwise not at all)",
    )


def _seconds(text: str) -> float:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise argparse.ArgumentTypeError("patience is a number of seconds")
    return float(text)


def _add_name(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--name", metavar="NAME", help="what the other player calls you (default: your login name)"
    )


def _add_bot(command: argparse.ArgumentParser) -> None:
    command.add_argument("--bot", action="store_true", help="let the bot play this side")


def _add_rules(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--rules",
        metavar="RULES",
        type=_rule_words,
        nargs="+",
        default=["standard"],
        help="the rules: names, as ginpeer rules --list has them, and what differs, in any order, "
        "like: oklahoma hollywood target=150 (default: standard)",
    )


def _rule_words(text: str) -> str:
    """Rules in the one spelling that is read, for those who type "Oklahoma, box = 20"."""
    return re.sub(r"\s*=\s*", "=", text.replace(",", " ").lower())


def _add_log(command: argparse.ArgumentParser) -> None:
    log = command.add_argument(
        "log", metavar="LOG", help='a log file, or a short name from "ginpeer logs"'
    )
    _completes(log, "file")


_COMPLETED_BY = {
    "file": {"bash": "_shtab_compgen_files", "zsh": "_files", "fish": "__fish_complete_path"},
    "directory": {
        "bash": "_shtab_compgen_dirs",
        "zsh": "_files -/",
        "fish": "__fish_complete_directories",
    },
}


def _completes(argument: argparse.Action, kind: str) -> None:
    """What a shell offers for it; read by shtab, which makes share/ of this parser."""
    setattr(argument, "complete", _COMPLETED_BY[kind])  # noqa: B010 - argparse knows no such field


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and int(text) > 0):
        raise argparse.ArgumentTypeError("a hand has a number from 1 on")
    return int(text)


def _points(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise argparse.ArgumentTypeError("a target is a number of points")
    return int(text)


# --- from arguments to an exit status ----------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; never raises."""
    try:
        _hold_standard_files()
        _make_output_safe()
        status = _run(argv)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a closed pipe or a full disk can still be reported
        return status
    except Failure as failure:
        return _say(f"{failure.sentence} ({failure.code})", failure.status)
    except BrokenPipeError:
        _discard_output()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return _say("stopped.", INTERRUPTED)
    except MemoryError:
        line = "this program has run out of memory; what was stored is safe."
        return _say(f"{line} (out-of-memory)", OUR_FAULT)
    except Exception as error:  # the last door: one line for the user, whatever it is
        return _unexpected(error)


def _run(argv: Sequence[str] | None) -> int:
    top = parser()
    try:
        args = top.parse_args(_with_whole_invite(sys.argv[1:] if argv is None else argv))
    except SystemExit as stop:  # --help and --version
        return stop.code if isinstance(stop.code, int) else 0
    if args.run is None:
        top.print_help(sys.stderr)
        return USAGE
    args.home = getattr(args, "home", None)
    run: Callable[[argparse.Namespace], int] = args.run
    return run(args)


_PIECE = re.compile(r"-(?![hv]$)[a-z2-7][a-z2-7-]*", re.ASCII | re.IGNORECASE)
"""What a line break before a hyphen leaves of an invite: no option, which is -h or -v or begins
with two hyphens."""


def _with_whole_invite(argv: Sequence[str]) -> list[str]:
    """The arguments with the pieces of a broken invite put together again."""
    joined: list[str] = []
    invite = False  # whether the last word is one, or its beginning
    for word in argv:
        if invite and _PIECE.fullmatch(word):
            joined[-1] += word
            continue
        begun = word.lower().removeprefix("invite:").startswith("gin1-")
        invite = "join" in joined and (begun or (invite and not word.startswith("-")))
        joined.append(word)
    return joined


def _hold_standard_files() -> None:
    """Where whoever started us has closed one of the descriptors 0 to 2, open nothing in its place.

    Else the next file to be opened, maybe a log, gets its number, and whatever a library prints in
    its last words would be written into it. Python itself has noticed before: its stream is None.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest that is free


def _make_output_safe() -> None:
    """A name that the terminal's encoding lacks is written as an escape, never an error."""
    if sys.stdout is not None:
        reconfigure = getattr(sys.stdout, "reconfigure", None)  # a test's stream may lack it
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Nobody reads on; let the interpreter flush what is left into nothing at its end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (AttributeError, OSError, ValueError):
        return


def _unexpected(error: Exception) -> int:
    if os.environ.get("GINPEER_DEBUG"):
        import traceback

        traceback.print_exception(error)
    else:
        _discard_output_if_broken(error)
    if isinstance(error, OSError) and error.strerror:
        what = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    else:
        what = f"{type(error).__name__}: {error}"
    return _say(
        f"something went wrong on this machine: {_sentence(what)} "
        "What was stored is safe. GINPEER_DEBUG=1 shows where it happened.",
        OUR_FAULT,
    )


def _discard_output_if_broken(error: Exception) -> None:
    if isinstance(error, OSError) and error.filename is None:
        _discard_output()


def _say(line: str, status: int) -> int:
    """One line to standard error, which may itself be gone."""
    try:
        from cli.terminal.lines import tell

        tell(f"ginpeer: {line}", stream=sys.stderr)
    except (OSError, ValueError):
        _discard_output()
    return status
