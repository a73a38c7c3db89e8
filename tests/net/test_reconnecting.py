"""How soon a guest reconnects to its host, depending on the outcome of the last attempt."""

from types import SimpleNamespace

import pytest
from twisted.internet.defer import fail, succeed
from twisted.internet.task import Clock

from ginpeer.net.address import Address
from ginpeer.net.codes import SECRET_BYTES, Invite
from ginpeer.net.connector import Reconnector
from ginpeer.net.interfaces import GuestPort
from ginpeer.net.not_reached import JoinError
from tests.net.support import HOST_KEY

GROWING = [1, 2, 4, 8, 15, 30, 30]


class Guest(GuestPort):
    """A guest that was admitted once, and reconnects to a host that acts as the test says."""

    was_admitted = has_match = is_over = False  # a test may set these
    host_addresses = ()

    def __init__(self, monkeypatch, persistent=False, queues=False):
        self.clock = Clock()
        self.came = []  # when the guest connected
        self.outcome = None
        self.failures = []
        self.told = []
        self.was_admitted = self.has_match = True
        self.is_over = False
        monkeypatch.setattr("ginpeer.net.connector.connect", self._join)
        self.connection = Reconnector(
            self.clock, None, None, self, persistent=persistent, queues=queues
        )

    def on_host_absent(self):
        self.told.append("not there")

    def on_refused(self, code, sentence):
        self.told.append((code, sentence))

    def on_failure(self, code, sentence):
        self.failures.append((code, sentence))

    def on_lost(self):
        self.told.append("gone")

    def _join(self, reactor, invite, side, *, dialler, hole_punch):
        self.invite = invite
        self.came.append(self.clock.seconds())
        return self.outcome()

    def let_in(self, lasting=0.0, was_useful=False):
        """Make the host admit the guest next time, and end that session after *lasting* seconds."""

        def outcome():
            session = SimpleNamespace(begun=self.clock.seconds(), was_useful=was_useful)
            self.clock.callLater(lasting, self.connection.try_later)
            return succeed(session)

        self.outcome = outcome

    def refuse(self, code="table-taken"):
        self.outcome = lambda: fail(JoinError(code, "Not now."))

    def pauses(self, count, lasting=0.0):
        """Return the seconds between the end of each attempt and the start of the next."""
        self.came.clear()
        while len(self.came) <= count:
            self.clock.advance(0.5)
        return [
            later - sooner - lasting
            for sooner, later in zip(self.came, self.came[1:], strict=False)
        ]


@pytest.fixture
def guest(monkeypatch):
    return Guest(monkeypatch)


@pytest.fixture
def refused_newcomer(monkeypatch):
    """Return a function that makes a guest that has never been admitted, and has just been refused
    with this code."""

    def goes(code, **settings):
        guest = Guest(monkeypatch, **settings)
        guest.was_admitted = guest.has_match = False
        guest.refuse(code)
        guest.connection.try_now()
        return guest

    return goes


def test_an_absent_host_is_tried_at_growing_intervals(guest):
    guest.refuse("connection-refused")
    guest.connection.try_later()
    assert guest.pauses(6) == GROWING[1:]


def test_alternating_drops_and_refusals_are_tried_at_growing_intervals_too(guest):
    guest.refuse()
    guest.connection.try_later()
    assert guest.pauses(2) == GROWING[1:3]
    guest.let_in(lasting=0.5)
    assert guest.pauses(3, lasting=0.5) == GROWING[4:7]


@pytest.mark.parametrize(("lasting", "was_useful"), [(30.0, False), (0.5, True)])
def test_a_guest_returns_soon_after_a_useful_session(guest, lasting, was_useful):
    guest.refuse()
    guest.connection.try_later()
    guest.pauses(5)
    guest.let_in(lasting, was_useful)
    assert guest.pauses(3, lasting) == [1, 1, 1]


def test_a_queueing_guest_retries_until_the_table_is_free_and_is_told_once(refused_newcomer):
    guest = refused_newcomer("table-taken", queues=True)
    assert guest.pauses(4) == GROWING[1:5]
    assert guest.told == [("table-taken", "Not now.")]
    guest.refuse("invite-wrong")
    guest.clock.advance(30)
    assert guest.failures == [("invite-wrong", "Not now.")]


