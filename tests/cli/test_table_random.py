"""Anything at all typed at a real match: nothing upsets it, and only moves move it."""

import io
import random

from twisted.internet.task import Clock

from cli.bot_player import QuietBot
from cli.console import Console
from cli.line_input import Line
from cli.table import HumanTable
from cli.table_voice import PersonVoice
from cli.text import Style
from ginpeer.net.local import sit_down
from ginpeer.net.session import Side
from ginpeer.rules import parse_ruleset
from ginpeer.seat.seat import Options, Seat
from protocol.crypto.identity import IdentityKey
from tests.peer.table_pair import seeded_rng

VOCABULARY = (
    "take draw pass discard knock gin big spread melds layoff deadwood none on 1 2 @0 and , say "
    "hand help sort suit rank words off score rules log resign quit no of clubs k d t p x g s h"
)
WORDS = VOCABULARY.split()
RANKS, SUITS = "a23456789tjqk", "cdhs"


class Nowhere:
    """A journal for a match that nobody will go on with."""

    def persist_seed(self, table, hand, seed):
        pass

    def persist(self, table, entry):
        pass

    def persist_evidence(self, table, entries):
        raise AssertionError("one of two honest seats was convicted")


class Match:
    """A person's table opposite the bot, with real seats and no clock but the test's."""

    def __init__(self, seed):
        self.clock = Clock()
        self.ends = []
        self.output = io.StringIO()
        console = Console(None, self.output, lambda *call: None, {})
        console.interactive = True
        self.table = HumanTable(
            console,
            PersonVoice(console, Style()),
            self.clock,
            0,
            log=lambda: None,
            stop=lambda: None,
            named=lambda name: [],
            over=self.ends.append,
        )
        options = Options(parse_ruleset("standard target=1"))
        self.mine, _ = sit_down(
            self.side(0, f"{seed}/person", options, lambda session: self.table),
            self.side(1, f"{seed}/bot", Options(), QuietBot),
            self.clock,
        )
        self.table.sit_down(self.mine)
        self.settle()

    def side(self, seat, name, options, player_for):
        rng = seeded_rng(name)
        identity = IdentityKey(rng(32))

        def seat_for(peer):
            made = Seat(
                seat=seat,
                identity=identity,
                name=("Ada", "Ben")[seat],
                rng=rng,
                now=lambda: 0,
                options=options,
                peer_key=peer.key,
            )
            if seat == 0:
                self.table.own(made)
            return made

        return Side(identity, "test", seat_for, player_for, Nowhere(), debug=True)

    def settle(self):
        """Let everything happen that needs no person."""
        for _ in range(50):
            self.clock.advance(0)

    def type(self, line):
        self.table._take(Line(line))
        self.settle()


def random_line(rng):
    card = rng.choice(RANKS) + rng.choice(SUITS)
    if rng.random() < 0.4:
        return rng.choice(["", "", "draw", card, f"knock {card}", f"x {card}"])
    some = [rng.choice([*WORDS, card, card * 3]) for _ in range(rng.randrange(1, 7))]
    line = " ".join(some)
    return "score" if line.startswith("resign") and rng.random() < 0.9 else line


def test_no_line_upsets_a_match():
    rng = random.Random(7)
    match = Match("random lines")
    for _ in range(400):
        match.type(random_line(rng))
    assert [end.code for end in match.ends] in ([], ["finished"])
    assert match.mine.ending is None or match.mine.ending.code == "finished"
    shown = match.output.getvalue()
    assert "You discard " in shown
    assert "Traceback" not in shown
    assert "internal-error" not in shown
    match.table.leave()
    match.clock.advance(100)
    match.settle()
    assert len(match.ends) == 1
    assert not match.clock.getDelayedCalls()
