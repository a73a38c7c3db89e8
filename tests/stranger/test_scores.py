"""The program and the stranger score the same hands, and add up the same matches."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ginpeer.rules import moves
from ginpeer.rules.cards import CARDS, RulesError, mask_of
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.rules.score import VOID, HandResult, Outcome
from protocol import messages as m
from tests.stranger import gin
from tests.stranger.compared import Answer
from tests.stranger.refusal import Refusal
from tests.stranger.rule_text import Rules, parse_rules, read
from tests.stranger.scores import Game, Score, next_dealer

# --- hands -----------------------------------------------------------------------------------

# Every way to set the limit, to go round the corner and to count; the limit is the card taken.
HANDS = (
    "standard",
    "classic",
    "standard knock-limit=4 big-gin=50",
    "oklahoma",
    "oklahoma ace-limit=one spades-double=no",
    "oklahoma-floating",
    "standard tie=nobody knock-limit=9",
    "straight",
    "straight spades-double=yes",
    "tedesco",
    "around-the-corner undercut-bonus=0",
    "classic knock-limit=7 spades-double=yes",
    "oklahoma-floating spades-double=yes",
    "oklahoma knock-limit=second-deck ace-pips=15",
)


def _groups(rules: Rules) -> list[list[int]]:
    """All sets, and runs of up to six cards."""
    wraps = rules["runs-wrap"] == "yes"
    groups = [[rank + 13 * suit for suit in suits] for rank in range(13) for suits in _SUITS]
    for suit in range(4):
        for low in range(13):
            for length in range(3, 7):
                if wraps or low + length <= 13:
                    groups.append([13 * suit + (low + i) % 13 for i in range(length)])
    return groups


_SUITS = ([0, 1, 2, 3], [1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2])


def _melded(
    rng: random.Random, rules: Rules, size: int, taken: set[int]
) -> tuple[list[int], list[list[int]]]:
    """A hand of mostly melds and low cards, none of them *taken*, and its melds."""
    cards: list[int] = []
    melds = []
    groups = _groups(rules)
    for group in rng.sample(groups, rng.choice([5, 60, len(groups)])):
        if len(cards) + len(group) <= size and not taken & {*group} and not {*cards} & {*group}:
            melds.append(sorted(group))
            cards += group
    free = [card for card in range(52) if card not in taken and card not in cards]
    rng.shuffle(free)
    if rng.random() < 0.8:
        free.sort(key=lambda card: card % 13)
    return cards + free[: size - len(cards)], melds


def _showdown(rng: random.Random, rules: Rules) -> tuple[m.Knock, m.Spread, int]:
    """A knock, an answer to it, and the knocker's card that was just taken; both often false."""
    cards, melds = _melded(rng, rules, 11, set())
    loose = [card for card in cards if not any(card in meld for meld in melds)]
    if len(loose) >= 4 and rng.random() < 0.1:
        melds.append(sorted(loose.pop() for _ in range(3)))
    discard = max(loose, key=lambda card: card % 13) if loose else None
    if rng.random() < 0.1:
        discard = None
    knock = m.Knock(b"", b"", tuple(cards), discard, tuple(map(tuple, melds)), b"")
    just_taken = rng.choice(cards)

    cards, own_melds = _melded(rng, rules, 10, set(cards))
    loose = [card for card in cards if not any(card in meld for meld in own_melds)]
    layoffs = []
    for card in loose:
        for index, meld in enumerate(melds):
            fits = gin.is_meld(rules, sorted([*meld, card]))
            if rng.random() < (0.8 if fits else 0.005):
                layoffs.append(m.LayOff(card, index))
                break
    spread = m.Spread(tuple(cards), tuple(map(tuple, own_melds)), tuple(layoffs), b"")
    return knock, spread, just_taken


def _stranger_scores(
    rules: Rules,
    knock: m.Knock,
    spread: m.Spread,
    just_taken: int,
    limit_card: int | None,
    doubling_card: int,
) -> Answer:
    try:
        known = gin.Known(set(), {just_taken})
        laid = gin.knock(rules, asdict(knock), 11, known, just_taken, limit_card)
        defence = gin.spread(rules, asdict(spread), gin.Known(set(knock.cards), set()), laid)
    except Refusal as refusal:
        return (refusal.code,)
    won, points = gin.score(rules, laid, defence, doubling_card)
    return (None if won is None else 0 if won else 1), points


