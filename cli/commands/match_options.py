"""The options of a match as typed: rules, addresses, and how its host can be reached."""

from __future__ import annotations

from argparse import Namespace
from contextlib import suppress

from cli.commands.home_and_files import open_home
from cli.commands.rules import typed_rules
from cli.match.hosting import HostOptions
from cli.match.ways_in import NOBODY, PUBLIC, StunConsent, StunPolicy, public_servers
from cli.program import Failure, failures_of
from cli.terminal.questions import can_ask
from ginpeer.names import safe
from ginpeer.net.address import DEFAULT_PORT, Address, AddressError, ip_of, parse_address
from ginpeer.net.socks import Proxy, parse_proxy
from ginpeer.net.stun import DEFAULT_STUN_PORT
from ginpeer.net.tcp import EVERYWHERE
from ginpeer.seat.seat import Options
from ginpeer.store import StoreError
from ginpeer.store.match_files import Role
from ginpeer.store.peers import merged_ways
from ginpeer.store.small_files import change_settings, read_settings
from protocol.messages import Disclosure

_FROM_LAST_TIME = "the options from last time with this friend"
_ALL_IPV4 = "0.0.0.0"  # noqa: S104 - whoever types :PORT wants guests from anywhere
_ALL_NETWORKS = (_ALL_IPV4, EVERYWHERE)


def typed_options(rules: str, disclose: str | None) -> Options:
    disclosure = next(each for each in Disclosure if each.word == (disclose or "after-match"))
    return Options(typed_rules(rules or "standard"), disclosure)


def typed_host_options(args: Namespace, typed: tuple[str, ...]) -> HostOptions:
    """Return how friends can reach the host. *typed*: the options typed now (`typed_ways`); the
    others in *args* are from last time."""
    listen = listen_address(args.listen)
    again = listen is not None and not any(map(_is_listen, typed))
    return HostOptions(
        listen,
        listens_again=again,
        advertise=advertised(args.advertise, listen),
        tor=args.tor,
        mapping=not args.no_mapping,
        stun=typed_stun(args, typed),
        hides="" if args.direct else None,
    )


def check_one_each(option: str, given: list[str] | None, following: str | None) -> None:
    """Refuse a second address after one option: it would be read as a name. Raises Failure."""
    if given and following is not None and ":" in following:
        raise Failure(
            "usage",
            f"{safe(following)} looks like an address. To give several, type {option} before each.",
        )


def typed_ways(args: Namespace, role: Role) -> tuple[str, ...]:
    """Return the typed options that say how the other player reaches us, in the form in which they
    are saved."""
    ways = []
    if role == "host":
        listen = listen_address(args.listen)
        if args.tor:
            ways.append("tor")
        if listen is not None:
            ways.append(_listen_way(listen))
        ways += [f"advertise={address}" for address in advertised(args.advertise, listen)]
    ways += [f"stun={server}" for server in args.stun or ()]
    ways += [name for name in _REFUSALS if getattr(args, _attribute(name), False)]
    return tuple(ways)


def ways_of_match(
    ways: tuple[str, ...], listens: str | None, *, for_anybody: bool = False
) -> tuple[str, ...]:
    """Return the options for continuing a match: the friend's (*ways*), except that we listen where
    the guest last found us. *listens*: that address, from the notes of the match. *for_anybody*:
    other guests may come instead, so listen at that port on every network."""
    try:
        address = parse_address(listens or "", None)
    except AddressError:  # not noted, or damaged
        return ways
    if for_anybody:
        address = address._replace(host=EVERYWHERE)
    others = tuple(way for way in ways if not _is_listen(way))
    is_default = address.host in _ALL_NETWORKS and address.port == DEFAULT_PORT
    return others if is_default else (_listen_way(address), *others)


