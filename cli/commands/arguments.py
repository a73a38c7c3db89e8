"""What may be typed after each command: what `--help` says of it, the man page and the completion.

# House rules
#
# 1. A command is a line in `declare` and a module cli.commands.NAME, whose run_NAME does it with
#    what argparse has read. The module may import whatever it needs: it is imported only to run.
# 2. So nothing of ours is imported here: every `--help` reads this module whole.
# 3. share/ is made from here; after a change run .ci/regenerate.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable

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
    _tally(command)
    command("logs", "List the matches that are stored on this machine.")
    _friends(command)
    _doctor(command)
    _id(command)
    _demo(command)


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
        type=_port,
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
    )
    _add_name(practice)
    _add_rules(practice)


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
    _add_listening(host)
    _add_direct(host)
    _add_stun(host, "the invite")
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
        "when both players open their hand seeds, so that anyone can see all hands and check the "
        "deals once more: after-match, after-hand or never (default: after-match)",
    )
    _add_patience(host)
    _add_matches(host)
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
    _add_through(join)
    join.add_argument(
        "--advertise",
        metavar="ADDRESS",
        action="append",  # one each time: the invite comes behind it, and has several words
        help="an IP address, with :PORT or without, at which the host can dial you, for the reply "
        "that is shown if you do not reach it; may be given several times",
    )
    _add_stun(join, "that reply")
    _add_no_mapping(join, "while both dial")
    _add_name(join)
    _add_bot(join)
    join.add_argument(
        "--rules",
        metavar="RULES",
        type=rule_words,
        help="play by exactly these rules without being asked, and decline all others "
        "(default: see the rules that are offered, and be asked); an unfinished match goes on by "
        "its own",
    )
    _add_disclose(
        join, "with --rules: when seeds are opened in the match that is accepted (as for host)"
    )
    _add_patience(
        join,
        "; and for the host, where it cannot be reached and a reply is shown (default: 600; with 0 "
        "none is shown)",
    )
    _add_matches(join)
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
    _add_through(resume)
    _add_listening(resume)
    _add_bot(resume)
    _add_patience(resume)
    _add_matches(resume)
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
3 sound as far as it goes, but incomplete; 2 cannot be read."""


def _verify(command: Command) -> None:
    verify = command(
        "verify",
        "Check a match from its log alone: every signature, shuffle, card, move and "
        "point. Needs no secrets and no connection.",
        _VERDICTS,
    )
    _add_log(verify)
    verify.add_argument(
        "--json", action="store_true", help="print one JSON document instead of text"
    )


