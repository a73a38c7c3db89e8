"""The arguments of the commands that play, and of the one that explains the rules."""

from __future__ import annotations

from cli.commands.arguments.options import (
    AS_TYPED,
    BOT,
    HOSTING,
    LEVELS,
    LISTEN,
    MATCHES,
    NAME,
    NOT_HIDDEN,
    PATIENCE,
    RULES,
    STUN,
    THROUGH,
    AddCommand,
)

_REMEMBERED = "--tor, --advertise, --stun, --no-mapping and the port of --listen"

_PRACTICE = f"""\
--level N
    how well the bot plays, from 1 (a beginner) to {LEVELS} (default: one higher after each win, one
    lower after each loss)
{NAME}{RULES}"""

_HOST = f"""\
FRIEND?
    wait only for this friend (see ginpeer friends), who needs no invite; both programs look for
    each other
    In brief: wait only for this friend, who needs no invite
{LISTEN}--advertise HOST:PORT repeatable
    another address for the invite, listed before this machine's own; repeatable
    In brief: the address to put in the invite, such as my.home.example:4466
{HOSTING}--direct rare
{NOT_HIDDEN}{STUN.format(code="the invite")}{AS_TYPED.format(options=_REMEMBERED)}\
{NAME}{BOT}{RULES}\
--hands N rare
    play N hands, without a target unless the rules set one (same as hands=N in --rules)
--disclose WHEN rare
    when both players reveal their hand seeds, so that anyone with the log can see all hands and
    check every deal: after-match, after-hand or never (default: after-match)
{PATIENCE}{MATCHES}\
--club rare
    with --bot: play one guest after another until you stop it; all of them can use the same invite.
    A guest plays one match, or as many as --matches says. If a guest loses the connection, the
    table is kept for as long as --patience says (default: 60 seconds); after that, the guest can
    continue the match another time. If the table is taken, the guest is told so, and at a terminal
    their program keeps trying
--tables N rare
    with --bot: like --club, but up to N guests play at once, each at their own table
--new
    start a new match even if one with this friend is unfinished; that one is shelved, and at a
    terminal both players are asked first
    In brief: start a new match even if one is unfinished
"""

_JOIN = f"""\
INVITE|FRIEND*
    what your friend's screen shows after "invite: "; or the name of a friend who waits for you with
    "ginpeer host" and your name; at a terminal you can leave it out and paste it when asked, even
    in several lines
    In brief: what your friend's screen shows after "invite: ", or the name of a friend who has
    typed "ginpeer host"
{THROUGH}\
--advertise ADDRESS repeatable rare
    an IP address, with or without :PORT, at which the host can dial you; it goes into the reply;
    repeatable
{STUN.format(code="the reply")}\
--no-mapping rare
    don't ask your router (by PCP, NAT-PMP and UPnP) to let your friend in while both dial
{AS_TYPED.format(options="--stun and --no-mapping")}{NAME}{BOT}\
--rules RULES
    play by exactly these rules without being asked, and decline all others (default: you see the
    offered rules and are asked); an unfinished match keeps its own
    In brief: play by exactly these rules, and decline all others
--disclose WHEN rare
    with --rules: when seeds are revealed in the accepted match (as for host)
{PATIENCE.rstrip()};
    also how long to wait for the host after showing a reply (default: 600; 0 shows no reply)
{MATCHES}"""

_RESUME = f"""\
MATCH|FRIEND?
    the short name from "ginpeer logs", or the friend; not needed if only one match is unfinished
    In brief: not needed if only one match is unfinished
--at HOST:PORT repeatable
    where the host is now, if its address has changed; repeatable
    In brief: where the host is now, if its address has changed
{THROUGH}{LISTEN}\
--advertise HOST:PORT repeatable rare
    another address for the invite, listed before this machine's own; repeatable
{HOSTING}{STUN.format(code="the invite or the reply")}{AS_TYPED.format(options=_REMEMBERED)}\
{BOT}{PATIENCE}{MATCHES}"""

_RULES = """\
RULES*
    the rules to explain (default: standard)
--diff OTHER+
    show only how these other rules differ
--list
    list the named rules
"""


def declare(command: AddCommand) -> None:
    command(
        "practice",
        "Play against the bot on this machine, with the same shuffle and signed log as in a match "
        "with a friend.",
        'At the table, "hint" says what is best and why. At every level, the bot sees no more than '
        "you do, and the cards are dealt in the same way. In Mahjong gin it has only one level.",
        arguments=_PRACTICE,
    )
    command(
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
        arguments=_HOST,
    )
    command(
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
        arguments=_JOIN,
    ).set_defaults(new=False)
    command(
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
        arguments=_RESUME,
    ).set_defaults(new=False)
    command(
        "rules",
        "Explain a rule set in plain sentences, each with its number in RULES.md. "
        "RULES is what --rules takes, like: oklahoma hollywood target=150",
        "exit status: 0 explained; 2 the rules can't be read or played.",
        arguments=_RULES,
    )