def test_a_returning_guest_is_told_of_an_absent_host_but_not_of_a_slow_one(guest):
    guest.refuse()
    guest.connection.try_later()
    guest.pauses(2)
    assert guest.told == []
    guest.refuse("connection-refused")
    guest.clock.advance(30)
    assert guest.told == ["gone"]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("connection-refused", "not there"),
        *((code, (code, "Not now.")) for code in ("both-join", "tor-not-there", "proxy-not-there")),
    ],
)
def test_a_persistent_guest_is_told_once_why_the_host_is_not_reached(refused_newcomer, code, told):
    guest = refused_newcomer(code, persistent=True)
    guest.pauses(4)
    assert guest.told == [told]
    assert not guest.failures
    guest.connection.give_up()
    assert not guest.clock.getDelayedCalls()


def test_a_missing_proxy_is_not_taken_for_a_lost_host(guest):
    guest.refuse("proxy-not-there")
    guest.connection.try_later()
    guest.pauses(3)
    guest.refuse("connection-refused")
    guest.pauses(2)
    assert (guest.told[0], set(guest.told[1:])) == (("proxy-not-there", "Not now."), {"gone"})


def test_a_guest_is_told_again_of_a_refusal_if_it_was_admitted_in_between(guest):
    guest.refuse("invite-wrong")
    guest.connection.try_now()
    guest.pauses(3)
    guest.let_in(0.5)
    guest.pauses(1)
    guest.refuse("invite-wrong")
    guest.pauses(3)
    assert guest.told == 2 * [("invite-wrong", "Not now.")]


@pytest.mark.parametrize("agreed", [True, False])
def test_a_refusal_that_only_the_host_can_lift_is_waited_out_only_in_a_match(guest, agreed):
    guest.has_match = agreed
    guest.refuse("invite-wrong")
    guest.connection.try_now()
    if agreed:
        guest.pauses(3)
        assert guest.told == [("invite-wrong", "Not now.")]
        assert not guest.failures
    else:
        assert guest.failures == [("invite-wrong", "Not now.")]
        assert guest.told == []


@pytest.mark.parametrize(
    ("admitted", "persistent", "code", "waits"),
    [
        (True, False, "both-join", True),
        (False, False, "both-join", False),
        (False, True, "both-join", True),
        (False, True, "invite-wrong", True),
        (True, False, "not-dialled", True),
        (False, True, "not-dialled", False),
        (True, False, "version-mismatch", False),
        (False, True, "version-mismatch", False),
        (False, False, "table-taken", False),
        (False, False, "connection-refused", False),
    ],
)
def test_admitted_and_persistent_guests_wait_for_an_answer_the_host_can_change(
    monkeypatch, admitted, persistent, code, waits
):
    guest = Guest(monkeypatch, persistent=persistent)
    guest.was_admitted, guest.has_match = admitted, False
    guest.refuse(code)
    guest.connection.try_now()
    assert guest.failures == ([] if waits else [(code, "Not now.")])
    assert bool(guest.clock.getDelayedCalls()) is waits


def test_a_guest_that_has_sat_at_the_table_does_not_queue_for_it(monkeypatch):
    """It waits as it does after a lost connection: the host may not have noticed the loss yet."""
    guest = Guest(monkeypatch, queues=True)
    guest.refuse("table-taken")
    guest.connection.try_now()
    assert (guest.told, guest.failures) == ([], [])
    assert guest.pauses(2) == GROWING[1:3]


def test_a_fault_of_our_own_ends_the_attempts(guest):
    guest.outcome = lambda: fail(ZeroDivisionError("a bug"))
    guest.connection.try_now()
    assert [code for code, _ in guest.failures] == ["internal-error"]
    assert not guest.clock.getDelayedCalls()


@pytest.mark.parametrize("code", ["connection-refused", "invite-wrong", "version-mismatch"])
def test_a_guest_that_no_longer_wants_to_connect_is_told_nothing(guest, code):
    """The attempt in progress may still succeed or fail."""
    guest.is_over = True
    guest.refuse(code)
    guest.connection.try_now()
    assert (guest.told, guest.failures) == ([], [])
    assert not guest.clock.getDelayedCalls()


def test_a_moved_hosts_new_address_is_tried_first(guest):
    first = Invite.of(HOST_KEY.public, bytes(SECRET_BYTES), (Address("192.0.2.1", 4466),))
    moved = (Address("192.0.2.9", 4466), Address("192.0.2.1", 4466))
    guest.connection.invite = first
    guest.refuse()
    guest.connection.try_now()
    assert guest.invite == first
    guest.host_addresses = moved
    guest.clock.advance(1)
    assert guest.invite.addresses == moved
    assert (guest.invite.host, guest.invite.secret) == (first.host, first.secret)
    guest.host_addresses = tuple(Address("192.0.2.9", at) for at in range(1, 9))
    guest.clock.advance(2)
    assert len(guest.invite.addresses) == 8
