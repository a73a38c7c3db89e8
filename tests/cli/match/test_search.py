"""Where a host looks for its guest: by a reply, and by what the guest has said of itself."""

from types import SimpleNamespace

import pytest

from cli.match.hosting import Search
from ginpeer.net.address import Address
from ginpeer.net.reply import ReplyError

REPLIED = (Address("203.0.113.7", 4466), Address("192.168.2.2", 4466))


class Listening:
    seated = False

    def __init__(self):
        self.dialled = []

    def meet(self, reply):
        self.dialled.append(REPLIED)
        return REPLIED

    def may_dial(self, address):
        return not address.host.startswith("127.")

    def dial(self, addresses):
        self.dialled.append(tuple(addresses))


@pytest.fixture
def search(monkeypatch):
    monkeypatch.setattr(
        "cli.match.hosting.parse_reply", lambda text: SimpleNamespace(guest=bytes(16))
    )
    match = SimpleNamespace(
        voice=SimpleNamespace(dialling=lambda *_: None),
        reactor=SimpleNamespace(callLater=lambda *_: None),
    )
    return Search(match, Listening())


def test_what_a_guest_says_of_itself_does_not_replace_its_reply(search):
    search.meet("ginr1-...")
    search.look(())
    search.look(REPLIED[:1])
    search.look((Address("127.0.0.1", 22),))
    assert search._listening.dialled == [REPLIED]
    moved = Address("203.0.113.7", 5000)
    search.look((moved,))
    assert search._listening.dialled == [REPLIED, (moved, *REPLIED)]


def test_a_paste_that_is_no_reply_changes_nothing():
    search = Search(SimpleNamespace(), Listening())
    with pytest.raises(ReplyError):
        search.meet("nonsense")
    assert search._listening.dialled == []
