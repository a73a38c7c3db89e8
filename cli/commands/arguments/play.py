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
    in_brief,
    in_words,
    rare,
    rule_words,
)

_RULES = "the rules to play by, such as: oklahoma target=150 (default: standard)"
_NAME = "the name that other players see from now on"
_THROUGH = "connect only through this proxy: socks5://HOST:PORT"
_TOR = "also let your friend connect through Tor"

_REMEMBERED = "--tor, --advertise, --stun, --no-mapping and the port of --listen"


def declare(command: AddCommand) -> None:
    for add in (_practice, _host, _join, _resume, _rules):
        add(command)


def _practice(command: AddCommand) -> None:
    practice = command(
        "practice",
        "Play against the bot on this machine, with the same shuffle and signed log as in a match "
        "with a friend.",
        'At the table, "hint" says what is best and why. At every level, the bot sees no more than '
        "you do, and the cards are dealt in the same way. In Mahjong gin it has only one level.",
    )
    add_level(
        practice, "how well the bot plays", "one higher after each win, one lower after each loss"
    )
    add_name(practice)
    add_rules(practice)


def _host(command: AddCommand) -> None:
    host = command(
        "host",
        'Wait for a friend and play a match. You see a line that begins with "invite: "; send the '
        'rest of it to your friend, who types "ginpeer join" and the invite.',
        details="The invite admits one guest.\n\n"
        "ginpeer asks your router (by PCP, NAT-PMP and UPnP) to forward one TCP port to this "
        "machine, for an hour at a time. It closes the port again when the command ends or, "
        "after a crash, at the next start.\n\n"
        "If your friend still can't connect, their screen shows a line that begins with "
        '"reply: ". Paste it here while this command waits. Both programs then dial each other at '
        "the same time, which gets through most routers if the invite and the reply both contain "
        "public addresses. If no router opens a port, and you allow it, ginpeer asks two public "
        "STUN servers for your public address, and one of them again every few minutes, so that "
        "the address stays valid.\n\n"
        "You can also forward a port by hand and name it with --advertise, or use Tor with --tor. "
        '"ginpeer doctor" shows beforehand what will work.',
    )
    host.add_argument(
        "friend",
        metavar="FRIEND",
        nargs="?",
        help="wait only for this friend (see ginpeer friends), who needs no invite; both programs "
        "look for each other",
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
        help="play N hands, without a target unless the rules set one (same as hands=N in --rules)",
    )
    add_disclose(
        host,
        "when both players reveal their hand seeds, so that anyone with the log can see all hands "
        "and check every deal: after-match, after-hand or never (default: after-match)",
    )
    add_patience(host)
    add_matches(host)
    add_club(host)
    host.add_argument(
        "--new",
        action="store_true",
        help="start a new match even if one with this friend is unfinished; that one is shelved, "
        "and at a terminal both players are asked first",
    )
    rare(host, "--listen", "--no-mapping", "--verbose", "--direct", "--stun", "--no-stun")
    rare(host, "--as-typed", "--level", "--hands", "--disclose", "--patience", "--matches")
    rare(host, "--club", "--tables")
    in_brief(
        host,
        {
            "FRIEND": "wait only for this friend, who needs no invite",
            "--advertise": "the address to put in the invite, such as my.home.example:4466",
            "--tor": _TOR,
            "--name": _NAME,
            "--rules": _RULES,
            "--new": "start a new match even if one is unfinished",
        },
    )


