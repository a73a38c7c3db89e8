"""Errors of storing and reading can be pickled and read back unchanged."""

import copy
import pickle

import pytest

from ginpeer.store import StoreError, UnreadableLog


@pytest.mark.parametrize("again", [copy.copy, lambda why: pickle.loads(pickle.dumps(why))])
@pytest.mark.parametrize(
    "why",
    [
        StoreError("disk-full", "Could not write x."),
        UnreadableLog("bad-record", "Entry 7 of x claims to have 0 bytes.", 7),
        UnreadableLog("empty-log", "x is empty."),
    ],
)
def test_an_error_survives_being_pickled(why, again):
    same = again(why)
    assert type(same) is type(why)
    assert str(same) == same.sentence == why.sentence
    assert vars(same) == vars(why)
