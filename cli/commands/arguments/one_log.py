"""What may be typed after the commands that look at the log of one match."""

from __future__ import annotations

from cli.commands.arguments.command import AddCommand
from cli.commands.arguments.shared_options import add_log
from cli.commands.arguments.typed_values import completes, positive


def declare(command: AddCommand) -> None:
    """These commands, in the order in which shells offer them."""
    _verify(command)
    _replay(command)
    _export(command)
    _analyse(command)


_VERDICTS = """\
A log is at most 64 MiB. Verifying one of that size takes some minutes and up to
300 MB of memory. Replaying it, or comparing its page, usually takes half as much
again. A terminal shows the progress.

exit status: 0 valid and finished; 1 forged, or a player broke the rules;
3 sound as far as it goes, but incomplete; 2 cannot be read, or was typed and
signed by nobody."""


def _verify(command: AddCommand) -> None:
    verify = command(
        "verify",
        "Check a match from its log alone: every signature, shuffle, card, move and "
        "point. Needs no secrets and no connection. For a page made by export, it also says "
        "whether the page is exactly what this program makes from its log.",
        _VERDICTS,
    )
    add_log(verify)
    verify.add_argument(
        "--json", action="store_true", help="print one JSON document instead of text"
    )


def _replay(command: AddCommand) -> None:
    replay = command(
        "replay",
        "Watch a match again, move by move. Both hands are shown where the players "
        "disclosed them, otherwise your own, otherwise what everybody saw.",
        "On a terminal you walk through it: Enter goes on, b back, a number to that hand; ? "
        "says how to get to a turn, the next knock, the highest deadwood, or to the other "
        "player's eyes; q quits. Elsewhere all of it is told.\n\n" + _VERDICTS,
    )
    add_log(replay)
    replay.add_argument(
        "--hand", metavar="N", type=positive, help="this hand only; to walk, begin there"
    )
    replay.add_argument(
        "--seat", metavar="PLAYER", help="one player's view: a player's name, or host, or guest"
    )
    replay.add_argument(
        "--walk",
        action="store_true",
        help="walk by the commands that are piped in, one a line, as on a terminal",
    )
    replay.add_argument("--words", action="store_true", help="cards in words, as words on does")
    replay.add_argument(
        "--full",
        action="store_true",
        help="tell both hands and what lies open after each move, not only what changed",
    )
    told = replay.add_mutually_exclusive_group()
    told.add_argument(
        "--values",
        action="store_true",
        help="say at each choice what it was worth, and what would have been better",
    )
    told.add_argument(
        "--events", action="store_true", help="print lines for programs instead of sentences"
    )


def _export(command: AddCommand) -> None:
    export = command(
        "export",
        "Write a match for others to look at, after checking it as verify does: as a text of one "
        "line a turn, which a person can read, write and correct; as a page for a browser, which "
        "shows the table step by step and carries the log, so that verify judges it; or as JSON.",
        "Without FILE, or with - for it, it is printed. The form is that of the file's ending: "
        ".gin and .txt are text, .html and .htm a page, .json is JSON. Shown is what the log "
        "shows, and at its head how far that is proven; cards that are not disclosed in it stay "
        "unknown.\n\n"
        "A text can be typed from paper, too: ginpeer replay, analyse and export read it as they "
        "read a log, if its name ends with .gin or it begins with [Gin. Nobody has signed it, so "
        "nothing of it is proven.\n\n" + _VERDICTS,
    )
    add_log(export)
    file = export.add_argument("file", metavar="FILE", nargs="?", help="where to write it")
    completes(file, "file")
    export.add_argument(
        "--as",
        dest="form",
        metavar="FORM",
        choices=("text", "html", "json"),
        help="the form: text, html or json (default: by the ending of FILE, else text)",
    )
    export.add_argument("--hand", metavar="N", type=positive, help="this hand only")
    export.add_argument(
        "--replace", action="store_true", help="write over FILE if there is one already"
    )


def _analyse(command: AddCommand) -> None:
    analyse = command(
        "analyse",
        "Say what you could have done better in a match: each choice is valued as you "
        "saw it then, the dearest mistakes come first with their reason, and luck is told apart "
        "from skill.",
        "Of a match of others, both players are analysed, as far as their cards are disclosed. "
        "What the other player really held is told apart, as what could not be known. Points are "
        "those that a choice is expected to bring to the end of the hand; a mistake is one that "
        "cost half a point or more. In Mahjong gin there is no analysis.\n\n" + _VERDICTS,
    )
    add_log(analyse)
    analyse.add_argument(
        "--seat", metavar="PLAYER", help="this player: by name, or host, or guest (default: you)"
    )
    analyse.add_argument("--hand", metavar="N", type=positive, help="this hand only")
    either = analyse.add_mutually_exclusive_group()
    either.add_argument(
        "--all", action="store_true", help="tell every mistake, not only the ten dearest"
    )
    either.add_argument(
        "--json", action="store_true", help="print one JSON document instead of text"
    )
