"""The arguments of the commands that play, and of the one that explains the rules."""

from __future__ import annotations

from cli.commands.arguments.options import (
    AddCommand,
    add_as_typed,
    add_bot,
    add_club,
    add_direct,
    add_disclose,
    add_level,
    add_listening,
    add_matches,
    add_name,
    add_no_mapping,
    add_patience,
    add_rules,
    add_stun,
    add_through,
    in_words,
    rule_words,
)

_REMEMBERED = "--tor, --advertise, --stun, --no-mapping and the port of --listen"


def declare(command: AddCommand) -> None:
    """Declare these commands, in the order in which shells offer them."""
    _practice(command)
    _host(command)
    _join(command)
    _resume(command)
    _rules(command)


def _practice(command: AddCommand) -> None:
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


def _host(command: AddCommand) -> None:
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
        '"reply: ". Paste it here while this command waits. Both programs then dial, and most '
        "routers let that through if both codes contain public addresses. If no router opens a "
        "port, and you allow it, ginpeer asks two public STUN servers for your public address. "
        "While this command waits, it asks one of them again every few minutes, so that the "
        "address stays valid.\n\n"
        "You can also set your router to forward a port by hand and name it with --advertise, or "
        'use Tor with --tor. "ginpeer doctor" tells you beforehand what will work.',
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
    add_as_typed(host, _REMEMBERED)
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


def _join(command: AddCommand) -> None:
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
        action="append",  # one value at a time: the invite that follows has several words
        help="an IP address, with :PORT or without, at which the host can dial you, for the reply "
        "that is shown if you do not reach it; may be given several times",
    )
    add_stun(join, "that reply")
    add_no_mapping(join, "while both dial")
    add_as_typed(join, "--stun and --no-mapping")
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


def _resume(command: AddCommand) -> None:
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
        metavar="MATCH|FRIEND",
        nargs="?",
        help='the short name from "ginpeer logs", or the friend; not needed if only one match is '
        "unfinished",
    )
    resume.add_argument(
        "--at",
        metavar="HOST:PORT",
        action="append",  # one value at a time, because the match may follow
        help="where the host is now, instead of where it was; may be given several times",
    )
    add_through(resume)
    add_listening(resume)
    add_stun(resume, "the invite or the reply")
    add_as_typed(resume, _REMEMBERED)
    add_bot(resume)
    add_patience(resume)
    add_matches(resume)
    resume.set_defaults(new=False)


def _rules(command: AddCommand) -> None:
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
