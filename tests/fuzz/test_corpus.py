"""Replay the corpus that coverage-guided fuzzing (tests/campaign/guided.py) found."""

import pytest

from tests.fuzz.doors import CORPUS, DOORS, corpus

KEPT = sorted(path.stem for path in CORPUS.iterdir())


@pytest.mark.parametrize("name", KEPT)
def test_each_input_of_the_corpus_is_read_or_refused(name):
    kept = list(corpus(name))
    assert kept
    for data in kept:
        DOORS[name].take(data)
