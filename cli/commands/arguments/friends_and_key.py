"""What may be typed after the commands for friends, the way to them, our key; and the demo."""

from __future__ import annotations

from cli.commands.arguments.command import AddCommand
from cli.commands.arguments.shared_options import add_rules
from cli.commands.arguments.typed_values import completes, port


def declare(command: AddCommand) -> None:
    """These commands, in the order in which shells offer them."""
    _friends(command)
    _doctor(command)
    _id(command)
    _demo(command)


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
    doctor.add_argument(
        "--json", action="store_true", help="print one JSON document instead of text"
    )


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
