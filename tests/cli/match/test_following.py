"""A guest that comes back to its host: how soon, after what came of it before."""

from types import SimpleNamespace

import pytest
from twisted.internet.defer import fail, succeed
from twisted.internet.task import Clock

from cli.match.following import Following
from ginpeer.net.join import JoinError

GROWING = [1, 2, 4, 8, 15, 30, 30]


class Guest:
    """Has sat down once, and goes to a host that does what the test says."""

    def __init__(self, monkeypatch):
        self.clock = Clock()
        self.came = []  # when it was at the door
        self.outcome = None
        self.failures = []
        monkeypatch.setattr("ginpeer.net.join.join", self._join)
        self.following = Following(
            self.clock,
            None,
            None,
            persistent=False,
            seated=lambda: True,
            agreed=lambda: True,
            over=lambda: False,
            tell=None,
            failed=lambda *why: self.failures.append(why),
        )

    def _join(self, reactor, invite, side):
        self.came.append(self.clock.seconds())
        return self.outcome()

    def let_in(self, lasting=0.0, advanced=False):
        """The host's next answers: a welcome, and the end of the session after so long."""

        def outcome():
            session = SimpleNamespace(begun=self.clock.seconds(), advanced=advanced)
            self.clock.callLater(lasting, self.following.later)
            return succeed(session)

        self.outcome = outcome

    def refuse(self, code="table-taken"):
        self.outcome = lambda: fail(JoinError(code, "Not now."))

    def pauses(self, count, lasting=0.0):
        """Seconds from the end of each attempt to the next."""
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


def test_a_host_that_is_not_there_is_asked_ever_more_rarely(guest):
    guest.refuse("connection-refused")
    guest.following.later()
    assert guest.pauses(6) == GROWING[1:]


def test_a_host_that_lets_in_only_to_drop_is_asked_as_rarely(guest):
    guest.let_in(lasting=0.5)
    guest.following.later()
    assert guest.pauses(6, lasting=0.5) == GROWING[1:]
    assert not guest.failures


def test_so_is_one_that_drops_and_refuses_in_turn(guest):
    guest.refuse()
    guest.following.later()
    assert guest.pauses(2) == GROWING[1:3]
    guest.let_in(lasting=0.5)
    assert guest.pauses(3, lasting=0.5) == GROWING[4:7]


@pytest.mark.parametrize(("lasting", "advanced"), [(30.0, False), (0.5, True)])
def test_after_a_session_that_was_of_use_the_guest_comes_soon(guest, lasting, advanced):
    guest.refuse()
    guest.following.later()
    guest.pauses(5)
    guest.let_in(lasting, advanced)
    assert guest.pauses(3, lasting) == [1, 1, 1]
