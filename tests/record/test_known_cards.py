"""Which cards are known: the three degrees of knowledge."""

from dataclasses import replace

import pytest

from ginpeer.record import Degree, KnownCards, Record
from ginpeer.rules import Knock, Spread, cards_of, parse_ruleset
from ginpeer.store import Home
from ginpeer.store.log import log_bytes
from ginpeer.store.match_files import file_stem
from protocol.deck.secrets import seed_commitment
from protocol.messages import Disclosure
from tests.cheating.cheat import OtherKey
from tests.matches.recorded import plain_player, recorded
from tests.matches.table_pair import TablePair

# These tests are about seeds and cards, not about proofs.
pytestmark = pytest.mark.usefixtures("in_the_toy_group")

TWO_HANDS = "standard hands=2"


@pytest.fixture(scope="module")
def match():
    """Return a match in which nobody has disclosed a seed."""
    return recorded(TWO_HANDS, Disclosure.NEVER)


@pytest.fixture(scope="module")
def record(match):
    return Record.read(log_bytes(match.entries))


@pytest.fixture(scope="module")
def disclosed():
    return Record.read(log_bytes(recorded(TWO_HANDS).entries))


def hands(record):
    """Return what is known of both hands after each step of a hand."""
    return [(step.hand(0), step.hand(1)) for step in record if step.hand_number]


def test_without_seeds_a_hand_is_known_when_it_is_laid_down(record):
    assert {hand.degree(seat) for hand in record.hands for seat in (0, 1)} == {Degree.PUBLIC}
    opened = 0
    for hand in record.hands:
        shown = {0: None, 1: None}
        for step in hand:
            if isinstance(step.move, Knock | Spread):
                shown[step.author] = cards_of(step.move.cards)
                opened += 1
            for seat in (0, 1):
                assert step.hand(seat) == shown[seat]
                assert step.degree(seat) is (Degree.PUBLIC if shown[seat] else None)
    assert opened == 2 * len(record.hands)
    assert all(step.drawn is None for step in record)


def test_cards_seen_taken_are_in_the_position(disclosed):
    held = 0
    for step in disclosed:
        for seat in (0, 1):
            if step.after is not None and step.after.known_held(seat):
                assert set(cards_of(step.after.known_held(seat))) <= set(step.hand(seat))
                held += 1
    assert held


@pytest.mark.parametrize("seat", [0, 1])
def test_a_players_seeds_show_that_players_hand(match, record, seat):
    own = record.with_seeds(match.seeds[seat])
    assert {hand.degree(seat) for hand in own.hands} == {Degree.OWN}
    assert {hand.degree(1 - seat) for hand in own.hands} == {Degree.PUBLIC}
    dealt = [step for hand in own.hands for step in hand.steps[4:]]
    assert all(step.degree(seat) is Degree.OWN for step in dealt)
    assert all(
        step.drawn is not None for step in own if len(step.entries) == 2 and step.author == seat
    )
    assert all(step.drawn is None for step in own if step.author != seat)


def test_seeds_have_the_same_effect_however_they_are_given(match, record, tmp_path):
    seeds = match.seeds[1]
    home = Home(tmp_path)
    home.matches.mkdir()
    lines = "".join(f"{hand} {seed.hex()}\n" for hand, seed in seeds.items())
    path = home.matches / f"{file_stem(match.table.table_id)}.seeds"
    path.write_text("ginseeds1\n" + lines)
    at_once = Record.read(log_bytes(match.entries), seeds=seeds)
    assert hands(at_once) == hands(record.with_seeds(seeds)) == hands(record.with_home(home))
    assert hands(record) != hands(at_once)
    path.write_text("what is this")
    assert hands(record.with_home(home)) == hands(record)


