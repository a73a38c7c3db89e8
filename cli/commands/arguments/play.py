"""The arguments of the commands that play, and of the one that explains the rules."""

from __future__ import annotations

from cli.commands.arguments.options import LEVELS, RULES, AddCommand

# --- options of several commands

_LISTEN = """\
--listen HOST:PORT rare
    where to wait; :PORT waits on every network of this machine (default: where a match that is
    unfinished or has just ended was played, otherwise :4466; if that port is taken, the next free
    one)
"""

_HOSTING = """\
--no-mapping rare
    don't ask your router (by PCP, NAT-PMP and UPnP) to let your friend in while this program runs
--tor
    also let your friend connect through Tor, whatever routers are between you; you both need Tor,
    and the invite appears once it is ready
    In brief: also let your friend connect through Tor
-v, --verbose rare
    say who tried to connect and was refused, and why
"""

_NOT_HIDDEN = """\
    don't use the proxy or Tor that you used for this friend before; from now on this friend may
    learn your address
"""

_THROUGH = f"""\
--through PROXY either
    connect only through this SOCKS5 proxy: socks5://HOST:PORT or socks5://USER:PASSWORD@HOST:PORT;
    the proxy also looks up names. It is saved for this friend, but without the password, which
    other users of this machine can see while ginpeer runs
    In brief: connect only through this proxy: socks5://HOST:PORT
--direct either rare
{_NOT_HIDDEN}"""

_STUN = """\
--stun HOST[:PORT] repeatable either rare
    ask this STUN server for your public address and put it into {code}; the server learns only
    that address; repeatable. "--stun public" asks servers from a public list, but only if the
    router doesn't open a port (default: ginpeer asks you once at a terminal; otherwise it asks no
    server)
--no-stun either rare
    don't ask any STUN server. At a terminal, ginpeer remembers this for next time, just as it
    remembers --stun public
"""

_AS_TYPED = """\
--as-typed rare
    use only the options that you type now. Otherwise {options} are saved for each
    friend and used again
"""

_PATIENCE = """\
--patience SECONDS rare
    how long to wait for the other player after losing the connection (default: at a terminal, until
    you quit; otherwise not at all)
"""

_MATCHES = """\
--matches N rare
    play up to N matches in a row, if the other player stays (default: at a terminal, until one of
    you leaves; otherwise 1)
"""

_NAME = """\
--name NAME
    your name for other players, from now on (default: the last one you chose; at a terminal,
    ginpeer asks you once; otherwise your login name)
    In brief: the name that other players see from now on
"""

_BOT = f"""\
--bot
    let the bot play for you
--level N rare
    with --bot: how well it plays, from 1 (a beginner) to {LEVELS} (default: its best)
"""

# --- the arguments of each command

_REMEMBERED = "--listen, --tor, --advertise, --stun and --no-mapping"

_PRACTICE = f"""\
--level N
    how well the bot plays, from 1 (a beginner) to {LEVELS} (default: one higher after each win, one
    lower after each loss)
{_NAME}{RULES}"""

_HOST = f"""\
FRIEND?
    wait only for this friend (see ginpeer friends), who needs no invite; both programs look for
    each other
    In brief: wait only for this friend, who needs no invite
{_LISTEN}--advertise HOST:PORT repeatable
    another address for the invite, listed before this machine's own; repeatable
    In brief: the address to put in the invite, such as my.home.example:4466
{_HOSTING}--direct rare
{_NOT_HIDDEN}{_STUN.format(code="the invite")}{_AS_TYPED.format(options=_REMEMBERED)}\
{_NAME}{_BOT}{RULES}\
--hands N rare
    play N hands, without a target unless the rules set one (same as hands=N in --rules)
--disclose WHEN rare
    when both players reveal their hand seeds, so that anyone with the log can see all hands and
    check every deal: after-match, after-hand or never (default: after-match)
{_PATIENCE}{_MATCHES}\
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
    what your friend's screen shows after "invite: "; or the name of a friend who is waiting for you
    with "ginpeer host" and your name; at a terminal you can leave it out and paste it when asked,
    even in several lines
    In brief: what your friend's screen shows after "invite: ", or the name of a friend who has
    typed "ginpeer host"
{_THROUGH}\
--advertise ADDRESS repeatable rare
    an IP address, with or without :PORT, at which the host can dial you; it goes into the reply;
    repeatable
{_STUN.format(code="the reply")}\
--no-mapping rare
    don't ask your router (by PCP, NAT-PMP and UPnP) to let your friend in while both dial
{_AS_TYPED.format(options="--stun and --no-mapping")}{_NAME}{_BOT}\
--rules RULES
    play by exactly these rules without being asked, and decline all others (default: you see the
    offered rules and are asked); an unfinished match keeps its own
    In brief: play by exactly these rules, and decline all others
--disclose WHEN rare
    with --rules: when seeds are revealed in the accepted match (as for host)
{_PATIENCE.rstrip()};
    also how long to wait for the host after showing a reply (default: 600; 0: show no reply)
{_MATCHES}"""

_RESUME = f"""\
MATCH|FRIEND?
    the short name from "ginpeer logs", or the friend; not needed if only one match is unfinished
    In brief: not needed if only one match is unfinished
--at HOST:PORT repeatable
    where the host is now, if its address has changed; repeatable
    In brief: where the host is now, if its address has changed
{_THROUGH}{_LISTEN}\
--advertise HOST:PORT repeatable rare
    another address for the invite, listed before this machine's own; repeatable
{_HOSTING}{_STUN.format(code="the invite or the reply")}{_AS_TYPED.format(options=_REMEMBERED)}\
{_BOT}{_PATIENCE}{_MATCHES}"""

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
        "friend, who pastes it where ginpeer host waits. Both programs then dial, which gets "
        "through most routers. Meanwhile ginpeer also asks your router to let the host in, and "
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
