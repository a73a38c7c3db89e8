"""A whole match of every preset between two bots, over real TCP and TLS, verified from its log.

The series are cut short by lower targets; ``python -m tests.campaign.matches`` plays them in full,
between processes. Here only the first is played in the real group: the others differ in rules.
"""

import contextlib
import random

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from ginpeer.bot.play import choose
from ginpeer.net.connector import connect
from ginpeer.referee.referee import Finding, judge
from ginpeer.rules import PRESETS, parse_ruleset
from ginpeer.seat.seat import Options, Seat
from tests.campaign.rule_sets import MIXES
from tests.net.support import GUEST, GUEST_KEY, HOST, HOST_KEY, Party, Recorder, open_house
from tests.toy_group import toy_group

SHORT = {
    "standard": "standard target=20",
    "classic": "classic target=20",
    "tournament": "tournament target=1 best-of=3",
    "oklahoma": "oklahoma target=20",
    "oklahoma-floating": "oklahoma-floating target=20",
    "straight": "straight target=1",
    "tedesco": "tedesco target=20",
    "around-the-corner": "around-the-corner target=20",
    "mahjong": "mahjong target=1",
    "hollywood": "hollywood target=10",
    "multi-match": "multi-match target=20 multi-match=150",
    "oklahoma knock-limit=second-deck next-dealer=loser": (
        "oklahoma knock-limit=second-deck next-dealer=loser target=20"
    ),
    "standard first-dealer=guest next-dealer=winner opening=either-pile": (
        "standard first-dealer=guest next-dealer=winner opening=either-pile target=20"
    ),
    "oklahoma hollywood multi-match": "oklahoma hollywood multi-match=275 target=10",
    "classic lead-of-fifty-loses=yes stake=5": "classic lead-of-fifty-loses=yes stake=5 target=20",
    "tedesco columns=1 hands=6": "tedesco columns=1 hands=3",
}
"""Where a whole match by the preset alone would take long."""

GAMES = [*PRESETS, *MIXES]


class Bot(Recorder):
    def choose(self, view):
        self.session.play(choose(view))


class CardParty(Party):
    rules = "standard"

    def _make_seat(self, peer):
        seat = Seat(
            seat=self.seat_number,
            identity=self.identity,
            name=("Ann", "Bob")[self.seat_number],
            rng=random.Random(f"{self.rules} {self.seat_number}").randbytes,
            now=lambda: 0,
            options=Options(parse_ruleset(self.rules)),
            peer_key=peer.key,
            consents=True,
        )
        self.seats.append(seat)
        return seat


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.deep(keep=2)
@ensureDeferred
async def test_two_bots_finish_a_match_that_is_valid(closing, game):
    with contextlib.nullcontext() if game == GAMES[0] else toy_group():
        await play(closing, SHORT.get(game, game))


async def play(closing, rules):
    host = CardParty(HOST, HOST_KEY, player_class=Bot)
    guest = CardParty(GUEST, GUEST_KEY, player_class=Bot)
    host.rules = guest.rules = rules
    session = await connect(reactor, open_house(closing, host).invite, guest.side)
    closed = await session.done
    assert (closed.code, closed.failure) == ("finished", None)
    assert (await host.session.done).code == "finished"
    assert host.journal.entries == guest.journal.entries
    verdict = judge(host.journal.entries)
    assert verdict.finding is Finding.VALID
    match = verdict.table.match
    assert match.rules == parse_ruleset(rules)
    assert match.finished
    assert verdict.table.hand_number == len(match.results)
