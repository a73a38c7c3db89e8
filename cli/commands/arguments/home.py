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
    for add in (_logs, _stats, _archive, _friends, _doctor, _id, _demo):
        add(command)


def _logs(command: AddCommand) -> None:
    logs = command(
        "logs",
        "List the matches stored on this machine, latest first: short name, when last played, "
        "opponent, the result or whose turn it is (your points first), and the rules. Given "
        "a match's short name, say more about that match.",
        details="A short name never changes. Every command that takes a LOG accepts it, or just "
        "its beginning if no other match begins the same way. The result of a finished match is "
        "the one in its last entries; if the match wasn't played in this home, the line also says "
        "whether ginpeer verify or stats has verified it.\n\n"
        "In the home, log_index.sqlite only saves time: you can delete it and lose nothing. "
        "short_names.json matters only for matches whose names begin with the same six characters: "
        "without it, their short names may change.",
    )
    add_friend(logs, "only the matches with this friend", ", or the match with this short name")
    logs.add_argument(
        "--rules",
        metavar="RULES",
        type=rule_words,
        help="only matches played by rules with these names and values, like: oklahoma or "
        '"hollywood target=150"',
    )
    logs.add_argument(
        "--since", metavar="DATE", type=day, help="only matches last played on this day or later"
    )
    logs.add_argument(
        "--until", metavar="DATE", type=day, help="only matches last played on this day or earlier"
    )
    logs.add_argument("--limit", metavar="N", type=limit, help="only the latest N (default: all)")


def _stats(command: AddCommand) -> None:
    stats = command(
        "stats",
        "Show statistics of your matches: hands, gins, knocks, undercuts, deadwood, turns, points "
        "and streaks; with each friend, by rules, and against the bot.",
        "Only finished matches with a valid log count; the output says how many were left out, and "
        "why. Each log is verified once, which takes a few seconds; if you stop with Ctrl-C, the "
        "logs verified so far needn't be verified again. Matches that a bot played for you with "
        "--bot count as yours, because the log doesn't show it. Somebody else's bot counts as a "
        "person.\n\n"
        "exit status: 0 success; 2 wrong usage; 130 stopped with Ctrl-C.",
    )
    add_friend(stats, "only the matches with this friend")
    add_json(stats)
    html = stats.add_argument(
        "--html", metavar="FILE", help="write a page with charts; it needs no network"
    )
    completes(html, "file")
    stats.add_argument("--replace", action="store_true", help="overwrite FILE if it exists")


def _archive(command: AddCommand) -> None:
    archive = command(
        "archive",
        "Pack your finished matches with a friend into one file, or restore matches from it. "
        "--with-key packs everything you have, to move to another computer.",
        details="The file is a ZIP of the logs, byte for byte, and any evidence. It contains no "
        "key, seed or address, so you can give it to anyone. The same matches always make the same "
        "file. Unfinished matches are left out, because a match you can continue must be in one "
        "place only.\n\n"
        "--restore overwrites nothing. You can list, verify and replay the matches it restores.\n\n"
        "--with-key packs your key, friends, settings and all matches under a passphrase. Keep "
        "that file to yourself: with the passphrase, it lets anyone play as you. --restore unpacks "
        "it into an empty home. From then on, play on one machine at a time: two copies that play "
        "the same match could sign two different moves, which counts as cheating.\n\n"
        "exit status: 0 done; 2 wrong usage, the file isn't an archive, or it contains a log "
        "that differs from the one already here; 70 something went wrong on this machine.",
    )
    add_friend(archive, "the friend whose matches you want to pack")
    file = archive.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="where to write it (default: ginpeer-matches- and the beginning of the key, in this "
        "folder)",
    )
    completes(file, "file")
    archive.add_argument("--replace", action="store_true", help="overwrite FILE if it exists")
    restore = archive.add_argument(
        "--restore", metavar="FILE", help="restore the matches in this file that are missing here"
    )
    completes(restore, "file")
    copy = archive.add_argument(
        "--with-key",
        metavar="FILE",
        help="pack your key, friends, settings and all matches into FILE, under a passphrase",
    )
    completes(copy, "file")


def _friends(command: AddCommand) -> None:
    friends = command(
        "friends",
        "List the friends you have played: name, key, and when and where you last met.",
        "NAME, or OLD, is a friend's name or the beginning of the key's fingerprint.",
    )
    either = friends.add_mutually_exclusive_group()
    either.add_argument(
        "--rename",
        metavar=("OLD", "NEW"),
        nargs=2,
        help="call the friend OLD by the name NEW from now on; an empty NEW brings back the name "
        "they chose",
    )
    either.add_argument("--forget", metavar="NAME", help="forget this friend (your matches stay)")


def _doctor(command: AddCommand) -> None:
    doctor = command(
        "doctor",
        "Check whether a friend can connect to this machine, and say what to change: addresses, "
        "firewall, router, Tor.",
        "ginpeer asks your router to open the port, and to close it again at once. It contacts "
        "nobody else unless you add --stun. All of this takes up to ten seconds. The keys and "
        "codes of --json are stable.\n\n"
        "exit status: 0 whatever was found; 2 wrong usage; 130 stopped with Ctrl-C.",
    )
    doctor.add_argument(
        "--port", metavar="PORT", type=port, help="the TCP port to check (default: 4466)"
    )
    doctor.add_argument("--no-mapping", action="store_true", help="don't ask the router")
    doctor.add_argument(
        "--stun",
        metavar="HOST[:PORT]",
        help="also ask this STUN server for your public address; it learns that address (default: "
        "no server is asked)",
    )
    doctor.add_argument(
        "--advertise",
        metavar="HOST[:PORT]",
        help="the public address of a port that your router forwards to this machine; ginpeer "
        "can't see a forward that you set up by hand",
    )
    add_json(doctor)


def _id(command: AddCommand) -> None:
    own = command(
        "id",
        "Show your name, and the fingerprint by which friends can recognise your key.",
        "With a passphrase, a copy of your key isn't enough to play as you, whether it comes from "
        "a stolen disk or from a backup made from now on. The passphrase doesn't hide your "
        "matches: anyone who can read your files sees the cards you held. ginpeer asks for it "
        "before each match, and doesn't show what you type. Programs can name a file that contains "
        "it in GINPEER_PASSPHRASE_FILE.",
    )
    either = own.add_mutually_exclusive_group()
    either.add_argument(
        "--name", metavar="NAME", help="the name that other players see from now on"
    )
    either.add_argument(
        "--protect",
        action="store_true",
        help="protect the key with a passphrase, or change the passphrase",
    )
    either.add_argument("--unprotect", action="store_true", help="remove the passphrase")


def _demo(command: AddCommand) -> None:
    demo = command(
        "demo",
        "Let two bots play a whole match, as two programs over an encrypted connection; then "
        "compare and verify their logs.",
        "exit status: 0 only if both logs are identical and valid.",
    )
    keep = demo.add_argument("--keep", metavar="FILE", help="save the log of the match in FILE")
    completes(keep, "file")
    add_rules(demo)
