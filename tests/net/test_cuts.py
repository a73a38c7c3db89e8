"""A connection that is cut again and again: the log equals that of an undisturbed match.

A short part of tests/campaign/cuts.py, in the toy group.
"""

import pytest

from tests.campaign.cuts import PLACES, match_of_frames, match_of_records
from tests.toy_group import toy_group

ONE_HAND = "standard target=1"


BEFORE, ONE_BYTE, IN_THE_LENGTH, MIDDLE, ONE_SHORT, BEHIND = PLACES


@pytest.mark.deep(keep=1)
@pytest.mark.parametrize(
    "places",
    [(BEFORE, ONE_BYTE, BEHIND), (MIDDLE,), (IN_THE_LENGTH, MIDDLE, ONE_SHORT)],
    ids=["sent again", "in the middle", "sent first"],
)
async def test_a_match_cut_at_every_frame_writes_the_same_log(tmp_path, places):
    with toy_group():
        knife, match = await match_of_frames(tmp_path, "short", ONE_HAND, places)
    entries = len(match.players[0].entries)
    assert len(knife.entries) == entries > 20
    assert sum(knife.cuts[f"{role}: entry"] for role in ("host", "guest")) == entries * len(places)
    assert knife.cuts["guest: Hello"] >= len(PLACES)
    assert knife.cuts["host: Welcome"] >= len(PLACES)
    assert all(knife.places[place] >= entries for place in places)


@pytest.mark.deep
async def test_a_match_cut_at_tls_records_writes_the_same_log(tmp_path):
    with toy_group():
        knife, match = await match_of_records(tmp_path, "short", ONE_HAND, records=11)
    assert match.joined > 2
    assert match.refused > 40  # connections cut during the handshake or the greeting
    assert {place for _, _, place in knife.cuts} == set(PLACES)
    assert {side for side, _, _ in knife.cuts} == {"host", "guest"}