def remembered_ways(
    args: Namespace, ways: tuple[str, ...], role: Role, what: str = _FROM_LAST_TIME
) -> str:
    """Put saved options into *args*, and return what to tell the player about them. *what*: how to
    refer to them."""
    if args.as_typed:
        return ""
    typed = typed_ways(args, role)
    used = [way for way in merged_ways(ways, typed) if way not in typed and _is_for(way, role)]
    for way in used:
        name, _, value = way.partition("=")
        before = getattr(args, _attribute(name)) or []
        setattr(args, _attribute(name), [*before, value] if name in _LISTS else value or True)
    if not used:
        return ""
    options = " ".join(f"--{way.replace('=', ' ')}" for way in used)
    return f"Using {what}: {options}. To use only what you type, add --as-typed."


_REFUSALS = ("no-mapping", "no-stun")
_LISTS = ("advertise", "stun")
_VALUES = ("listen", *_LISTS)
_STUN_ANSWERS = frozenset({f"stun={PUBLIC}", "no-stun"})


def _is_listen(way: str) -> bool:
    return way.startswith("listen=")


def _listen_way(address: Address) -> str:
    host, port = address
    return f"listen=:{port}" if host == _ALL_IPV4 else f"listen={address}"


def _attribute(option: str) -> str:
    return option.replace("-", "_")


def _is_for(way: str, role: Role) -> bool:
    name, _, value = way.partition("=")
    if bool(value) is not (name in _VALUES):
        return False
    return name in ("stun", *_REFUSALS) or (role == "host" and name in ("tor", *_VALUES))


def listen_address(text: str | None) -> Address | None:
    """Parse HOST:PORT, or :PORT for all networks; None lets us choose."""
    if text is None:
        return None
    is_port = text.startswith(":") and not text.startswith("::")
    return typed_address(_ALL_IPV4 + text if is_port else text, None)


def advertised(texts: list[str] | None, listen: Address | None) -> tuple[Address, ...]:
    """Return the addresses for the invite. The port of *listen* is the default."""
    port = listen.port if listen is not None and listen.port else None
    return tuple(_of_one_machine(typed_address(text, port)) for text in texts or ())


def _of_one_machine(address: Address) -> Address:
    ip = ip_of(address.host)
    reserved = ip is not None and ip.version == 4 and ip.is_reserved  # only IPv4: ::1 is reserved
    if reserved or (ip is not None and (ip.is_unspecified or ip.is_multicast)):
        raise Failure(
            "address-unreadable", f"{address.host} isn't the address of a single machine."
        )
    return address


def typed_proxy(text: str | None) -> Proxy | None:
    if text is None:
        return None
    with failures_of(AddressError):
        return parse_proxy(text)


def own_addresses(texts: list[str] | None) -> tuple[Address, ...]:
    """Return the addresses for dialling a guest; port 0 stands for the port it listens on."""
    addresses = tuple(_of_one_machine(typed_address(text, 0)) for text in texts or ())
    for address in addresses:
        if ip_of(address.host) is None:
            raise Failure(
                "address-unreadable", f"Use an IP address here; {address.host} is a name."
            )
    return addresses


def typed_stun(args: Namespace, typed: tuple[str, ...]) -> StunPolicy:
    """Return which STUN servers may be asked. *typed*: as in `typed_host_options`. Only what is
    typed now is remembered for all friends."""
    named: list[str] = args.stun or []
    if named and PUBLIC not in named:
        servers = tuple(typed_address(text, DEFAULT_STUN_PORT) for text in named)
        return StunPolicy(StunConsent.ALWAYS, servers)
    if len(set(named)) > 1:
        raise Failure("usage", "After --stun, type either public or the servers to ask, not both.")
    home = open_home(args.home).path
    answered = False if args.no_stun else True if named else None
    if can_ask() and not args.bot:
        if answered is not None and not _STUN_ANSWERS.isdisjoint(typed):
            with suppress(StoreError):  # on failure, the answer counts only this time
                change_settings(home, stun=answered)
        elif answered is None:
            answered = read_settings(home).stun
            if answered is None:
                return StunPolicy(StunConsent.ASK, public_servers(home))
    return StunPolicy(StunConsent.WHERE_NEEDED, public_servers(home)) if answered else NOBODY


def typed_address(text: str, default_port: int | None) -> Address:
    with failures_of(AddressError):
        return parse_address(text, default_port)
