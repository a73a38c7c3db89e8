"""Random input in a real match: nothing breaks the table, and only moves change the hand."""

import io
import random
from functools import partial

import pytest
from twisted.internet.task import Clock

from cli.match.bot_player import AutomaticPlayer
from cli.table.presenter import PersonPresenter, ProgramPresenter
from cli.table.table import HumanTable
from cli.table.table_state import MatchPort
from cli.terminal.console import Console
from cli.terminal.line_input import TypedLine
from cli.text.cards import Style
from ginpeer.adviser.advise import choose
from ginpeer.net.in_process import connect_in_process
from ginpeer.net.session import Side
from ginpeer.rules import parse_ruleset
from ginpeer.seat.seat import Options, Seat
from protocol.crypto.identity import IdentityKey
from tests.cli.seated import CARELESS
from tests.cli.table.script import EVENT
from tests.matches.table_pair import seeded_rng

VOCABULARY = (
    "take draw pass discard knock gin big spread melds layoff deadwood none on 1 2 @0 and , say "
    "hand help sort suit rank words off score rules log resign quit no of clubs k d t p x g s h "
    "lay add meld table show 3 11 to brief"
)
WORDS = VOCABULARY.split()
RANKS, SUITS = "a23456789tjqk", "cdhs"


# These tests are about input and output, not about proofs.
pytestmark = pytest.mark.usefixtures("in_the_toy_group")


class Nowhere:
    """A journal that stores nothing, as nobody will resume the match."""

    def persist_seed(self, table, hand, seed):
        pass

    def persist(self, table, entry):
        pass

    def persist_evidence(self, table, entries):
        raise AssertionError("one of two honest seats was convicted")


class Match:
    """A person at a table, and the bot as the opponent, with real seats and the test's clock."""

    def __init__(self, seed, rules="standard target=1", interactive=True):
        self.clock = Clock()
        self.ends = []
        self.output = io.StringIO()
        console = Console(None, self.output, lambda *call: None, {})
        console.interactive = interactive
        self.table = HumanTable(
            console,
            PersonPresenter(console, Style()) if interactive else ProgramPresenter(console),
            self.clock,
            0,
            MatchPort(),
            settings=CARELESS,  # a random discard is nearly always a mistake
        )
        options = Options(parse_ruleset(rules))
        self.mine, _ = connect_in_process(
            self.side(0, f"{seed}/person", options, lambda session: self.table),
            self.side(1, f"{seed}/bot", Options(), partial(AutomaticPlayer, choose=choose)),
            self.clock,
        )
        self.mine.done.addCallback(lambda why: self.ends.append(self.table.end_session(why)))
        self.table.use_session(self.mine)
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
                self.table.take_seat(made)
            return made

        return Side(identity, "test", seat_for, player_for, Nowhere(), debug=True)

    def settle(self):
        """Run everything that doesn't depend on a person."""
        for _ in range(50):
            self.clock.advance(0)

    def type(self, line):
        self.table.take(TypedLine(line))
        self.settle()


def random_line(rng):
    card = rng.choice(RANKS) + rng.choice(SUITS)
    if rng.random() < 0.4:
        return rng.choice(["", "", "draw", card, f"knock {card}", f"x {card}"])
    some = [rng.choice([*WORDS, card, card * 3]) for _ in range(rng.randrange(1, 7))]
    line = " ".join(some)
    return "score" if line.startswith("resign") and rng.random() < 0.9 else line


@pytest.mark.parametrize("rules", ["standard target=1", "mahjong target=1"])
def test_random_lines_do_not_upset_a_match(rules):
    rng = random.Random(8)
    match = Match("random lines", rules)
    for _ in range(400):
        match.type(random_line(rng))
    assert [end.code for end in match.ends] in ([], ["finished"])
    assert match.mine.ending is None or match.mine.ending.code == "finished"
    shown = match.output.getvalue()
    assert "You draw " in shown
    assert "Traceback" not in shown
    assert "internal-error" not in shown
    match.table.leave()
    match.clock.advance(100)
    match.settle()
    assert len(match.ends) == 1
    assert not match.clock.getDelayedCalls()


PRESETS_TO_PLAY = (
    "classic target=1",
    "oklahoma target=1 first-dealer=guest",
    "tournament target=1 best-of=3 wall=last-discard",
    "oklahoma-floating target=1",
    "tedesco target=1",
    "around-the-corner target=1",
    "straight target=1 opening=either-pile",
    "mahjong target=1 runs-wrap=yes",
)


def typed_to_the_end(match):
    """Type the moves that the bot would choose, to the end. Return everything shown."""
    refused = []
    match.table._presenter.show_refusal = lambda code, sentence: refused.append(sentence)
    for _ in range(1_000):
        if match.ends:
            break
        match.type(str(choose(match.table._state.view)))
        assert refused == []
        if match.table._state.questions.which is not None:  # arrangements with the same deadwood
            match.type("1")
    assert [end.code for end in match.ends] == ["finished"]
    return match.output.getvalue()


@pytest.mark.parametrize("rules", PRESETS_TO_PLAY)
@pytest.mark.deep(keep=2)
def test_a_match_can_be_played_by_typing_each_moves_own_text(rules):
    shown = typed_to_the_end(Match("typed texts", rules))
    assert "the match" in shown


@pytest.mark.parametrize("rules", ["mahjong target=1", "oklahoma knock-limit=second-deck target=1"])
def test_programs_get_every_variant_in_lines_of_one_format(rules):
    lines = typed_to_the_end(Match("typed texts", rules, interactive=False)).splitlines()
    assert all(EVENT.fullmatch(line) and line.isascii() for line in lines)
    kinds = {line.split()[1] for line in lines}
    wanted = {"lay", "can-lay"} if rules.startswith("mahjong") else {"knock", "draw"}
    assert wanted <= kinds
