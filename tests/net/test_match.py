"""End to end: two seats with real decks play over real TCP and TLS."""

import random

from twisted.internet import reactor

from ginpeer.net.connector import connect
from ginpeer.net.in_process import connect_in_process
from ginpeer.rules.melds import ORDINARY
from ginpeer.rules.moves import Discard, DrawStock, Knock, Pass, Spread
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options, Seat
from tests.net.support import GUEST, GUEST_KEY, HOST, HOST_KEY, Party, Recorder, open_house
from tests.toy_group import toy_group

ONE_HAND = Options(parse_ruleset("standard target=1"))


class Knocker(Recorder):
    """A player who draws from the stock, discards the card that leaves the least deadwood, and
    knocks as soon as possible."""

    def choose(self, view):
        moves = view.sensible_moves()
        self.session.play(min(moves, key=lambda move: self.rank(view, move)))

    def rank(self, view, move):
        match move:
            case Knock() | Spread() | Pass():
                return -1
            case Discard(card):
                return ORDINARY.deadwood(view.cards & ~(1 << card))
            case DrawStock():
                return 0
        return 1


class CardParty(Party):
    def _make_seat(self, peer):
        seat = Seat(
            seat=self.seat_number,
            identity=self.identity,
            name=f"player {self.seat_number}",
            rng=random.Random(f"net {self.seat_number}").randbytes,
            now=lambda: 0,
            options=ONE_HAND,
            peer_key=peer.key,
            consents=True,
        )
        self.seats.append(seat)
        return seat


def card_parties():
    return (
        CardParty(HOST, HOST_KEY, player_class=Knocker),
        CardParty(GUEST, GUEST_KEY, player_class=Knocker),
    )


async def test_the_network_and_practice_write_the_same_log(closing):
    """With the same seeds and players, the log doesn't show whether a network was used."""
    with toy_group():
        host, guest = card_parties()
        session = await connect(reactor, open_house(closing, host).invite, guest.side)
        closed = await session.done
        assert (closed.code, closed.failure) == ("finished", None)
        assert (await host.session.done).code == "finished"
        assert host.seat.table.finished
        assert host.journal.entries == guest.journal.entries == list(host.seat.entries)

        practising = card_parties()
        ours, theirs = connect_in_process(practising[0].side, practising[1].side, reactor)
        assert (await ours.done).code == (await theirs.done).code == "finished"
        assert practising[0].journal.entries == practising[1].journal.entries
        assert practising[0].journal.entries == host.journal.entries
