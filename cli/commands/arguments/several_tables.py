"""What may be typed after the commands that add up several tables."""

from __future__ import annotations

import argparse

from cli.commands.arguments.command import AddCommand
from cli.commands.arguments.typed_values import completes, friends, in_words, points


def declare(command: AddCommand) -> None:
    """These commands, in the order in which shells offer them."""
    _tally(command)
    _link(command)


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
    logs = tally.add_argument(
        "logs",
        metavar="LOG",
        nargs="+",
        help='a log file, or a short name from "ginpeer logs"',
    )
    completes(logs, "file")
    _add_teams(tally)
    tally.add_argument(
        "--as-given",
        action="store_true",
        help="take the logs in this order, not in that in which the matches were begun",
    )
    tally.add_argument(
        "--json", action="store_true", help="print one JSON document instead of text"
    )


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
        type=friends,
        default=1,
        help="print so many invites, one for each friend, and wait for them at as many ports, one "
        "behind the other (default: 1)",
    )
    _add_teams(link)


def _add_teams(tally: argparse.ArgumentParser) -> None:
    """How the score of several tables is kept."""
    tally.add_argument(
        "--team",
        metavar="NAME,NAME",
        help="the players of one team, by name or by fingerprint (default: the hosts)",
    )
    tally.add_argument(
        "--target",
        metavar="POINTS",
        type=points,
        help="the points that win (default: 125 for teams, with Tedesco's columns 100 a player "
        "but 200 at least, and 100 for three players)",
    )
    tally.add_argument(
        "--tedesco",
        action="store_true",
        help="teams keep three columns as in Tedesco gin (default: if its rules were played)",
    )
