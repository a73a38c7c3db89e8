"""Matches under random combinations of rules, played at random, some with lies.

The page's verifier and the program must give the same verdict on each, and find the same steps in
it. Everything is in the toy group, and only logs are exchanged. ``tests.campaign.random_matches``
plays thousands.
"""

from __future__ import annotations

import random
from collections import Counter

from ginpeer.rules.hand import Phase
from ginpeer.rules.ruleset import RuleSet
from ginpeer.store.log import log_bytes
from protocol.messages import Disclosure
from tests import page_build
from tests.cheating.cheat import RecordedMatch
from tests.fuzz.odd import Odd
from tests.matches.table_pair import TablePair
from tests.page_verifier.asked import random_move, random_rules
from tests.page_verifier.compare import TOY_JUDGE, compared, lacking
from tests.page_verifier.mutants import claims, signed

_TARGETS = (1, 5, 10, 25, 26, 40, 60, 75, 100, 150)
_LONGEST = 400  # choices, after which both players stop


def lacking_sources() -> str | None:
    """Return why the sources of the page's verifier can't run here, or None if they can."""
    return lacking() or page_build.lacking()


def rules_of_a_match(rng: random.Random) -> RuleSet:
    """Return random rules, most of which end a match within a few hands."""
    ends = rng.random()
    if ends < 0.35:
        return random_rules(rng, f"hands={rng.randrange(1, 6)}")
    return random_rules(rng, f"target={rng.choice(_TARGETS)}" if ends < 0.8 else "")


def play(seed: str, longest: int = _LONGEST) -> TablePair:
    """Play a match under random rules. One match in four is left unfinished; in one in seven, a
    player resigns."""
    rng = random.Random(seed)
    rules, disclosure = rules_of_a_match(rng), rng.choice(list(Disclosure))
    pair = TablePair(seed, rules, disclosure, started=rng.choice((1, 1_700_000_000, 2**33)))
    last = rng.randrange(longest) if rng.random() < 0.25 else longest
    resigns = rng.randrange(100) if rng.random() < 0.15 else None
    for _ in range(last):
        chooser = pair.to_choose()
        if chooser is None:
            break
        seat = chooser.seat
        resigns = None if resigns is None else resigns - 1
        if resigns is not None and resigns < 0 and seat.view().hand.phase is not Phase.LAY_OFF:
            chooser.perform(seat.resign())
            resigns = None
        else:
            chooser.perform(seat.play(random_move(rng, seat.view().hand)))
    pair.settle()
    return pair


def honest_log(seed: str) -> bytes:
    return log_bytes(play(seed).host.seat.entries)


def false_logs(rng: random.Random, matches: int, of_each: int) -> list[bytes]:
    """Play matches and return logs with one entry changed: a move with random content, or any entry
    changed and signed again, sometimes with the honest entries after it."""
    recorded = [RecordedMatch.of(play(f"{rng.random()}", 60)) for _ in range(matches)]
    with_moves = [match for match in recorded if len(match) > 20]
    made = [*signed(rng, matches * of_each // 2, recorded)]
    made += claims(rng, matches * of_each // 2, with_moves) if with_moves else []
    return [log for _, log in made]


def compare(logs: list[bytes]) -> Counter[str]:
    """Let program and page judge these logs. Return how often each verdict occurred. Raises Odd if
    they differ."""
    met: Counter[str] = Counter()
    for log, (verdict, _, unlike) in zip(logs, compared(logs, judge=TOY_JUDGE), strict=True):
        if unlike:
            raise Odd(f"{verdict['rules']}: {'; '.join(unlike)}: {log.hex()}")
        met[verdict["code"]] += 1
        met["hands"] += len(verdict["hands"])
    return met
