"""The name and addresses that the other player claims, and which of the addresses we would dial."""

from types import SimpleNamespace

from cli.match.contact import OtherPlayer
from ginpeer.net.address import Address
from ginpeer.store import Home
from protocol.crypto.identity import fingerprint


def test_an_odd_name_is_quoted_before_its_owner_has_signed_anything():
    """Otherwise, a name could pass for part of the question between two matches."""
    other = OtherPlayer(SimpleNamespace(live=None), 0, None)
    other.peer = SimpleNamespace(key=bytes(32), known_as="Ben, by these rules: standard? Yes")
    assert other.name() == '"Ben, by these rules: standard? Yes"'
    other.peer.known_as = "Ben"
    assert other.name() == "Ben"


def test_claimed_addresses_are_dialled_only_at_the_observed_host():
    other = OtherPlayer(SimpleNamespace(live=None), 0, None)
    claimed = (Address("203.0.113.7", 4466), Address("192.168.1.1", 80), Address("10.0.0.1", 22))
    assert other.addresses_at_its_host(claimed) == ()
    other.peer = SimpleNamespace(address="203.0.113.7:50000")
    assert other.addresses_at_its_host(claimed) == claimed[:1]
    # A guest who has lost the connection listens at this address.
    assert other.addresses_at_its_host(claimed[1:]) == claimed[:1]
    other.peer = SimpleNamespace(address="/a/path")
    assert other.addresses_at_its_host(claimed) == ()


def test_a_moved_host_is_looked_for_on_the_internet_or_where_we_met():
    other = OtherPlayer(SimpleNamespace(live=None), 1, None)
    claimed = tuple(
        Address(host, 4466)
        for host in ("203.0.113.9", "2a02:8108::9", "192.168.1.9", "127.0.0.1", "gin.example")
    )
    assert other.addresses_after_move(claimed) == ()
    other.peer = SimpleNamespace(address="203.0.113.7:4466")
    assert other.addresses_after_move(claimed) == claimed[:2]
    other.peer = SimpleNamespace(address="192.168.1.2:4466")
    assert other.addresses_after_move(claimed) == claimed[:3]
    other.peer = SimpleNamespace(address="gin.example:4466")
    assert other.addresses_after_move(claimed) == claimed[:2]
    other.peer = SimpleNamespace(address=f"{'a' * 56}.onion:4466")
    assert other.addresses_after_move(claimed) == ()  # the host would see our address


def test_a_key_that_cannot_be_looked_up_counts_as_not_met(tmp_path):
    known = Home(tmp_path).known_peers(lambda: 0.0)
    known.remember(bytes(32), "192.0.2.1:4466", "Ben")
    other = OtherPlayer(SimpleNamespace(live=None), 0, known)
    assert [other.has_met(key) for key in (bytes(32), b"k" * 32)] == [True, False]
    other.known = None
    assert not other.has_met(bytes(32))
    (tmp_path / "known_peers.json").write_text("?")
    other.known = Home(tmp_path).known_peers(lambda: 0.0)
    assert not other.has_met(bytes(32))


def test_a_command_names_a_friend_by_a_plain_name_of_their_own_or_else_by_the_key(tmp_path):
    known = Home(tmp_path).known_peers(lambda: 0.0)
    other = OtherPlayer(SimpleNamespace(live=None), 0, known)
    assert other.word_for_commands() is None
    other.peer = SimpleNamespace(key=bytes(32))
    assert other.word_for_commands() is None  # the peer hasn't signed a name yet
    known.remember(bytes(32), "192.0.2.1:4466", "Ben")
    assert other.word_for_commands() == "Ben"
    known.remember(b"k" * 32, "192.0.2.2:4466", "ben")
    assert other.word_for_commands() == fingerprint(bytes(32))
    other.peer = SimpleNamespace(key=b"m" * 32)
    known.remember(b"m" * 32, "192.0.2.3:4466", "Mia $(date)")
    assert other.word_for_commands() == fingerprint(b"m" * 32)


def test_nothing_is_saved_or_known_about_the_practice_bot():
    other = OtherPlayer(SimpleNamespace(live=None), 0, None)
    other.peer = SimpleNamespace(key=bytes(32))
    assert other.word_for_commands() is None
    assert other.note_way("Tor", ("listen=:5000",), only=False) is None
    assert not other.is_hidden_from()
