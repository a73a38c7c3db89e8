"""What a list of matches says of each."""

from pathlib import Path

import pytest

from cli.text.match_list import status_text
from ginpeer.match_store.listing import ListedMatch
from ginpeer.match_store.match_status import DecidedMatch
from ginpeer.store import StoredMatch


@pytest.mark.parametrize(
    ("winner", "told"),
    [
        (0, 'finished, "Ada" won'),
        (1, 'finished, "Ben" won'),
        (None, "finished, nobody won"),
    ],
)
def test_who_has_won_a_match_whose_seeds_follow_the_score_or_that_nobody_has(winner, told):
    stored = StoredMatch("1" * 16, Path("1.ginlog"), 0, "111111")
    line = status_text(ListedMatch(stored, None, DecidedMatch(("Ada", "Ben"), winner)))
    assert line == f'"Ada" with "Ben": {told}'


def test_a_practice_match_is_listed_with_the_level_of_the_bot():
    stored = StoredMatch("1" * 16, Path("1.ginlog"), 0, "111111")
    standing = DecidedMatch(("Ada", "Bot"), 1)
    assert status_text(ListedMatch(stored, 0, standing, 3)).startswith('with "Bot" at level 3: ')
    assert status_text(ListedMatch(stored, 0, standing)).startswith('with "Bot": ')