def _program_scores(hand: Hand, knock: m.Knock, spread: m.Spread) -> Answer:
    def masks(groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
        return tuple(mask_of(CARDS[card] for card in group) for group in groups)

    def loose(message: m.Knock | m.Spread, other: Sequence[int]) -> int:
        used = {*other, *(card for meld in message.melds for card in meld)}
        return mask_of(CARDS[card] for card in message.cards if card not in used)

    thrown = () if knock.discard is None else (knock.discard,)
    layoffs = tuple((CARDS[layoff.card], layoff.meld) for layoff in spread.layoffs)
    laid_off = [layoff.card for layoff in spread.layoffs]
    try:
        discard = CARDS[knock.discard] if thrown else None
        hand = hand.apply(moves.Knock(discard, masks(knock.melds), loose(knock, thrown)))
        hand = hand.apply(moves.Spread(masks(spread.melds), layoffs, loose(spread, laid_off)))
    except RulesError as error:
        return (error.code,)
    assert hand.result is not None
    return hand.result.winner, hand.result.points


def test_both_score_the_same_hands() -> None:
    rng = random.Random("showdowns")
    seen = set()
    for _ in range(1500):
        text = rng.choice(HANDS)
        program = parse_ruleset(text)
        rules = parse_rules(str(program))
        knock, spread, taken = _showdown(rng, rules)
        limit_card, doubling_card = None if isinstance(rules["knock-limit"], int) else taken, taken
        if rules["knock-limit"] == "second-deck":
            limit_card = doubling_card = rng.randrange(52)
            hand = Hand.begin(program, 1, None, knock_card=CARDS[limit_card], first=1)
            # The other draws and throws the card, so that it can be taken.
            for move in (moves.DrawStock(), moves.Discard(CARDS[taken]), moves.TakeUpcard()):
                hand = hand.apply(move)
        else:
            hand = Hand.begin(program, 1, CARDS[taken]).apply(moves.TakeUpcard())
        outcome = _stranger_scores(rules, knock, spread, taken, limit_card, doubling_card)
        assert outcome == _program_scores(hand, knock, spread), (text, knock, spread, limit_card)
        seen.add(outcome[0])
    assert seen >= {0, 1, None, "knock-over-limit", "not-a-meld", "just-taken", "no-discard"}
    assert seen >= {"no-big-gin", "layoff-does-not-fit", "layoff-on-gin"}


# --- matches ---------------------------------------------------------------------------------

MATCHES = (
    "standard",
    "classic",
    "hollywood",
    "hollywood best-of=3",
    "standard best-of=3",
    "multi-match target=20 multi-match=350",
    "hollywood multi-match target=20 multi-match=700",
    "mahjong",
    "mahjong hollywood",
    "mahjong multi-match",
    "mahjong best-of=5",
    "standard hands=4",
    "mahjong hands=4",
    "standard hands=1 tie=nobody",
    "standard hands=4 target=60",
    "hollywood hands=5 target=40",
    "hollywood hands=7 target=60",
    "mahjong hollywood hands=5 target=100",
    "standard after-void=alternates",
    "hollywood next-dealer=loser",
    "standard next-dealer=winner after-void=alternates tie=nobody",
)
CHANGES = (
    "lead-of-fifty-loses=yes",
    "shutout=none",
    "shutout=double-hands",
    "shutout=double-game-bonus",
    "box=20",
    "game-bonus=0",
)


def _match_text(rng: random.Random) -> str:
    text = rng.choice(MATCHES)
    changes = {word.split("=")[0]: word for word in rng.sample(CHANGES, rng.randrange(4))}
    if "hands" not in text and "target" not in text:
        targets = [80, 100, 150] if "mahjong" in text else [20, 50, 60]
        changes["target"] = f"target={rng.choice(targets)}"
    if "mahjong" in text and "multi-match" in text:
        changes["multi-match"] = "multi-match=700"
    elif "game-bonus" in changes and "multi-match" in text:
        del changes["game-bonus"]
    if "game-bonus" in changes and ("multi-match" in text or "classic" in text):
        changes["shutout"] = "shutout=none"
    if changes.get("shutout") == "shutout=double-game-bonus":
        changes.pop("game-bonus", None)
    return str(parse_ruleset(" ".join([text, *changes.values()])))


def _result(rng: random.Random, rules: Rules) -> HandResult:
    """As a hand by these rules can end, with round leads more often than they come."""
    chance, winner = rng.random(), rng.choice([0, 0, 1])
    if chance < 0.05:
        return VOID
    if rules["mahjong"] == "yes":
        left, others = 5 * rng.randrange(1, 12), 5 * rng.randrange(20)
        laid = rng.choice([5 * rng.randrange(10, 30), max(25 + others - left, 50)])
        points = laid + rules["gin-bonus"]
        return HandResult(
            Outcome.MAHJONG, winner, points, winner, 0, left, other_points=others - left
        )
    bonus, knocker = rules["undercut-bonus"], rng.randrange(1, 11)
    if chance < 0.15:
        if rules["tie"] == "nobody":
            return HandResult(Outcome.TIE, None, 0, 1 - winner, knocker, knocker)
        points = bonus if rules["tie"] == "undercut" else 0
        return HandResult(Outcome.UNDERCUT, winner, points, 1 - winner, knocker, knocker)
    if chance < 0.3:
        points = bonus + knocker
        return HandResult(Outcome.UNDERCUT, winner, points, 1 - winner, knocker, 0)
    points = rng.choice([rng.randrange(1, 40), 10, 20, 25, 50])
    if chance < 0.5:
        return HandResult(Outcome.GIN, winner, points + rules["gin-bonus"], winner, 0, points)
    return HandResult(Outcome.KNOCK, winner, points, winner, knocker, knocker + points)


def test_both_add_up_the_same_match() -> None:
    """Who has won is the same after every hand, and so are the totals at the end."""
    rng = random.Random("matches")
    winners = set()
    for _ in range(800):
        text = _match_text(rng)
        match, score = Match.begin(parse_ruleset(text), 0), Score(parse_rules(text))
        while not match.finished:
            dealer = match.dealer
            if rng.random() < 0.04:
                seat = rng.randrange(2)
                match = match.resign(seat)
                score.resign(seat)
            else:
                result = _result(rng, score.rules)
                match = match.record(result)
                score.enter(result.winner, [result.points_of(0), result.points_of(1)])
                void = result is VOID
                assert match.finished or match.dealer == next_dealer(
                    score.rules, dealer, result.winner, is_void=void
                )
            assert match.finished == score.is_over, match
            assert match.winner == score.winner, match
            assert len(match.games) == len(score.games), match
        assert match.settlement().totals == tuple(score.totals()), match
        winners.add(match.winner)
    assert winners == {0, 1, None}


# --- accounts --------------------------------------------------------------------------------

ACCOUNTS = Path(__file__).parent.parent / "vectors" / "rules" / "accounts.jsonl"


def test_the_stranger_keeps_the_same_accounts_of_149_matches() -> None:
    """Dealers, columns, games, totals: as the vectors have them."""
    accounts = [json.loads(line) for line in ACCOUNTS.read_text("ascii").splitlines()]
    assert len(accounts) == 149
    for account in accounts:
        rules = read(account["rules"])  # its parameters stand in any order
        assert rules is not None
        score, dealers = Score(rules), account["dealers"][:1]
        for hand in account["hands"]:
            winner, *points = hand or (None, 0, 0)
            assert not score.is_over, account
            score.enter(winner, points)
            dealers.append(next_dealer(rules, dealers[-1], winner, is_void=not hand))
        if account["resigned"] is not None:
            score.resign(account["resigned"])
        assert score.is_over
        assert dealers == account["dealers"], account
        assert [_game(game) for game in score.games] == account["games"], account
        assert (score.winner, score.totals()) == (account["winner"], account["totals"]), account


def _game(game: Game) -> dict[str, object]:
    columns = [
        {"points": c.points, "hands_won": c.wins, "winner": c.winner, "totals": c.totals()}
        for c in game.columns
    ]
    return {"columns": columns, "winner": game.winner}