def _join(command: AddCommand) -> None:
    join = command(
        "join",
        "Play with the friend who sent you this invite, or with a friend you have played before.",
        details="The invite identifies the friend's key, so nobody else can take their place.\n\n"
        'If the host can\'t be reached, you see a line that begins with "reply: ". Send it to your '
        "friend, who pastes it where ginpeer host waits. Both programs then dial, which most "
        "routers let through. Meanwhile ginpeer also asks your router to let the host in, and "
        "afterwards to close the port again.\n\n"
        "If a match with this friend is unfinished and the host offers a new one, you are asked, "
        "even with --rules. A bot, or a program with --rules, accepts the new match and reports it "
        '("event aside"). ginpeer resume continues the unfinished one later.',
    )
    invite = join.add_argument(
        "invite",
        metavar="INVITE|FRIEND",
        nargs="*",
        help='what your friend\'s screen shows after "invite: "; or the name of a friend who waits '
        'for you with "ginpeer host" and your name; at a terminal you can leave it out and paste '
        "it when asked, even in several lines",
    )
    in_words(invite)
    add_through(join)
    join.add_argument(
        "--advertise",
        metavar="ADDRESS",
        action="append",  # one value at a time: the invite that follows has several words
        help="an IP address, with or without :PORT, at which the host can dial you; it goes into "
        "the reply; repeatable",
    )
    add_stun(join, "the reply")
    add_no_mapping(join, "while both dial")
    add_as_typed(join, "--stun and --no-mapping")
    add_name(join)
    add_bot(join)
    join.add_argument(
        "--rules",
        metavar="RULES",
        type=rule_words,
        help="play by exactly these rules without being asked, and decline all others "
        "(default: you see the offered rules and are asked); an unfinished match keeps its own",
    )
    add_disclose(join, "with --rules: when seeds are revealed in the accepted match (as for host)")
    add_patience(
        join,
        "; also how long to wait for the host after showing a reply (default: 600; 0 shows no "
        "reply)",
    )
    add_matches(join)
    rare(join, "--direct", "--advertise", "--stun", "--no-stun", "--no-mapping", "--as-typed")
    rare(join, "--level", "--disclose", "--patience", "--matches")
    in_brief(
        join,
        {
            "INVITE|FRIEND": 'what your friend\'s screen shows after "invite: ", or the name of a '
            'friend who has typed "ginpeer host"',
            "--through": _THROUGH,
            "--name": _NAME,
            "--rules": "play by exactly these rules, and decline all others",
        },
    )
    join.set_defaults(new=False)


def _resume(command: AddCommand) -> None:
    resume = command(
        "resume",
        "Continue an unfinished match: with the same cards, from the same move. Both players type "
        "this, unless their program is still waiting. The host waits; the guest connects. If the "
        "host's address has changed, the guest can use ginpeer join with the host's new invite.",
        details="If only the connection breaks, "
        "both tables wait and continue by themselves. Use this "
        "command after a pause, after leaving, or if a program ended because its window was closed "
        "or the power failed.\n\n"
        "ginpeer host and ginpeer join also continue an unfinished match, by its own rules; host "
        "--new starts another. ginpeer asks before it shelves an unfinished match: the host "
        "before the offer, the guest with the offer (bots and programs are told, not asked). "
        '"ginpeer logs" and the last lines of a match say how many matches are shelved; to '
        "continue one, give resume its short name.",
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
        help="where the host is now, if its address has changed; repeatable",
    )
    add_through(resume)
    add_listening(resume)
    add_stun(resume, "the invite or the reply")
    add_as_typed(resume, _REMEMBERED)
    add_bot(resume)
    add_patience(resume)
    add_matches(resume)
    rare(resume, "--direct", "--listen", "--advertise", "--no-mapping", "--verbose", "--stun")
    rare(resume, "--no-stun", "--as-typed", "--level", "--patience", "--matches")
    in_brief(
        resume,
        {
            "MATCH|FRIEND": "not needed if only one match is unfinished",
            "--at": "where the host is now, if its address has changed",
            "--through": _THROUGH,
            "--tor": _TOR,
        },
    )
    resume.set_defaults(new=False)


def _rules(command: AddCommand) -> None:
    rules = command(
        "rules",
        "Explain a rule set in plain sentences, each with its number in RULES.md. "
        "RULES is what --rules takes, like: oklahoma hollywood target=150",
        "exit status: 0 explained; 2 the rules can't be read or played.",
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
        help="show only how these other rules differ",
    )
    in_words(others)
    rules.add_argument("--list", action="store_true", help="list the named rules")
