"""What a guest reads if no address in its invite has led to the host."""

import errno
import socket

import pytest
from twisted.internet.defer import CancelledError
from twisted.internet.error import (
    ConnectError,
    ConnectingCancelledError,
    ConnectionRefusedError,
    DNSLookupError,
    NoRouteError,
    TCPTimedOutError,
    TimeoutError,
)

from ginpeer.net.address import Address, onion_host, parse_address
from ginpeer.net.not_reached import FailedAttempt, connect_failure, join_error
from ginpeer.net.socks import PROXY_REFUSALS, SocksError
from tests.net.test_onion_address import ONION

HOME, OUTSIDE, SIX = "192.168.1.20:4466", "203.0.113.4:4466", "[2a02:8108::7]:4466"


def failed_attempts(*outcomes):
    """Return failed attempts to connect. *outcomes*: an address and an error for each."""
    attempts = []
    for text, error in outcomes:
        address = parse_address(text)
        failure = connect_failure(address, error)
        attempts.append(FailedAttempt(address, failure.code, failure.sentence))
    return tuple(attempts)


@pytest.mark.parametrize(
    ("outcomes", "code", "cause", "ask"),
    [
        (
            {"home": TimeoutError(), "outside": TimeoutError()},
            "connect-timeout",
            "nobody answers; most likely the host's router or firewall",
            f'"Nothing answers at {OUTSIDE}. Your router must forward TCP port 4466',
        ),
        (
            {"home": TimeoutError(), "outside": ConnectionRefusedError()},
            "host-unreachable",
            "nobody is waiting there, or the host's router refused",
            f'"My connection to {OUTSIDE} was refused. Are you still waiting?',
        ),
        (
            {"home": ConnectionRefusedError(), "six": TimeoutError()},
            "host-unreachable",
            "nobody answers; most likely the host's router or firewall",
            f'"Nothing answers at {SIX}.',
        ),
        (
            {"home": TimeoutError()},
            "connect-timeout",
            "the invite works only inside the host's own network",
            '"Your invite works only in your home.',
        ),
        (
            {"home": NoRouteError(), "outside": NoRouteError(), "six": NoRouteError()},
            "unreachable",
            "your machine can't reach any of the host's addresses",
            "Are you online?",
        ),
        (
            {"home": TimeoutError(), "six": NoRouteError()},
            "host-unreachable",
            "the addresses in the invite can't be found",
            '"Please check the addresses in your invite;',
        ),
    ],
    ids=["router drops", "router refuses", "IPv6 closed", "home only", "offline", "no IPv6 here"],
)
def test_the_likeliest_cause_comes_first_and_advice_for_the_host_last(outcomes, code, cause, ask):
    places = {"home": HOME, "outside": OUTSIDE, "six": SIX}
    error = join_error(failed_attempts(*((places[name], why) for name, why in outcomes.items())))
    assert error.code == code
    assert error.sentence.startswith(f"Couldn't reach the host: {cause}")
    assert ask in error.sentence
    end = error.sentence.index(ask)
    for name in outcomes:
        assert error.sentence.index(places[name]) < end  # every outcome is named before that


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (ConnectionRefusedError(), "connection-refused", "ginpeer isn't listening on that port"),
        (TCPTimedOutError(), "connect-timeout", "no answer in time"),
        (TimeoutError(), "connect-timeout", "no answer in time"),
        (CancelledError(), "connect-timeout", "no answer in time"),
        (ConnectingCancelledError(Address("127.0.0.1", 1)), "connect-timeout", "no answer in time"),
        (DNSLookupError(), "unknown-host", "no host with that name"),
        (NoRouteError(), "unreachable", "can't be reached from this network"),
        (ConnectError(errno.ENETUNREACH), "unreachable", "can't be reached from this network"),
        (ConnectError(errno.EHOSTUNREACH), "unreachable", "can't be reached from this network"),
        (ConnectError(errno.EPERM), "cannot-connect", "this machine's own firewall"),
        (ConnectError(errno.EACCES), "cannot-connect", "this machine's own firewall"),
        (ConnectError(errno.EADDRNOTAVAIL), "cannot-connect", "cannot assign requested address"),
        (ConnectError("odd"), "cannot-connect", "this machine couldn't connect."),
        (ZeroDivisionError("odd"), "cannot-connect", "this machine couldn't connect."),
    ],
)
def test_no_message_contains_the_name_of_an_exception_class(error, code, says):
    failure = connect_failure(Address("gin.example", 4466), error)
    assert failure.code == code
    assert failure.sentence.startswith("gin.example:4466: ")
    assert failure.sentence.endswith(".")
    assert says in failure.sentence
    assert type(error).__name__ not in failure.sentence


@pytest.mark.parametrize(
    ("number", "says"), [(10013, "this machine's own firewall"), (10050, "network is down.")]
)
def test_a_socket_error_of_windows_is_recognised(monkeypatch, number, says):
    monkeypatch.setattr(errno, "WSAEACCES", 10013, raising=False)
    monkeypatch.setattr(socket, "errorTab", {10050: "Network is down."}, raising=False)
    sentence = connect_failure(Address("gin.example", 4466), ConnectError(number)).sentence
    assert says in sentence
    assert not sentence.endswith("..")


