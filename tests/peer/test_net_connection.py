"""A connection's own steps, without a network: what it counts, says and keeps when it closes."""

import pytest
from pytest_twisted import ensureDeferred

from ginpeer.net import connection
from ginpeer.net.connection import MAX_UNANSWERED, _Phase
from ginpeer.net.tls import TLSRefused
from protocol.frames import Goodbye
from tests.fuzz.door import Door

from .net_support import a_host, open_house, rude_guest, until


class Wire:
    """A transport that writes down what is done to it."""

    def __init__(self):
        self.written = []
        self.closed = self.aborted = 0
        self.transport = self

    def write(self, data):
        self.written.append(data)

    def loseConnection(self):
        self.closed += 1

    def abortConnection(self):
        self.aborted += 1

    def unregisterProducer(self):
        pass

    def getHandle(self):
        return None


@pytest.fixture
def door():
    made = Door(a_host().side)
    made.transport = Wire()
    return made


def test_whoever_reads_may_send_as_much_as_it_likes(door):
    for _ in range(3):
        door.bytes_came(MAX_UNANSWERED + 1)
    assert (door.transport.aborted, door.failed) == (0, None)


def test_whoever_does_not_read_may_send_so_much(door):
    door.pauseProducing()
    door.bytes_came(MAX_UNANSWERED)
    assert door.transport.aborted == 0
    door.bytes_came(1)
    assert door.transport.aborted
    assert (door.failed.code, door.failed.failure) == ("peer-not-reading", "A")


def test_reading_again_begins_the_count_anew(door):
    door.pauseProducing()
    door.bytes_came(MAX_UNANSWERED)
    door.resumeProducing()
    door.bytes_came(1)
    door.pauseProducing()
    door.bytes_came(MAX_UNANSWERED)
    assert door.transport.aborted == 0


def test_while_we_close_it_counts_too(door):
    door.part(None)
    door.bytes_came(MAX_UNANSWERED + 1)
    assert door.transport.aborted


def test_who_has_parted_says_nothing_more(door):
    door.part(Goodbye("left", "Bye."))
    assert (len(door.transport.written), door.transport.closed) == (1, 1)
    door.part(Goodbye("left", "And another thing."))
    assert (len(door.transport.written), door.transport.closed) == (1, 1)


def test_before_the_keys_are_known_nothing_is_said(door):
    door._phase = _Phase.SECURING
    door.part(Goodbye("left", "Bye."))
    assert (door.transport.written, door.transport.aborted) == ([], 1)


def test_what_tls_refuses_is_cut_off_with_its_code(door, monkeypatch):
    def refusing(_):
        raise TLSRefused("wrong-alpn", "The other side speaks something else.")

    monkeypatch.setattr(connection, "secured", refusing)
    door._phase = _Phase.SECURING
    door._secured()
    assert (door.failed.code, door.failed.failure) == ("wrong-alpn", "A")
    assert (door.transport.aborted, door.transport.written) == (1, [])


@ensureDeferred
async def test_strangers_of_a_host_that_stops_are_cut_off_for_that(closing):
    listening = open_house(closing, a_host())
    stranger = await rude_guest(closing, listening.port)
    (met,) = listening._hall.strangers
    await listening.stop()
    await until(lambda: stranger.lost)
    assert (met.failed.code, met.failed.failure) == ("host-stopped", None)