def _replay(command: Command) -> None:
    replay = command(
        "replay",
        "Watch a match again, move by move. Both hands are shown where the players "
        "disclosed them, otherwise your own, otherwise what everybody saw.",
        "On a terminal, Enter goes on, a number jumps to that hand, q quits.\n\n" + _VERDICTS,
    )
    _add_log(replay)
    replay.add_argument("--hand", metavar="N", type=_positive, help="this hand only")
    replay.add_argument(
        "--seat", metavar="PLAYER", help="one player's view: a player's name, or host, or guest"
    )
    replay.add_argument(
        "--events", action="store_true", help="print lines for programs instead of sentences"
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
    tally.add_argument(
        "--team",
        metavar="NAME,NAME",
        help="the players of one team, by name or by fingerprint (default: the hosts)",
    )
    tally.add_argument(
        "--target",
        metavar="POINTS",
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


def _demo(command: Command) -> None:
    demo = command(
        "demo",
        "Let two bots, as two programs over an encrypted connection, play a whole "
        "match, then compare their logs and verify them.",
        "exit status: 0 only if both logs are the same, byte for byte, and valid.",
    )
    keep = demo.add_argument("--keep", metavar="FILE", help="keep the log of the match in FILE")
    completes(keep, "file")
    _add_rules(demo)


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


def _add_listening(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="where to wait; :PORT waits on every network of this machine (default: :4466, or "
        "another port where that is taken)",
    )
    command.add_argument(
        "--advertise",
        metavar="HOST:PORT",
        nargs="+",
        action="extend",
        help="more addresses for the invite, before those of this machine",
    )
    _add_no_mapping(command, "until this program ends")
    command.add_argument(
        "--tor",
        action="store_true",
        help="also let the Tor of this machine lead your friend here, whatever routers are between "
        "you: when it is ready, a second invite is printed; the friend needs Tor, too",
    )
    command.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="tell who knocked and was not let in, and why",
    )


def _add_through(command: argparse.ArgumentParser) -> None:
    either = command.add_mutually_exclusive_group()
    either.add_argument(
        "--through",
        metavar="PROXY",
        help="connect through a SOCKS5 proxy, and in no other way: socks5://HOST:PORT or "
        "socks5://USER:PASSWORD@HOST:PORT; names are looked up by the proxy. It is remembered for "
        "this friend, but for a password",
    )
    _add_direct(either)


def _add_direct(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--direct",
        action="store_true",
        help="go without the proxy or Tor by which you went to this friend before; from then on "
        "they may learn where you are",
    )


def _add_no_mapping(command: argparse.ArgumentParser, until: str) -> None:
    command.add_argument(
        "--no-mapping",
        action="store_true",
        help="ask your router for nothing; without this it is asked (by PCP, NAT-PMP and UPnP) to "
        f"let the other player in {until}",
    )


def _add_stun(command: argparse.ArgumentParser, code: str) -> None:
    command.add_argument(
        "--stun",
        metavar="HOST[:PORT]",
        help="the STUN server to ask by which address the outside sees this machine, for "
        f"{code}; it learns that address (default: nobody is asked)",
    )


def _add_disclose(command: argparse.ArgumentParser, explanation: str) -> None:
    command.add_argument(
        "--disclose",
        metavar="WHEN",
        choices=("after-match", "after-hand", "never"),
        default="after-match",
        help=explanation,
    )


def _add_patience(command: argparse.ArgumentParser, more: str = "") -> None:
    command.add_argument(
        "--patience",
        metavar="SECONDS",
        type=_seconds,
        help="how long to wait for the other player after the connection was lost "
        f"(default: at a terminal, until you quit; otherwise not at all){more}",
    )


def _add_matches(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--matches",
        metavar="N",
        type=_matches,
        help="stay for so many matches in a row, if the other player stays as well (default: at a "
        "terminal, until one of you leaves; otherwise one)",
    )


def _matches(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and int(text)):
        raise argparse.ArgumentTypeError("a number of matches is 1 to 9999")
    return int(text)


def _seconds(text: str) -> float:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise argparse.ArgumentTypeError("patience is a number of seconds")
    return float(text)


def _add_name(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--name",
        metavar="NAME",
        help="what the other player calls you, this time and from now on (default: as you said "
        "last, or else your login name)",
    )


def _add_bot(command: argparse.ArgumentParser) -> None:
    command.add_argument("--bot", action="store_true", help="let the bot play this side")


def _add_rules(command: argparse.ArgumentParser) -> None:
    rules = command.add_argument(
        "--rules",
        metavar="RULES",
        type=rule_words,
        nargs="+",
        default=["standard"],
        help="the rules: names, as ginpeer rules --list has them, and what differs, in any order, "
        "like: oklahoma hollywood target=150 (default: standard)",
    )
    in_words(rules)


def rule_words(text: str) -> str:
    """Rules in the one spelling that is read, for those who type "Oklahoma, box = 20"."""
    return re.sub(r"\s*=\s*", "=", text.replace(",", " ").lower())


def _add_log(command: argparse.ArgumentParser) -> None:
    log = command.add_argument(
        "log", metavar="LOG", help='a log file, or a short name from "ginpeer logs"'
    )
    completes(log, "file")


def in_words(argument: argparse.Action) -> None:
    """Its words are one thing, be it typed or pasted; read by cli.terminal.help_layout."""
    setattr(argument, "in_words", True)  # noqa: B010 - argparse knows no such field


_COMPLETED_BY = {
    "file": {"bash": "_shtab_compgen_files", "zsh": "_files", "fish": "__fish_complete_path"},
    "directory": {
        "bash": "_shtab_compgen_dirs",
        "zsh": "_files -/",
        "fish": "__fish_complete_directories",
    },
}


def completes(argument: argparse.Action, kind: str) -> None:
    """What a shell offers for it; read by shtab, which makes share/ of this parser."""
    setattr(argument, "complete", _COMPLETED_BY[kind])  # noqa: B010 - argparse knows no such field


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and int(text) > 0):
        raise argparse.ArgumentTypeError("a hand has a number from 1 on")
    return int(text)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) <= 0xFFFF):
        raise argparse.ArgumentTypeError("a port is a number from 1 to 65535")
    return int(text)


def _points(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise argparse.ArgumentTypeError("a target is a number of points")
    return int(text)
