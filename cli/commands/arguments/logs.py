"""The arguments of the commands that read logs, from one table or from several."""

from __future__ import annotations

import argparse

from cli.commands.arguments.options import (
    AddCommand,
    add_json,
    add_log,
    completes,
    friend_count,
    hand_number,
    in_words,
    target_points,
)


def declare(command: AddCommand) -> None:
    """Declare these commands, in the order in which shells offer them."""
    _verify(command)
    _replay(command)
    _export(command)
    _analyse(command)
    _tally(command)
    _link(command)


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
    add_json(verify)


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
        "--hand", metavar="N", type=hand_number, help="this hand only; to walk, begin there"
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
    export.add_argument("--hand", metavar="N", type=hand_number, help="this hand only")
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
    analyse.add_argument("--hand", metavar="N", type=hand_number, help="this hand only")
    either = analyse.add_mutually_exclusive_group()
    either.add_argument(
        "--all", action="store_true", help="tell every mistake, not only the ten dearest"
    )
    add_json(either)


def _tally(command: AddCommand) -> None:
    tally = command(
        "tally",
        "Add up the matches of several tables, after checking each as verify does.\n\n"
        "Four players or more: two teams, with a player of each at every table; all "
        "tables play the same number of hands (ginpeer host --hands 6).\n\n"
        "Three players: who sits out changes with every match (ginpeer host --hands 1).",
        "Every table's log is needed: send each other the files, whose place is told when a match "
        "ends. The tally says whose keys have played, and warns of players whom you have never "
        "met.\n\n"
        "exit status: 0 scored; 1 a log is forged; 2 one cannot be read, or they do not "
        "belong together; 3 one is incomplete. Without a 0, no score is shown.",
    )
    add_log(tally, "logs", "+")
    _add_teams(tally)
    tally.add_argument(
        "--as-given",
        action="store_true",
        help="take the logs in this order, not in that in which the matches were begun",
    )
    add_json(tally)


def _link(command: AddCommand) -> None:
    link = command(
        "link",
        "Show each other how two tables of one partnership stand, while they play. Runs in a "
        "second window, with the home of a player who sits at a table; prints an invite, or "
        "follows one that a player of the other table has sent.",
        "At each table both players type tally on, and tally to hear how both tables stand. "
        "Without both, nothing of a table is shown; tally off takes it back. What is shown is the "
        "table's log up to the last hand that is over: nothing of a hand that is being played. "
        "Each side verifies what it is shown, and counts the hands that both tables have behind "
        "them, as ginpeer tally does.\n\n"
        "Four players make two links, each between two players of different tables: a link shows "
        "the score to these two. Of three players one types ginpeer link --friends 2 and sends an "
        "invite to each of the others.\n\n"
        "exit status: 0 it was left; 1 what came of the other table does not hold; 2 wrong usage; "
        "4 the other side was not reached.",
    )
    invite = link.add_argument(
        "invite",
        metavar="INVITE",
        nargs="*",
        help='what the other one\'s window shows after "invite: " (default: print one, and wait)',
    )
    in_words(invite)
    link.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="where to wait; :PORT waits on every network of this machine (default: :4466, or "
        "another port where that is taken)",
    )
    link.add_argument(
        "--advertise",
        metavar="HOST:PORT",
        nargs="+",
        action="extend",
        help="more addresses for the invite, before those of this machine",
    )
    link.add_argument(
        "--friends",
        metavar="N",
        type=friend_count,
        default=1,
        help="print so many invites, one for each friend, and wait for them at as many ports, one "
        "behind the other (default: 1)",
    )
    _add_teams(link)


def _add_teams(tally: argparse.ArgumentParser) -> None:
    """Add the options for keeping the score of several tables."""
    tally.add_argument(
        "--team",
        metavar="NAME,NAME",
        help="the players of one team, by name or by fingerprint (default: the hosts)",
    )
    tally.add_argument(
        "--target",
        metavar="POINTS",
        type=target_points,
        help="the points that win (default: 125 for teams, with Tedesco's columns 100 a player "
        "but 200 at least, and 100 for three players)",
    )
    tally.add_argument(
        "--tedesco",
        action="store_true",
        help="teams keep three columns as in Tedesco gin (default: if its rules were played)",
    )
