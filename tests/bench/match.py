"""Measure a whole match between two bots in memory: its size, and how fast its log is verified."""

import time
from itertools import pairwise
from statistics import mean

from ginpeer.referee.referee import Finding, judge
from protocol import messages as m
from tests.matches.table_pair import TablePair

DEAL = (m.DealCommit, m.DealKey, m.DealDeck, m.DealShuffle, m.DealShares)
STOCK_TURN = (m.DrawStock, m.Share, m.Discard)

GOALS = {
    "entries of a deal": 5,
    "one-way messages of a deal": 5,
    "entries of a stock turn": 3,
    "one-way messages of a stock turn": 3,
}


def run(seed: str = "bench", passes: int = 3) -> dict[str, float]:
    """Return the measurements of one match, by name."""
    start = time.perf_counter()
    entries = TablePair(seed).play().host.stored
    played = time.perf_counter() - start
    verifying = []
    for _ in range(passes):
        watch = []
        start = time.process_time()
        verdict = judge(entries, watch.append)
        verifying.append(time.process_time() - start)
        if verdict.finding is not Finding.VALID:
            raise RuntimeError(f"the recorded match is {verdict.finding}: {verdict.sentence}")
    kinds_and_sizes = [
        (type(event.message), len(raw)) for event, raw in zip(watch, entries, strict=True)
    ]
    authors = [event.author for event in watch]
    deals = _sequences(kinds_and_sizes, authors, DEAL)
    turns = _sequences(kinds_and_sizes, authors, STOCK_TURN)
    hands = verdict.table.hand_number
    return {
        "bytes of a deal": mean(size for size, _, _ in deals),
        "entries of a deal": mean(count for _, count, _ in deals),
        "one-way messages of a deal": mean(changes for _, _, changes in deals),
        "bytes of a stock turn": mean(size for size, _, _ in turns),
        "entries of a stock turn": mean(count for _, count, _ in turns),
        "one-way messages of a stock turn": mean(changes for _, _, changes in turns),
        "hands of the match": hands,
        "entries of the match": len(entries),
        "bytes of the match": sum(map(len, entries)),
        "seconds to play the match, both seats": played,
        "hands verified per second": hands / min(verifying),
    }


def _sequences(kinds_and_sizes, authors, kinds):
    """Return, for every run of entries of these kinds, the bytes, the entries, and how often the
    author changes, counting the first message."""
    found = []
    for at in range(len(kinds_and_sizes) - len(kinds) + 1):
        part = kinds_and_sizes[at : at + len(kinds)]
        if tuple(kind for kind, _ in part) == kinds:
            who = authors[at : at + len(kinds)]
            turns = 1 + sum(a != b for a, b in pairwise(who))
            found.append((sum(size for _, size in part), len(part), turns))
    return found
