"""What may be typed after the commands for the matches that a home holds."""

from __future__ import annotations

from cli.commands.arguments.command import AddCommand
from cli.commands.arguments.shared_options import add_friend
from cli.commands.arguments.typed_values import completes, day, how_many, rule_words


def declare(command: AddCommand) -> None:
    """These commands, in the order in which shells offer them."""
    _logs(command)
    _stats(command)
    _archive(command)


def _logs(command: AddCommand) -> None:
    logs = command(
        "logs",
        "List the matches that are stored on this machine, the latest first: what each is called "
        "for short, when it was last played, with whom, and how it stands.",
        "What a match is called for short never changes, and every command that takes a LOG takes "
        "it; so does the beginning of it, where no other match begins so. Of a finished match the "
        "line is what its last entries say; of one that was not played in this home, also whether "
        "ginpeer verify or stats has proven it.\n\n"
        "What was read off the logs is remembered in log_index.sqlite, in the home. Whoever "
        "deletes that file loses nothing. What short_names.json there remembers is needed only for "
        "names that begin with the same six characters: without it such a match may be called "
        "otherwise.",
    )
    add_friend(logs, "only the matches with this friend")
    logs.add_argument(
        "--rules",
        metavar="RULES",
        type=rule_words,
        help="only those that were played by rules of these names, or in which these have these "
        'values, like: oklahoma or "hollywood target=150"',
    )
    logs.add_argument(
        "--since", metavar="DATE", type=day, help="only those last played on this day or later"
    )
    logs.add_argument(
        "--until", metavar="DATE", type=day, help="only those last played on this day or earlier"
    )
    logs.add_argument(
        "--limit", metavar="N", type=how_many, help="only the latest N of these (default: all)"
    )


def _stats(command: AddCommand) -> None:
    stats = command(
        "stats",
        "Say what your matches add up to: hands, gins, knocks, undercuts, deadwood, turns, points "
        "and streaks; with each friend, by rules, and against the bot apart.",
        "Only matches count whose logs hold to their end; it says how many do not, and why. A log "
        "is verified the first time, which takes seconds for each, and remembered: Ctrl-C loses "
        "none that is verified. What a bot has played for you with --bot counts as yours, for no "
        "log says so; a bot of somebody else counts as a person.\n\n"
        "exit status: 0 counted; 2 wrong usage; 130 stopped with Ctrl-C.",
    )
    add_friend(stats, "only the matches with this friend")
    stats.add_argument(
        "--json", action="store_true", help="print one JSON document instead of text"
    )
    html = stats.add_argument(
        "--html", metavar="FILE", help="write one page with plots, which needs no network"
    )
    completes(html, "file")
    stats.add_argument("--replace", action="store_true", help="write over FILE if it exists")


def _archive(command: AddCommand) -> None:
    archive = command(
        "archive",
        "Pack your finished matches with a friend into one file, or put those of such a file back.",
        "The file is a ZIP file of the logs, byte for byte, with the evidence beside them; no key, "
        "no seed and no address is in it, so it can be given to anyone. The same matches make the "
        "same file. Matches that are not finished are left out: one that can go on must be in one "
        "place only.\n\n"
        "--restore writes over nothing. What it puts back can be listed, verified and replayed; "
        "ginpeer verify says of each whether it holds.\n\n"
        "exit status: 0 done; 2 wrong usage, the file is no archive, or something else lies here "
        "in the place of one of its logs; 70 something went wrong on this machine.",
    )
    add_friend(archive, "whose matches to pack")
    file = archive.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="where to (default: ginpeer-matches- and the key's first letters, in this folder)",
    )
    completes(file, "file")
    archive.add_argument("--replace", action="store_true", help="write over FILE if it exists")
    restore = archive.add_argument(
        "--restore",
        metavar="FILE",
        help="put the matches of this file back, where they are missing",
    )
    completes(restore, "file")