def test_an_onion_address_without_tor_is_explained_by_the_missing_tor():
    onion = Address(onion_host(bytes(32)), 4466)
    without = FailedAttempt(onion, "tor-not-there", f"{onion}: no Tor runs here.")
    error = join_error((*failed_attempts((OUTSIDE, TimeoutError())), without))
    assert "the onion address needs Tor, which isn't running on this machine" in error.sentence
    assert error.sentence.endswith("Start Tor (the package tor, or Tor Browser), and join again.")


@pytest.mark.parametrize("refusal", [0x01, 0x04, 0x05, 0x06, 0xF0])
@pytest.mark.parametrize("home", [True, False])
def test_no_router_is_blamed_for_an_onion_address_that_does_not_answer(refusal, home):
    error = SocksError(*PROXY_REFUSALS[refusal])
    rest = [(HOME, TimeoutError())] if home else []
    sentence = join_error(failed_attempts(*rest, (str(ONION), error))).sentence
    assert sentence.startswith("Couldn't reach the host: nobody answers at the onion address.")
    assert sentence.endswith(
        f'"Nothing answers at {ONION}. Are you still waiting, and is your Tor running?"'
    )
    sentence = join_error(failed_attempts((OUTSIDE, TimeoutError()), (str(ONION), error))).sentence
    assert f'"Nothing answers at {OUTSIDE}. Your router must forward' in sentence


@pytest.mark.parametrize("code", ["proxy-not-there", "tor-not-there"])
@pytest.mark.parametrize("where", [HOME, OUTSIDE, str(ONION), "127.0.0.1:4466"])
def test_the_host_is_not_blamed_for_a_missing_proxy_or_tor(code, where):
    error = join_error(failed_attempts((where, SocksError(code, "Why."))))
    assert (
        error.sentence
        == f"Couldn't reach the host: your proxy or Tor didn't connect. {where}: Why."
    )
    assert error.code == code


@pytest.mark.parametrize(
    ("error", "ask"),
    [
        (TimeoutError(), '"Your firewall must let ginpeer in on TCP port 4466."'),
        (ConnectionRefusedError(), '"Are you still waiting?"'),
    ],
)
@pytest.mark.parametrize("outside", [True, False])
def test_equal_home_addresses_are_not_taken_for_one_network(error, ask, outside):
    attempts = failed_attempts((HOME, error), *([(OUTSIDE, TimeoutError())] if outside else []))
    sentence = join_error(attempts, ("192.168.1.77",)).sentence
    assert "you are in one network" not in sentence
    assert "If you are on the host's network, " in sentence
    assert ask in sentence
    elsewhere = sentence.partition("If you are somewhere else: ")[2]
    assert f"Nothing answers at {OUTSIDE}" in elsewhere if outside else "--advertise" in elsewhere
    for own in ((), ("192.168.7.77",), ("10.0.0.1", "2a02:8108::1")):
        assert "If you are on the host's network" not in join_error(attempts, own).sentence


def test_a_home_address_without_a_route_is_not_taken_for_an_onion_address():
    sentence = join_error(failed_attempts((HOME, NoRouteError()))).sentence
    assert sentence.startswith("Couldn't reach the host: your machine can't reach any of ")


@pytest.mark.parametrize("error", [TimeoutError(), ConnectionRefusedError()])
def test_failures_at_our_own_address_say_nothing_about_the_host(error):
    own = (parse_address(HOME).host,)
    sentence = join_error(failed_attempts((HOME, error), (OUTSIDE, TimeoutError())), own).sentence
    assert HOME not in sentence
    assert "If you are on the host's network" not in sentence
    assert f"Nothing answers at {OUTSIDE}" in sentence
    alone = join_error(failed_attempts((HOME, error)), own).sentence
    assert "every address in the invite is this machine's own" in alone


def test_another_key_at_our_own_address_is_not_reported_as_a_wrong_key():
    met = FailedAttempt(parse_address(HOME), "pinned-key-mismatch", "WRONG KEY")
    error = join_error((met, *failed_attempts((OUTSIDE, TimeoutError()))), (met.address.host,))
    assert "WRONG KEY" not in error.sentence


@pytest.mark.parametrize(
    ("where", "own"),
    [("203.0.113.4", "203.0.113.77"), ("fd00::7", "2a02:8108::1"), ("fd00::7", "fd00::1")],
)
def test_only_home_addresses_may_hint_at_one_network(where, own):
    error = join_error(failed_attempts((str(Address(where, 4466)), TimeoutError())), (own,))
    assert "on the host's network" not in error.sentence


@pytest.mark.parametrize(
    ("errors", "cause"),
    [
        (
            (NoRouteError(), DNSLookupError(), ConnectError()),
            "the addresses in the invite can't be found",
        ),
        ((NoRouteError(), ConnectError()), "your machine can't reach any of the host's addresses"),
    ],
)
def test_several_causes_with_the_same_result_are_summarised(errors, cause):
    attempts = failed_attempts(*((f"203.0.113.{at}:4466", why) for at, why in enumerate(errors, 1)))
    assert cause in join_error(attempts).sentence


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_an_invite_to_ones_own_machine_only_is_explained(host):
    error = join_error(failed_attempts((f"{host}:4466", ConnectionRefusedError())))
    assert "every address in the invite is this machine's own" in error.sentence


def test_the_hosts_answer_takes_precedence_over_unreached_addresses():
    met = FailedAttempt(parse_address(HOME), "invite-used", "The invite is used.")
    error = join_error((*failed_attempts((OUTSIDE, TimeoutError())), met))
    assert (error.code, error.sentence) == ("invite-used", "The invite is used.")
