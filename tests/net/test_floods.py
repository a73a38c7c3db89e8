"""What strangers and floods cost a host in its own process: a part of the campaigns."""

import sys

import pytest

from tests.campaign.floods import AS_GUEST, BEFORE_TLS, GROWTH, IN_TLS, campaign
from tests.campaign.net_process import MIB
from tests.campaign.strangers import a_match

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]


async def test_a_flood_is_cut_off_and_costs_little_memory(tmp_path):
    amount = 14 * MIB
    parts = await campaign(tmp_path, "short", amount, 200)
    assert len(parts) == len(BEFORE_TLS) + len(IN_TLS) + len(AS_GUEST)
    for _, reached in parts:
        assert reached.sent > MIB
        assert reached.growth <= GROWTH


async def test_a_match_can_be_played_while_silent_strangers_are_connected(tmp_path):
    """This test sets no time limit; the campaign does (tests/campaign/strangers.py)."""
    seconds, held = await a_match(tmp_path, "short", 1, strangers=100)
    assert len(seconds) > 20
    assert min(held) >= 90