def test_seeds_from_a_home_supplement_given_ones_which_win(match, record, tmp_path):
    home, seeds = Home(tmp_path), match.seeds[1]
    home.matches.mkdir()
    path = home.matches / f"{file_stem(match.table.table_id)}.seeds"
    path.write_text(f"ginseeds1\n1 {bytes(32).hex()}\n2 {seeds[2].hex()}\n")
    both = record.with_seeds({1: seeds[1]}).with_home(home)
    assert [both.degree(hand, 1) for hand in (1, 2)] == [Degree.OWN, Degree.OWN]
    path.write_text("what is this")
    assert record.with_seeds({1: seeds[1]}).with_home(home).degree(1, 1) is Degree.OWN
    assert both.with_seeds({}).degree(1, 1) is Degree.PUBLIC


@pytest.mark.parametrize("entries", [(), (bytes(100),)])
def test_a_home_has_no_seeds_for_a_log_without_a_valid_entry(entries, tmp_path):
    record = Record.read(log_bytes(entries)).with_home(Home(tmp_path))
    assert record.verdict.entries == 0
    assert record.hands == ()


def test_disclosed_seeds_take_precedence_over_own_seeds(disclosed):
    seeds = recorded(TWO_HANDS).seeds[0]
    assert disclosed.with_seeds(seeds).degree(1, 0) is Degree.DISCLOSED


def test_in_one_players_view_the_other_hand_is_hidden_until_laid_down(disclosed, record):
    for seat in (0, 1):
        seen = disclosed.seen_by(seat)
        for step, all_seen in zip(seen, disclosed, strict=True):
            assert step.hand(seat) == all_seen.hand(seat)
            assert step.degree(1 - seat) in (None, Degree.PUBLIC)


def test_a_view_of_a_view_reveals_nothing_more(disclosed):
    seen = disclosed.seen_by(0)
    assert hands(seen.seen_by(0)) == hands(seen)
    neither = seen.seen_by(1)
    assert {hand.degree(seat) for hand in neither.hands for seat in (0, 1)} == {Degree.PUBLIC}
    assert hands(neither) != hands(seen)
    assert hands(neither.with_seeds(recorded(TWO_HANDS).seeds[1])) == hands(neither)


def test_a_committed_seed_of_a_wrong_length_opens_nothing(match):
    """Its commitment is an ordinary hash, but no cards can have been dealt with such a seed."""
    table = match.table
    first, *others = table.records
    short = seed_commitment(table.table_id, 1, 0, b"short")
    players = (replace(first.players[0], commitment=short), first.players[1])
    lied = replace(first, players=players)
    known_cards = KnownCards(replace(table, records=(lied, *others)), {1: b"short"})
    assert known_cards.degree(1, 0) is Degree.PUBLIC


@pytest.mark.parametrize("liar", [0, 1])
def test_a_committed_seed_that_was_not_used_opens_no_cards(liar):
    """Without disclosure there is no audit, and the commitment alone doesn't prove that the seed
    was used."""
    pair = TablePair("other key", parse_ruleset("standard hands=1"), Disclosure.NEVER)
    seat = pair.performers[liar].seat
    seat._hand_secrets = lambda: OtherKey(seat._seeds[1])
    pair.play(plain_player)
    entries = log_bytes(pair.host.stored)
    lied = Record.read(entries, seeds=pair.performers[liar].seeds)
    assert lied.degree(1, liar) is Degree.OWN
    assert hands(lied) == hands(Record.read(entries))
    assert {step.degree(liar) for step in lied} == {None, Degree.PUBLIC}


@pytest.mark.parametrize(
    "seeds", [{1: bytes(32)}, {1: b"short"}, {1: b""}, {99: bytes(32)}, {0: bytes(31)}]
)
def test_seeds_that_belong_to_no_hand_show_nothing(record, seeds):
    assert hands(record.with_seeds(seeds)) == hands(record)


def test_a_seed_of_one_hand_does_not_show_another_hand(match, record):
    wrong = {1: match.seeds[0][2], 2: match.seeds[0][1]}
    assert hands(record.with_seeds(wrong)) == hands(record)
