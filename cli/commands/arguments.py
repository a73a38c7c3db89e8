"""What may be typed after each command: what `--help` says of it, the man page and the completion.

# House rules
#
# 1. A command is a line in `declare` and a module cli.commands.NAME, whose run_NAME does it with
#    what argparse has read. The module may import whatever it needs: it is imported only to run.
# 2. So nothing of ours is imported here but what is as plain (shared_options, typed_values): every
#    `--help` reads this module whole.
# 3. share/ is made from here; after a change run .ci/regenerate.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from cli.commands.shared_options import (
    add_bot,
    add_club,
    add_direct,
    add_disclose,
    add_friend,
    add_level,
    add_listening,
    add_log,
    add_matches,
    add_name,
    add_no_mapping,
    add_patience,
    add_rules,
    add_stun,
    add_through,
)
from cli.commands.typed_values import (
    completes,
    day,
    friends,
    how_many,
    in_words,
    points,
    port,
    positive,
    rule_words,
)

Command = Callable[..., argparse.ArgumentParser]
"""Makes the parser of a command from its name, what it does, and what stands below its options."""


def declare(command: Command) -> None:
    """Every command, in the order in which shells offer them."""
    _practice(command)
    _host(command)
    _join(command)
    _resume(command)
    _rules(command)
    _verify(command)
    _replay(command)
    _export(command)
    _analyse(command)
    _tally(command)
    _link(command)
    _logs(command)
    _stats(command)
    _archive(command)
    _friends(command)
    _doctor(command)
    _id(command)
    _demo(command)


def _logs(command: Command) -> None:
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


def _stats(command: Command) -> None:
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


def _archive(command: Command) -> None:
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


def _friends(command: Command) -> None:
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


def _doctor(command: Command) -> None:
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
        "--json", action="store_true", help="print one JSON document instead of text"
    )


def _practice(command: Command) -> None:
    practice = command(
        "practice",
        "Play against the bot on this machine, with the real deck and a real log.",
        'At the table "hint" says what is best and why. The bot sees no more than you do, and the '
        "deal is the same at every level; Mahjong gin has one level.",
    )
    add_level(
        practice,
        "how well the bot plays",
        "one better each time you have won, one worse each time you have lost",
    )
    add_name(practice)
    add_rules(practice)


def _host(command: Command) -> None:
    host = command(
        "host",
        'Wait for a friend and play a match. Prints a line that begins with "invite: "; send what '
        'follows to your friend, who types "ginpeer join" and the invite.',
        "The invite lets one guest in.\n\n"
        "Your router is asked (by PCP, NAT-PMP and UPnP) to let your friend in: to pass on to "
        "this machine what comes to one TCP port, the one at which this command waits. It is "
        "asked for an hour at a time, and asked to take it back when the command ends; after a "
        "crash the next start asks that. --no-mapping asks the router for nothing.\n\n"
        "If your friend cannot get in all the same, their screen shows a line that begins with "
        '"reply: ". Paste it here while this command waits: then both programs dial, and most '
        "routers let that through. What else there is: a port that you let your router forward "
        'by hand, named with --advertise; or Tor, with --tor. "ginpeer doctor" says beforehand '
        "what will do.",
    )
    host.add_argument(
        "friend",
        metavar="FRIEND",
        nargs="?",
        help="wait for this friend alone, whom you have met (see ginpeer friends), and who needs "
        "no invite; both programs look for each other",
    )
    add_listening(host)
    add_direct(host)
    add_stun(host, "the invite")
    add_name(host)
    add_bot(host)
    add_rules(host)
    host.add_argument(
        "--hands",
        metavar="N",
        help="play N hands, as tables do that are added up; not to a target, unless the rules give "
        "one (the same as hands=N among the rules)",
    )
    add_disclose(
        host,
        "when both players open their hand seeds, so that anyone can see all hands and check the "
        "deals once more: after-match, after-hand or never (default: after-match)",
    )
    add_patience(host)
    add_matches(host)
    add_club(host)
    host.add_argument(
        "--new",
        action="store_true",
        help="begin a new match even if one with this friend is unfinished; that one is put aside, "
        "and at a terminal both players are asked first",
    )


def _join(command: Command) -> None:
    join = command(
        "join",
        "Play with the friend who sent you this invite, or with a friend whom you have met.",
        "The invite names the friend's key, so nobody else can take their place.\n\n"
        'Where the host cannot be reached, a line that begins with "reply: " is shown. Send it to '
        "your friend, who pastes it where ginpeer host waits: then both programs dial, which most "
        "routers let through. Meanwhile your router, too, is asked to let the other one in, and "
        "asked to close that again at the end; --no-mapping asks it for nothing.\n\n"
        "Where a match with this friend is unfinished and a new one is offered, a person is "
        "asked, with --rules too; a bot, or a program with --rules, accepts it and is told so "
        '("event aside"), and the unfinished one is kept for ginpeer resume.',
    )
    invite = join.add_argument(
        "invite",
        metavar="INVITE|FRIEND",
        nargs="*",
        help='what your friend\'s screen shows after "invite: "; or the name of a friend whom you '
        'have met, and who waits for you with "ginpeer host" and your name; at a terminal it is '
        "asked for where it is not typed here, and may then be pasted in several lines",
    )
    in_words(invite)
    add_through(join)
    join.add_argument(
        "--advertise",
        metavar="ADDRESS",
        action="append",  # one each time: the invite comes behind it, and has several words
        help="an IP address, with :PORT or without, at which the host can dial you, for the reply "
        "that is shown if you do not reach it; may be given several times",
    )
    add_stun(join, "that reply")
    add_no_mapping(join, "while both dial")
    add_name(join)
    add_bot(join)
    join.add_argument(
        "--rules",
        metavar="RULES",
        type=rule_words,
        help="play by exactly these rules without being asked, and decline all others "
        "(default: see the rules that are offered, and be asked); an unfinished match goes on by "
        "its own",
    )
    add_disclose(
        join, "with --rules: when seeds are opened in the match that is accepted (as for host)"
    )
    add_patience(
        join,
        "; and for the host, where it cannot be reached and a reply is shown (default: 600; with 0 "
        "none is shown)",
    )
    add_matches(join)
    join.set_defaults(new=False)


def _resume(command: Command) -> None:
    resume = command(
        "resume",
        "Go on with a match that was broken off: with the same cards, from the very move. "
        "Both players type this, but one whose table still waits; whoever was the host waits, the "
        "guest comes back. If "
        "the host's address has changed, its new invite with ginpeer join does it, too.",
        "Where only the connection breaks, both tables wait, and go on by themselves. This command "
        "is for a match that was paused or left, and for a program that has ended: a window "
        "closed, the power cut.\n\n"
        "ginpeer host and ginpeer join go on with an unfinished match, too, by its own rules; host "
        "--new begins another. Nobody's unfinished match is put aside unasked: the host is asked "
        "before it offers, the guest with the offer (bots and programs are told, and not asked). "
        '"ginpeer logs" and the end of a match count what lies aside, and resume with its name '
        "goes on with it.",
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
    add_through(resume)
    add_listening(resume)
    add_bot(resume)
    add_patience(resume)
    add_matches(resume)
    resume.set_defaults(new=False)


def _rules(command: Command) -> None:
    rules = command(
        "rules",
        "Explain a rule set in plain sentences, each with its number in RULES.md. "
        "RULES is what --rules takes, like: oklahoma hollywood target=150",
        "exit status: 0 explained; 2 rules that cannot be read or played.",
    )
    explained = rules.add_argument(
        "rules",
        metavar="RULES",
        type=rule_words,
        nargs="*",
        help="the rules to explain (default: standard)",
    )
    in_words(explained)
    others = rules.add_argument(
        "--diff",
        metavar="OTHER",
        type=rule_words,
        nargs="+",
        help="say only in what these other rules differ",
    )
    in_words(others)
    rules.add_argument("--list", action="store_true", help="list the rules that have a name")


_VERDICTS = """\
A log has 64 MiB at most. One of that size takes some minutes and up to 300 MB of
memory, mostly half as much again to replay; a terminal shows how far it is.

exit status: 0 valid and finished; 1 forged, or a player broke the rules;
3 sound as far as it goes, but incomplete; 2 cannot be read, or was typed and
signed by nobody."""


def _verify(command: Command) -> None:
    verify = command(
        "verify",
        "Check a match from its log alone: every signature, shuffle, card, move and "
        "point. Needs no secrets and no connection.",
        _VERDICTS,
    )
    add_log(verify)
    verify.add_argument(
        "--json", action="store_true", help="print one JSON document instead of text"
    )


def _replay(command: Command) -> None:
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


def _export(command: Command) -> None:
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


def _link(command: Command) -> None:
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


def _analyse(command: Command) -> None:
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


def _tally(command: Command) -> None:
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


def _demo(command: Command) -> None:
    demo = command(
        "demo",
        "Let two bots, as two programs over an encrypted connection, play a whole "
        "match, then compare their logs and verify them.",
        "exit status: 0 only if both logs are the same, byte for byte, and valid.",
    )
    keep = demo.add_argument("--keep", metavar="FILE", help="keep the log of the match in FILE")
    completes(keep, "file")
    add_rules(demo)


def _id(command: Command) -> None:
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
