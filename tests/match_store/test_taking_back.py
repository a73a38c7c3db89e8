"""Taking back moves in practice, with two homes, real seats, and a crash between the two cuts."""

import pytest
from twisted.internet.task import Clock

from cli.match.bot_player import AutomaticPlayer
from ginpeer.adviser.advise import choose
from ginpeer.adviser.levels import player_at
from ginpeer.match_store.matches import readable_matches
from ginpeer.match_store.table_keeper import Choice, own_choices
from ginpeer.net.in_process import connect_in_process
from ginpeer.net.session import Side
from ginpeer.referee.referee import Referee
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options
from ginpeer.store import Home, read_log
from protocol.entry import entry_hash
from tests.match_store.test_keeper import GUEST_KEY, HOST_KEY, keeper
from tests.matches.table_pair import seeded_rng

pytestmark = pytest.mark.usefixtures("in_the_toy_group")


RULES = Options(parse_ruleset("standard target=1"))


class Player(AutomaticPlayer):
    """A bot that leaves after this many *moves*, and remembers what it could take back."""

    def __init__(self, session, moves, seen, choose):
        super().__init__(session, choose)
        self._moves = moves
        self._seen = seen

    def show(self, event):
        if isinstance(event.message, Choice):
            self._seen[event.before.head] = event.before

    def choose(self, view):
        self._moves -= 1
        if self._moves >= 0:
            super().choose(view)


class Practice:
    """A practice match with a home for each side."""

    def __init__(self, folder, options=RULES):
        self.homes = [Home(folder / role) for role in ("host", "guest")]
        self.seen = {}
        self.keepers = [
            keeper(home, role, options=options, fresh=True)
            for home, role in zip(self.homes, ("host", "guest"), strict=True)
        ]

    def reopen(self):
        """Start the program again."""
        self.close()
        self.seen = {}
        self.keepers = [
            keeper(home, role, only=next(readable_matches(home, role)))
            for home, role in zip(self.homes, ("host", "guest"), strict=True)
        ]

    def close(self):
        for each in self.keepers:
            each.close()

    def play(self, moves, choose=choose):
        """Play until the host has made this many moves. Return the code of the session's end."""
        clock, ended = Clock(), []
        sides = [
            Side(
                identity=key,
                software="test",
                seat_for=each.seat_for,
                player_for=lambda session, left=left: Player(session, left, self.seen, choose),
                journal=each,
                position_for=each.position_for,
            )
            for each, key, left in zip(
                self.keepers, (HOST_KEY, GUEST_KEY), (moves, 10_000), strict=True
            )
        ]
        host, guest = connect_in_process(*sides, clock)
        for session in (host, guest):
            session.done.addCallback(lambda closed: ended.append(closed.code))
        for _ in range(20_000):
            if ended or not clock.getDelayedCalls():
                break
            clock.advance(0.01)
        if not ended:
            host.leave()
            clock.pump([0.01] * 5)
        return ended[0]

    def play_to_the_second_hand(self, choose=choose):
        while self.play(4, choose) == "left":
            if self.keepers[0].live.table.hand_number == 2:
                return
        pytest.fail("no second hand")

    def seeds(self):
        return [dict(each.stored.seeds) for each in self.keepers]

    def logs(self):
        return [tuple(each.stored.entries) for each in self.keepers]

    def place(self, back=1):
        """Return the entry number of the host's latest move, or with *back* = 2, of its last but
        one."""
        entries = self.keepers[0].stored.entries
        return [number for number, _ in own_choices(entries, HOST_KEY.public)][back - 1]

    def cut(self, number, sides=(1, 0)):
        for side in sides:
            each = self.keepers[side]
            table = self.seen.get(entry_hash(each.stored.entries[number - 1]))
            each.take_back(each.seat_at(number, table))


@pytest.fixture
def practice(tmp_path):
    started = Practice(tmp_path)
    yield started
    started.close()


def test_after_taking_back_the_same_cards_come_and_the_log_is_valid(practice):
    practice.play(8)
    before = practice.logs()[0]
    practice.cut(practice.place(back=4))
    practice.play(4)
    # The same moves with the same cards are signed again with the same bytes.
    assert practice.logs()[0] == before == practice.logs()[1]
    practice.cut(practice.place(back=2))
    assert practice.play(10_000) == "finished"
    referee = Referee()
    for raw in practice.logs()[0]:
        referee.admit(raw)
    assert referee.table.finished


@pytest.mark.parametrize("sides", [(1,), (0,), (1, 0)])
def test_after_a_crash_between_the_cuts_the_match_continues(practice, sides):
    practice.play(6)
    whole = practice.logs()[0]
    practice.cut(place := practice.place(back=3), sides)
    assert [len(each) for each in practice.logs()] == [
        place if side in sides else len(whole) for side in (0, 1)
    ]
    practice.reopen()
    assert practice.play(10_000) == "finished"
    host, guest = practice.logs()
    assert host == guest
    assert host[:place] == whole[:place]
    assert [read_log(each.stored.path).entries for each in practice.keepers] == [host, guest]
    assert any(each.stored.notes.taken_back for each in practice.keepers)


def test_a_hand_played_differently_leaves_the_next_hands_seeds_unchanged(tmp_path):
    practice = Practice(tmp_path, Options(parse_ruleset("standard target=500")))
    practice.play_to_the_second_hand()
    seeds = practice.seeds()
    practice.cut([*own_choices(practice.logs()[0], HOST_KEY.public)][-1][0])
    practice.play_to_the_second_hand(player_at(1, seeded_rng("weak")))
    practice.reopen()
    practice.play(3)
    assert practice.logs()[0] == practice.logs()[1]
    for now, before in zip(practice.seeds(), seeds, strict=True):
        assert before.items() <= now.items()
    practice.close()


def test_a_table_is_accepted_only_with_the_entries_that_lead_to_it(practice):
    practice.play(3)
    entries = practice.logs()[0]
    offered = Referee()
    offered.admit(entries[0])
    at = practice.place()
    later = practice.seen.get(entry_hash(entries[at - 1]))
    assert Referee.continue_at(later, entries[:at]).table == later
    # The last table has only the offer: a referee that continued from it would accept any guest.
    for table, led in ((later, ()), (later, entries), (offered.table, entries[:1])):
        with pytest.raises(ValueError, match="don't lead"):
            Referee.continue_at(table, led)
