"""Which addresses a host guesses for its invite, whatever networks its machine has."""

import socket
from contextlib import contextmanager

import pytest

from ginpeer.net import address
from ginpeer.net.address import AddressError, guess_addresses, parse_address


class Networks:
    """Stands in for socket.socket: which address a packet to the outside would leave from."""

    def __init__(self, monkeypatch, v4, v6):
        self.ours = {socket.AF_INET: v4, socket.AF_INET6: v6}
        self.asked = []
        monkeypatch.setattr(address.socket, "socket", self)

    @contextmanager
    def __call__(self, family, kind):
        self.asked.append(family)
        self.family = family
        yield self

    def connect(self, where):
        if self.ours[self.family] is None:
            raise OSError("Network is unreachable")

    def getsockname(self):
        return (self.ours[self.family], 0)


@pytest.mark.parametrize(
    ("host", "v4", "v6", "guessed"),
    [
        ("0.0.0.0", "192.0.2.7", "2001:db8::7", ["192.0.2.7", "127.0.0.1"]),
        ("::", "192.0.2.7", "2001:db8::7", ["192.0.2.7", "2001:db8::7", "127.0.0.1"]),
        ("::", None, "2001:db8::7", ["2001:db8::7", "127.0.0.1"]),
        ("::", "192.0.2.7", None, ["192.0.2.7", "127.0.0.1"]),
        ("::", "192.0.2.7", "no address", ["192.0.2.7", "127.0.0.1"]),
        ("::", "127.0.0.1", "::1", ["127.0.0.1"]),
        ("::", "169.254.1.1", "fe80::1", ["127.0.0.1"]),
        ("::", "0.0.0.0", "::", ["127.0.0.1"]),
    ],
)
def test_what_can_be_reached_is_guessed_and_nothing_else(monkeypatch, host, v4, v6, guessed):
    Networks(monkeypatch, v4, v6)
    assert [each.host for each in guess_addresses(host, 4466)] == guessed


def test_a_host_that_hears_one_kind_of_address_is_not_asked_for_the_other(monkeypatch):
    networks = Networks(monkeypatch, "192.0.2.7", "2001:db8::7")
    guess_addresses("0.0.0.0", 4466)
    assert networks.asked == [socket.AF_INET]


@pytest.mark.parametrize("text", ["[::1", "[::1]x", "[", "[::1]4466"])
def test_a_bracket_that_is_open_is_no_address_even_where_the_port_may_be_left_out(text):
    with pytest.raises(AddressError) as caught:
        parse_address(text, 4466)
    assert "should look like" in caught.value.sentence
