"""The program and the stranger follow the same matches by every rule set, and refuse the same lies.

Long matches, in the toy group, are judged without their proofs; four short logs with all of them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from unittest import mock

import pytest

from ginpeer.referee import table as tables
from ginpeer.referee.table import Awaiting, Table
from ginpeer.referee.transitions import final_score
from ginpeer.rules import moves
from ginpeer.rules.cards import CARDS, cards_of, mask_of
from ginpeer.rules.melds import melding
from ginpeer.rules.moves import Move
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.rules.view import View
from ginpeer.store.log import log_bytes
from protocol import messages as m
from protocol.crypto.identity import BadSignature, verify_signature
from protocol.deck.secrets import HandSecrets
from tests.campaign.rule_sets import RULE_SETS
from tests.cheating.cheat import Cheat, RecordedMatch, steady
from tests.cheating.test_audit import play_with
from tests.cheating.test_variants import OtherLays, OtherToss
from tests.matches.table_pair import Chooser, TablePair
from tests.matches.variants import dawdling, lay_of, laying, mahjong
from tests.stranger import group, log, wire
from tests.stranger.compared import Both, Compared, signed
from tests.stranger.refusal import Refusal
from tests.toy_group import toy_group

# --- whole matches, without proofs --------------------------------------------------------------

# The rule sets of the campaigns, with targets of a few hands.
SHORT = {
    "standard": "standard target=30",
    "classic": "classic target=20",
    "tournament": "tournament target=1 best-of=3",
    "oklahoma": "oklahoma target=30",
    "oklahoma-floating": "oklahoma-floating target=30",
    "straight": "straight target=26",
    "tedesco": "tedesco target=1",
    "around-the-corner": "around-the-corner target=30",
    "mahjong": "mahjong target=400",
    "hollywood": "hollywood target=1",
    "multi-match": "multi-match target=2 multi-match=400",
    "oklahoma knock-limit=second-deck next-dealer=loser": (
        "oklahoma knock-limit=second-deck next-dealer=loser target=10"
    ),
    "standard first-dealer=guest next-dealer=winner opening=either-pile": (
        "standard first-dealer=guest next-dealer=winner opening=either-pile target=40"
    ),
    "oklahoma hollywood multi-match": "oklahoma hollywood target=2 multi-match=400",
    "classic lead-of-fifty-loses=yes stake=5": "classic lead-of-fifty-loses=yes stake=5 target=10",
    "tedesco columns=1 hands=6": "tedesco columns=1 hands=2",
    "mahjong runs-wrap=yes wall=last-discard": "mahjong runs-wrap=yes wall=last-discard target=120",
}
STATES = {
    "accept": Awaiting.ACCEPT,
    "cut commit": Awaiting.CUT_COMMIT,
    "cut value": Awaiting.CUT_VALUE,
    "cut reveal": Awaiting.CUT_REVEAL,
    "deal 1": Awaiting.DEAL_COMMIT,
    "deal 2": Awaiting.DEAL_KEY,
    "deal 3": Awaiting.DEAL_DECK,
    "deal 4": Awaiting.DEAL_SHUFFLE,
    "deal 5": Awaiting.DEAL_SHARES,
    "first upcard": Awaiting.UPCARD,
    "second upcard": Awaiting.UPCARD,
    "stock draw": Awaiting.DRAW,
    "draw": Awaiting.DRAW,
    "share": Awaiting.SHARE,
    "discard": Awaiting.DISCARD,
    "last chance": Awaiting.LAST_CHANCE,
    "spread": Awaiting.SPREAD,
    "settle": Awaiting.SETTLE,
    "disclose": Awaiting.DISCLOSE,
    "end": Awaiting.NOTHING,
}
IN_PLAY = ("first upcard", "second upcard", "stock draw", "draw", "discard", "last chance")
PROOFS = {"bad-length", "bad-encoding", "bad-proof"}  # what a match without proofs believes


def is_signed(key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        verify_signature(key, message, signature)
    except BadSignature:
        return False
    return True


@pytest.fixture
def unproven() -> Iterator[None]:
    """Long matches are for the rules: elements are numbers, and who signed a library tells the
    stranger. Its own curve it shows in the short logs, and in test_stranger."""
    with toy_group(), mock.patch.object(group, "signature_holds", is_signed):
        yield


def swapping(view: View) -> Move:
    """Takes from the pile what the other threw, until that ends the hand."""
    throws = [move for move in view.legal_moves() if isinstance(move, moves.Discard)]
    return throws[0] if throws else moves.TakeUpcard()


@cache
def played(text: str, player: Chooser, disclosure: m.Disclosure) -> RecordedMatch:
    return RecordedMatch.of(TablePair(text, parse_ruleset(text), disclosure).play(player))


def follow(match: RecordedMatch) -> Iterator[tuple[int, Both]]:
    """Both before each entry, and after the last; they agree on the way about what is awaited."""
    both = Both(log.Match(unproven=True), (), Table())
    for k, (raw, step) in enumerate(zip(match.entries, match.steps, strict=True)):
        yield k, both
        assert both.agree(raw) == ("admitted", step.after.owed_by)
        stranger, table = both.stranger, both.referee.table
        assert STATES[stranger.state] is table.awaiting
        if stranger.state in IN_PLAY:
            assert stranger.hand.pile == [int(card) for card in table.hand.pile]
            sizes = [len(held) for held in stranger.hand.deck.held]
            assert sizes == [len(hand) for hand in table.deck.hands]
    yield len(match), both


# Readings that no rule set of the campaigns has.
OTHERS = (
    "standard spades-double=yes target=20",
    "oklahoma knock-limit=second-deck ace-limit=one target=10",
    "mahjong spades-double=yes target=80",
    "hollywood hands=4 target=10",
)


def with_a_doubled_hand(rules: str, player: Chooser, disclosure: m.Disclosure) -> RecordedMatch:
    """The first match, by its stake, in which a spade doubles a hand; one hand in four is."""
    for stake in range(1, 60):
        match = played(f"{rules} stake={stake}", player, disclosure)
        stranger = log.Match(unproven=True)
        assert log.judge_entries(stranger, match.entries)["verdict"] == "valid"
        if any(hand.is_doubled for hand in stranger.hands):
            return match
    raise AssertionError("no hand is doubled in 59 matches")


@pytest.mark.usefixtures("unproven")
@pytest.mark.parametrize("rules", [*RULE_SETS, *OTHERS])
@pytest.mark.deep(keep=5)
def test_both_follow_a_match_and_refuse_the_same_lies(rules: str) -> None:
    """Entry by entry; at many of them the player who owes it lies, or resigns."""
    rng = random.Random(rules)
    disclosure = rng.choice(list(m.Disclosure))
    player = laying if "mahjong" in rules else steady
    if "spades-double=yes" in rules:
        match = with_a_doubled_hand(rules, player, disclosure)
    else:
        match = played(SHORT.get(rules, rules), player, disclosure)
    said: Counter[str] = Counter()
    for k, both in follow(match):
        table = both.referee.table
        if k == len(match):
            break
        for lie in lies(match, k, rng):
            said[judge_lie(both.copy(), match.author(k).sign(table, lie))] += 1
        if "resign" in log.ADMITTED[both.stranger.state]:
            if rng.random() < 0.05:
                resign(match, both.copy(), table.owed_by)
        elif k > 1:
            late = match.author(k).sign(table, m.Resign())
            assert judge_lie(both.copy(), late) == "not-allowed-now"
    assert both.stranger.verdict()["verdict"] == "valid"
    assert both.referee.table.finished
    assert said["wrong-score"] >= 4
    assert sum(said[code] for code in said if code not in PROOFS) > 20


WALLS = (
    ("standard hands=3 swap-limit=4", swapping),
    ("standard after-void=alternates first-dealer=host swap-limit=5 hands=3", swapping),
    ("standard next-dealer=loser after-void=alternates swap-limit=4 hands=2 target=3", swapping),
    ("mahjong wall=last-discard hands=1", dawdling),
    ("oklahoma-floating wall=last-discard hands=1", dawdling),
)


@pytest.mark.usefixtures("unproven")
@pytest.mark.parametrize(("rules", "player"), WALLS)
def test_both_follow_hands_that_end_without_a_winner(rules: str, player: Chooser) -> None:
    rng, match = random.Random(rules), played(rules, player, m.Disclosure.AFTER_MATCH)
    states = set()
    for k, both in follow(match):
        states.add(both.stranger.state)
        if k < len(match) and rng.random() < 0.2:
            for lie in lies(match, k, rng):
                judge_lie(both.copy(), match.author(k).sign(both.referee.table, lie))
    assert both.stranger.hands[-1].is_void
    assert ("last chance" in states) == (player is dawdling)


@pytest.mark.usefixtures("unproven")
def test_both_take_the_seeds_of_many_hands_in_several_entries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "MAX_SEEDS", 2)
    monkeypatch.setattr(wire, "MAX_SEEDS", 2)
    pair = TablePair("many hands", parse_ruleset("standard hands=3 swap-limit=4")).play(swapping)
    match = RecordedMatch.of(pair)
    told = [len(step.message.seeds) for step in match.steps if isinstance(step.message, m.Disclose)]
    assert told == [2, 1, 2, 1]
    for k, both in follow(match):
        if k < len(match) and isinstance(message := match.steps[k].message, m.Disclose):
            fewer = match.author(k).sign(both.referee.table, m.Disclose(message.seeds[1:]))
            assert judge_lie(both.copy(), fewer) == "wrong-seed-count"
    assert both.stranger.state == "end"


def judge_lie(both: Both, raw: bytes) -> str:
    """The code by which the referee refuses, and the stranger too, unless it is for a proof."""
    stranger, referee = both.admit(raw)
    if referee[0] in PROOFS:
        assert stranger in (referee, ("admitted", both.stranger.owes))
    else:
        assert stranger == referee, (len(both.referee.entries), raw.hex())
    code: str = referee[0]
    return code


def resign(match: RecordedMatch, both: Both, seat: int) -> None:
    """The match given up here: its disclosures, and both signatures under its score."""
    entry: m.Message = m.Resign()
    while entry is not None:
        table = both.referee.table
        cheat = match.cheat(seat)
        assert both.agree(cheat.sign(table, entry))[0] == "admitted"
        seat, entry = both.referee.table.owed_by, _due(match, both.referee.table)
    assert both.stranger.verdict()["verdict"] == "valid"


def _due(match: RecordedMatch, table: Table) -> m.Message | None:
    """What is owed where no move is."""
    if table.awaiting is Awaiting.SETTLE:
        return final_score(table)
    if table.awaiting is Awaiting.DISCLOSE:
        owed = table.disclosed_next(table.owed_by)
        return m.Disclose(tuple(match.seeds[table.owed_by][number] for number in owed))
    return None


# --- lies that the rules refuse ------------------------------------------------------------------


def lies(match: RecordedMatch, k: int, rng: random.Random) -> list[m.Message]:
    """Some messages that an honest player might not have sent in the place of entry k."""
    table, honest, cheat = match.table_at(k), match.steps[k].message, match.author(k)
    often = rng.random() < 0.2
    match honest:
        case m.Accept():
            return [replace(honest, rules="standard target=1000")]
        case m.DealCommit() | m.DealKey() | m.DealDeck() if often:
            return [replace(honest, toss=b""), replace(honest, toss=bytes(32))]
        case m.Pass() | m.TakeUpcard() | m.DrawStock() | m.TakeDiscards() if often:
            taking = _a_taking(cheat, table, rng)
            return [m.Pass(), m.TakeUpcard(), m.DrawStock(), taking, _a_lay(cheat, table, rng)]
        case m.Discard() | m.Knock() | m.Lay() if often or not isinstance(honest, m.Discard):
            thrown = m.Discard(b"", b"", 0, rng.randrange(52), b"")
            lays = [_a_lay(cheat, table, rng) for _ in range(4 if table.hand.rules.mahjong else 1)]
            return [thrown, _a_knock(cheat, table, rng), _a_knock(cheat, table, rng), *lays]
        case m.Spread():
            return [_a_spread(honest, rng) for _ in range(10)]
        case m.Settle():
            winners = [replace(honest, winner=winner) for winner in m.Winner]
            swapped = (honest.guest_total, honest.host_total)
            return [
                *(lie for lie in winners if lie != honest),
                replace(honest, hands=honest.hands + 1),
                replace(honest, host_total=honest.host_total + 1),
                replace(honest, guest_total=-1 - honest.guest_total),
                replace(honest, host_total=swapped[0], guest_total=swapped[1] + 1),
            ]
        case m.Disclose(seeds):
            others = [(), (*seeds, bytes(32)), seeds[1:], (bytes(32), *seeds[1:])]
            return [m.Disclose(other) for other in others]
    return []


def _numbers(mask: int) -> tuple[int, ...]:
    return tuple(int(card) for card in cards_of(mask))


def _a_knock(cheat: Cheat, table: Table, rng: random.Random) -> m.Knock:
    """With the own cards, mostly, melded as well as can be, mostly."""
    cards, ways = list(cheat.hand(table)), melding(table.hand.rules)
    if rng.random() < 0.1:
        cards[0] = rng.randrange(52)
    hand = mask_of(CARDS[card] for card in cards)
    _, best = ways.best_discards(hand)
    worst = int(best[0]) if best else None  # of one card in two places nothing can be thrown
    discard = rng.choice([None, worst, worst, worst, rng.choice(cards)])
    kept = hand if discard is None else hand & ~CARDS[discard].bit
    melds = list(map(_numbers, rng.choice(ways.arrangements(kept))))
    if melds and rng.random() < 0.2:
        melds.append(melds[0])
    if rng.random() < 0.1:
        melds.append(tuple(sorted(rng.sample([*{*cards}], min(3, len({*cards}))))))
    return m.Knock(b"", b"", tuple(cards), discard, tuple(melds), b"")


def _a_spread(honest: m.Spread, rng: random.Random) -> m.Spread:
    cards = honest.cards
    some = tuple(sorted(rng.sample(cards, min(3, len(cards)))))
    layoff = m.LayOff(rng.choice(cards), rng.randrange(4))
    return rng.choice(
        [
            replace(honest, melds=()),
            replace(honest, layoffs=()),
            replace(honest, melds=(*honest.melds, some)),
            replace(honest, melds=(some,), layoffs=()),
            replace(honest, layoffs=(*honest.layoffs, layoff)),
            replace(honest, melds=(), layoffs=(layoff,)),
            replace(honest, cards=cards[1:]),
            replace(honest, cards=(rng.randrange(52), *cards[1:])),
        ]
    )


def _a_lay(cheat: Cheat, table: Table, rng: random.Random, taken: tuple[int, ...] = ()) -> m.Lay:
    """Of the own cards, true melds and others, on melds that lie there or not."""
    hand = [*cheat.hand(table), *taken]
    found = melding(table.hand.rules).melds_in(mask_of(CARDS[card] for card in hand))
    melds = [_numbers(meld) for meld in rng.sample(found, min(len(found), rng.randrange(3)))]
    if rng.random() < 0.1:
        melds.append(tuple(sorted(rng.sample(hand, min(3, len(hand))))))
    left = [card for card in hand if not any(card in meld for meld in melds)]
    adds = [m.LayOff(card, rng.randrange(7)) for card in left if rng.random() < 0.2]
    cards = [card for meld in melds for card in meld] + [add.card for add in adds]
    if not cards or rng.random() < 0.1:
        cards.append(rng.randrange(52))
    return m.Lay(
        *(b"", b"", tuple(range(len(cards))), tuple(cards), tuple(melds), tuple(adds), b"")
    )


def _a_taking(cheat: Cheat, table: Table, rng: random.Random) -> m.TakeDiscards:
    count = rng.randrange(2, 6)
    taken = tuple(int(card) for card in table.hand.pile[-count:])
    return m.TakeDiscards(count, _a_lay(cheat, table, rng, taken))


# --- short logs, with all proofs -----------------------------------------------------------------

LAYS = (m.Lay, m.TakeDiscards)
DEALS = (m.DealCommit, m.DealKey, m.DealDeck, m.DealShuffle, m.DealShares)


@cache
def recorded(name: str) -> Compared:
    return Compared(name)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("second-deck", (*DEALS, m.Settle, m.Disclose)),
        ("last-discard", (m.Settle,)),
        ("mahjong", (m.TakeDiscards, m.Spread, m.Disclose)),
        ("mahjong-staged", (*LAYS, m.Spread, m.Settle)),
    ],
)
@pytest.mark.deep(keep=1)
def test_both_find_a_variant_valid_and_every_other_value_of_a_field_false(
    name: str, kinds: tuple[type[m.Message], ...]
) -> None:
    """All of its proofs hold; not the proofs of entries that are not as they were."""
    log_, rng = recorded(name), random.Random(name)
    data = log_.path.read_bytes()
    outcome = log_.stranger_judges(data)
    assert outcome[:2] == ("valid", None)
    settlement = final_score(log_.tables[-1])
    assert outcome[-1] == [settlement.host_total, settlement.guest_total]
    codes: Counter[str] = Counter()
    for k in range(len(log_.entries)):
        kind = wire.decode_body(log_.bodies[k])["message"][0].title().replace("_", "")
        if kind in {kind.__name__ for kind in kinds}:
            codes.update(log_.agree(k, raw)[0] for raw in log_.falsified(k, rng))
    assert sum(codes.values()) - codes["admitted"] > 5


def test_both_find_the_same_lays_impossible() -> None:
    compared = recorded("mahjong")
    messages = [wire.decode_body(body)["message"] for body in compared.bodies]
    k = next(k for k, (kind, _) in enumerate(messages) if kind == "take_discards")
    lay = messages[k][1]["lay"]
    nothing = {name: type(value)() for name, value in lay.items()}
    changes = [{"lay": None}, {"lay": nothing}, *({"count": n} for n in (0, 1, 32, 2**32 - 1))]
    for change in ({"positions": b""}, {"cards": lay["cards"] + b"\1"}, {"positions": b"\1\1"}):
        changes.append({"lay": lay | change})
    changes.append({"lay": lay | {"adds": [{"card": 0, "meld": 17}]}})
    for change in changes:
        raw = compared.changed(k, change)
        assert compared.agree(k, raw) == ("malformed", compared.tables[k].owed_by), change


def test_both_refuse_other_encodings_of_a_total_below_zero() -> None:
    compared = recorded("mahjong-staged")
    k, body = len(compared.entries) - 1, compared.bodies[-1]
    kind, settlement = wire.decode_body(body)["message"]
    content = wire._encode(kind, settlement)
    assert body.endswith(bytes([len(content)]) + content)
    total = b"\x18\x09"  # field 3, the zigzag of -5
    assert content.count(total) == 1
    padded, longer = b"\x18\x89\x00", b"\x18\x89\x80\x80\x80\x10"  # than 32 bits
    negative = b"\x18\xfb" + b"\xff" * 8 + b"\1"  # as another type of field has it
    for other in (padded, longer, negative):
        changed = content.replace(total, other)
        raw = body[: -len(content) - 1] + bytes([len(changed)]) + changed
        assert compared.agree(k, signed(compared.author(k), raw)) == ("not-canonical", 1)


def staged(kind: type[m.Message], number: int = 0) -> tuple[int, Cheat, Table]:
    """Where an entry of the staged hand of Mahjong gin stands, and its author, now a cheat."""
    match = mahjong()
    k = [step.sequence for step in match.steps if type(step.message) is kind][number]
    return k, match.author(k), match.table_at(k)


def say(k: int, cheat: Cheat, table: Table, message: m.Message) -> str:
    code, culprit = recorded("mahjong-staged").agree(k, cheat.sign(table, message))
    assert culprit == cheat.seat
    return str(code)


def test_both_know_the_staged_hand() -> None:
    """So that lies made for the one are lies in the other."""
    assert log_bytes(mahjong().entries) == recorded("mahjong-staged").path.read_bytes()


def test_both_refuse_a_lay_of_cards_that_were_not_opened() -> None:
    k, cheat, table = staged(m.Lay)
    claims = {"3c": "3d", "4c": "4d", "5c": "5d"}
    lie = lay_of(cheat, table, "3d4d5d", opened="3c4c5c", shown=claims)
    assert say(k, cheat, table, lie) == "bad-proof"
    honest = lay_of(cheat, table, "3c4c5c")
    others = tuple(p for p in range(11) if p not in honest.positions)[:3]
    assert say(k, cheat, table, replace(honest, positions=others)) == "bad-proof"
    assert say(k, cheat, table, replace(honest, positions=(0, 1, 11))) == "bad-proof"
    assert say(k, cheat, table, replace(honest, cards=honest.cards[::-1])) == "bad-proof"
    assert say(k, cheat, table, replace(honest, hand=b"", argument=b"")) == "bad-length"


def test_both_refuse_a_lay_after_which_other_cards_were_taken() -> None:
    k, cheat, table = staged(m.TakeDiscards)
    wrong = [*(int(card) for card in table.hand.pile[-2:]), int(CARDS[4 + 13])]
    lie = lay_of(cheat, table, "add Ts@2", opened="Kd", shown={"Kd": "Ts"}, taken=wrong)
    assert say(k, cheat, table, m.TakeDiscards(3, lie)) == "bad-proof"
    lie = lay_of(cheat, table, "add 9s@2", taken=wrong)
    assert say(k, cheat, table, m.TakeDiscards(3, lie)) == "lowest-not-laid"


def test_both_let_nobody_keep_only_the_card_that_may_not_be_thrown() -> None:
    k, cheat, table = staged(m.DrawStock, -1)
    both = recorded("mahjong-staged").at(k)
    assert both.agree(cheat.sign(table, m.TakeUpcard())) == ("admitted", cheat.seat)
    table = both.referee.table
    for text, outcome in (
        ("add 9s@2 8s@2", ("just-taken", cheat.seat)),
        ("add 9s@2", ("admitted", cheat.seat)),
    ):
        lay = lay_of(cheat, table, text)
        assert both.copy().agree(cheat.sign(table, lay)) == outcome


def test_both_refuse_a_riffle_of_one_card() -> None:
    match = mahjong()
    k, cheat, table = staged(m.Discard, -1)
    honest = match.steps[k].message
    (last,) = table.deck.hands[cheat.seat]
    for lie, code in (
        (replace(honest, hand=last.encoded), "bad-length"),
        (replace(honest, argument=bytes(416)), "bad-length"),
        (replace(honest, position=1), "bad-proof"),
    ):
        assert say(k, cheat, table, lie) == code


# --- the audit -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("secrets", "liar", "rules", "player"),
    [
        (OtherToss, 0, "standard knock-limit=second-deck target=1", steady),
        (OtherToss, 1, "standard knock-limit=second-deck target=1", steady),
        (OtherLays, 0, "mahjong target=1", laying),
    ],
)
@pytest.mark.deep(keep=1)
def test_both_find_a_toss_or_riffle_that_is_not_from_the_seed(
    secrets: type[HandSecrets], liar: int, rules: str, player: Chooser
) -> None:
    """Every proof on the way holds, for the stranger as for the referee."""
    pair = play_with(secrets, liar, m.Disclosure.AFTER_MATCH, "toss", parse_ruleset(rules), player)
    seat = pair.performers[1 - liar].seat
    stranger = log.Match()
    assert log.judge_entries(stranger, seat.entries)["verdict"] == "incomplete"
    cheat = Cheat(liar, pair.identities[liar], pair.performers[liar].seeds)
    seeds = tuple(cheat.seeds[number] for number in seat.table.undisclosed(liar))
    raw = cheat.sign(seat.table, m.Disclose(seeds))
    assert Both(stranger, seat.entries, seat.table).agree(raw) == ("audit-failed", liar)


def test_both_audit_the_commitment_to_a_toss_of_which_no_half_was_shown() -> None:
    pair = TablePair("toss", parse_ruleset("standard knock-limit=second-deck first-dealer=host"))
    host, guest = pair.performers
    host.seat._hand_secrets = lambda: OtherToss(host.seeds[1])  # type: ignore[method-assign]
    guest.perform(guest.seat.receive(host.outbox.pop(0)))
    host.perform(host.seat.receive(guest.outbox.pop(0)))
    both = Both(log.Match(), (), Table())
    for raw in host.seat.entries:
        assert both.agree(raw)[0] == "admitted"
    cheats = [Cheat(s, pair.identities[s], pair.performers[s].seeds) for s in (0, 1)]
    assert both.agree(cheats[1].sign(both.referee.table, m.Resign())) == ("admitted", 0)
    for seat in (0, 1):
        table = both.referee.table
        assert both.agree(cheats[seat].sign(table, final_score(table)))[0] == "admitted"
    raw = cheats[0].sign(both.referee.table, m.Disclose((cheats[0].seeds[1],)))
    assert both.agree(raw) == ("audit-failed", 0)


def test_the_stranger_audits_shares_and_openings_too() -> None:
    """Proofs say the same of them, so only a log that was not proven can be false in them."""
    compared = recorded("mahjong")
    k = len(compared.entries) - 1
    stranger = compared.at(k).stranger
    ((seat, (hand,)),) = stranger.disclosures
    (seed,) = wire.decode_body(compared.bodies[k])["message"][1]["seeds"]
    hand.deck.audit(stranger.table, hand.number, seat, seed)
    for kept in (hand.deck.shares, hand.deck.opened):
        kept[seat][-1], last = (kept[seat][-1][0], kept[seat][0][1]), kept[seat][-1]
        with pytest.raises(Refusal, match="audit-failed"):
            hand.deck.audit(stranger.table, hand.number, seat, seed)
        kept[seat][-1] = last
