"""The arguments of the commands for stored matches, friends and our key, and of the demo."""

from __future__ import annotations

from cli.commands.arguments.options import (
    AddCommand,
    add_friend,
    add_json,
    add_rules,
    completes,
    day,
    limit,
    port,
    rule_words,
)


def declare(command: AddCommand) -> None:
    """Declare these commands, in the order in which shells offer them."""
    _logs(command)
    _stats(command)
    _archive(command)
    _friends(command)
    _doctor(command)
    _id(command)
    _demo(command)


def _logs(command: AddCommand) -> None:
    logs = command(
        "logs",
        "List the matches that are stored on this machine, the latest first: short name, when it "
        "was last played, with whom, the result or whose turn it is (your points first), and the "
        "rules. With the short name of a match, say more about that one.",
        "What a match is called for short never changes, and every command that takes a LOG takes "
        "it; so does the beginning of it, where no other match begins so. Of a finished match the "
        "line is what its last entries say; of one that was not played in this home, also whether "
        "ginpeer verify or stats has proven it.\n\n"
        "What was read off the logs is remembered in log_index.sqlite, in the home. Whoever "
        "deletes that file loses nothing. What short_names.json there remembers is needed only for "
        "names that begin with the same six characters: without it such a match may be called "
        "otherwise.",
    )
    add_friend(logs, "only the matches with this friend, or the match with this short name")
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
        "--limit", metavar="N", type=limit, help="only the latest N of these (default: all)"
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
    add_json(stats)
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


def _friends(command: AddCommand) -> None:
    friends = command(
        "friends",
        "List whom you have played with: what they are called, their key, when and where you "
        "met them last.",
        "NAME, or OLD, is what a friend is called, or how the fingerprint of the key begins.",
    )
    either = friends.add_mutually_exclusive_group()
    either.add_argument(
        "--rename",
        metavar=("OLD", "NEW"),
        nargs=2,
        help="call the friend OLD by the name NEW from now on, whatever they call themselves; if "
        "NEW is empty, as they do",
    )
    either.add_argument(
        "--forget", metavar="NAME", help="have never met this friend; your matches are kept"
    )


def _doctor(command: AddCommand) -> None:
    doctor = command(
        "doctor",
        "Say what stands between this machine and a friend: its addresses, its firewall, "
        "the router, Tor; what a friend will be able to do, and what to change.",
        "Nobody is asked but the router: it is asked to open the port, and to close it again at "
        "once. That takes up to ten seconds. The keys and codes of --json stay what they are.\n\n"
        "exit status: 0 whatever was found; 2 wrong usage; 130 stopped with Ctrl-C.",
    )
    doctor.add_argument(
        "--port",
        metavar="PORT",
        type=port,
        help="the TCP port at which you would wait (default: 4466)",
    )
    doctor.add_argument(
        "--no-mapping",
        action="store_true",
        help="ask the router for nothing either",
    )
    doctor.add_argument(
        "--stun",
        metavar="HOST[:PORT]",
        help="ask this STUN server, too, by which address the outside sees this machine; it learns "
        "that address (default: nobody is asked)",
    )
    doctor.add_argument(
        "--advertise",
        metavar="HOST[:PORT]",
        help="the public address of a port that you have set your router to forward to this "
        "machine; ginpeer can't see such a forward",
    )
    add_json(doctor)


def _id(command: AddCommand) -> None:
    own = command(
        "id",
        "Show your name, and the fingerprint by which friends can recognise your key.",
        "A passphrase protects your key, so that nobody can play as you with a copy of it: not "
        "with a stolen disk, nor with a backup that is made from now on. It does not hide your "
        "matches: whoever can read your files sees the cards that you held. It is asked for "
        "before each match, and typing is not shown. For programs, GINPEER_PASSPHRASE_FILE names "
        "a file that holds it.",
    )
    either = own.add_mutually_exclusive_group()
    either.add_argument(
        "--name",
        metavar="NAME",
        help="what the other player calls you from now on, as with --name before a match",
    )
    either.add_argument(
        "--protect",
        action="store_true",
        help="put the key under a passphrase, or under another one",
    )
    either.add_argument("--unprotect", action="store_true", help="take the passphrase away")


def _demo(command: AddCommand) -> None:
    demo = command(
        "demo",
        "Let two bots, as two programs over an encrypted connection, play a whole "
        "match, then compare their logs and verify them.",
        "exit status: 0 only if both logs are the same, byte for byte, and valid.",
    )
    keep = demo.add_argument("--keep", metavar="FILE", help="keep the log of the match in FILE")
    completes(keep, "file")
    add_rules(demo)
