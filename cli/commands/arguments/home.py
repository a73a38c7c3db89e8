"""The arguments of the commands for stored matches, friends and our key, and of the demo."""

from __future__ import annotations

from cli.commands.arguments.options import JSON, REPLACE, RULES, AddCommand

_FINGERPRINT = "at least the first four letters of the key's fingerprint"
_NAMED = f"(a name from ginpeer friends, or {_FINGERPRINT})"

_LOGS = f"""\
FRIEND?
    only the matches with this friend {_NAMED}, or the match with this short name
--rules RULES
    only matches played by rules with these names and values, like: oklahoma or "hollywood
    target=150"
--since DATE
    only matches last played on this day or later
--until DATE
    only matches last played on this day or earlier
--limit N
    only the latest N (default: all)
"""

_STATS = f"""\
FRIEND?
    only the matches with this friend {_NAMED}
{JSON}\
--html FILE
    write a page with charts; it needs no network
{REPLACE}"""

_ARCHIVE = f"""\
FRIEND?
    the friend whose matches you want to pack {_NAMED}
FILE?
    where to write it (default: ginpeer-matches- and the beginning of the key, in the current
    folder)
{REPLACE}\
--restore FILE
    restore the matches in this file that are missing here
--with-key FILE
    pack your key, friends, settings and all matches into FILE, under a passphrase
"""

_FRIENDS = """\
--rename OLD NEW either
    call the friend OLD by the name NEW from now on; an empty NEW brings back the name they chose
--forget NAME either
    forget this friend (your matches stay)
"""

_DOCTOR = f"""\
--port PORT
    the TCP port to check (default: 4466)
--no-mapping
    don't ask the router
--stun HOST[:PORT]
    also ask this STUN server for your public address; it learns that address (default: no server is
    asked)
--advertise HOST[:PORT]
    the public address of a port that your router forwards to this machine; ginpeer can't see a
    port forward that you set up by hand
{JSON}"""

_ID = """\
--name NAME either
    the name that other players see from now on
--protect either
    protect the key with a passphrase, or change the passphrase
--unprotect either
    remove the passphrase
"""

_DEMO = f"""\
--keep FILE
    save the log of the match in FILE
{RULES}"""


def declare(command: AddCommand) -> None:
    command(
        "logs",
        "List the matches stored on this machine, latest first: short name, when last played, "
        "opponent, the result or whose turn it is (your points first), and the rules. Given "
        "a match's short name, say more about that match.",
        details="A short name has six characters, or more if another match's name begins with the "
        "same six. Every command that takes a LOG accepts it, or just its beginning if no other "
        "match begins the same way. The result of a finished match is the one in its last entries; "
        "if the match wasn't played in this home, the line also says whether ginpeer verify or "
        "stats has verified it.\n\n"
        "In the home, log_index.sqlite only saves time: you can delete it and lose nothing.",
        arguments=_LOGS,
    )
    command(
        "stats",
        "Show statistics of your matches: hands, gins, knocks, undercuts, deadwood, turns, points "
        "and streaks; with each friend, by rules, and against the bot.",
        "Only finished matches with a valid log count; the output says how many were left out, and "
        "why. Each log is verified once, which takes a few seconds; if you stop with Ctrl-C, the "
        "logs verified so far needn't be verified again. Matches that a bot played for you with "
        "--bot count as yours, because the log doesn't show it. Somebody else's bot counts as a "
        "person.\n\n"
        "exit status: 0 success; 2 wrong usage; 130 stopped with Ctrl-C.",
        arguments=_STATS,
    )
    command(
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
        arguments=_ARCHIVE,
    )
    command(
        "friends",
        "List the friends you have played: name, key, and when and where you last met.",
        f"NAME or OLD is a friend's name, or {_FINGERPRINT}.",
        arguments=_FRIENDS,
    )
    command(
        "doctor",
        "Check whether a friend can connect to this machine, and say what to change: addresses, "
        "firewall, router, Tor.",
        "ginpeer asks your router to open the port, and to close it again at once. It contacts "
        "nobody else unless you add --stun. All of this takes up to ten seconds. The keys and "
        "codes of --json are stable.\n\n"
        "exit status: 0 whatever was found; 2 wrong usage; 130 stopped with Ctrl-C.",
        arguments=_DOCTOR,
    )
    command(
        "id",
        "Show your name, and the fingerprint by which friends can recognise your key.",
        "With a passphrase, a copy of your key isn't enough to play as you, whether it comes from "
        "a stolen disk or from a backup made from now on. The passphrase doesn't hide your "
        "matches: anyone who can read your files sees the cards you held. ginpeer asks for it "
        "before each match, and doesn't show what you type. Programs can name a file that contains "
        "it in GINPEER_PASSPHRASE_FILE.",
        arguments=_ID,
    )
    command(
        "demo",
        "Let two bots play a whole match, as two programs over an encrypted connection; then "
        "compare and verify their logs.",
        "exit status: 0 only if both logs are identical and valid.",
        arguments=_DEMO,
    )
