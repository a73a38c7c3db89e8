"""A short part of tests.campaign.simulated, and a test that the simulator catches each mutant."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.campaign.simulated import run
from tests.simulator.evening import Evening
from tests.simulator.match import Match, play
from tests.simulator.moving import Moving
from tests.simulator.mutants import (
    EVENING_MUTANTS,
    FORGETTING_MUTANTS,
    MOVING_MUTANTS,
    MUTANTS,
    PUNCHING_MUTANTS,
)
from tests.simulator.punching import Punching
from tests.simulator.replaying import Forgetting, Replaying
from tests.simulator.scenario import KINDS
from tests.simulator.world import Violated

ROOT = Path(__file__).parents[2]

TRIES = 25
"""How many seeds may be needed to catch a mutant."""


def test_faulty_matches_in_the_toy_group_end_as_they_should():
    kinds = tuple(dict.fromkeys(KINDS))
    counts, ends, failed = run("toy group", False, range(120, 126), kinds)
    assert not failed
    assert ends["finished"] >= 3
    assert all(counts[fault] for fault in ("kill -9", "power cut", "connection cut"))


def test_faulty_matches_in_the_real_group_end_as_they_should():
    _, _, failed = run("real group", True, (201,))
    assert not failed


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
@pytest.mark.deep(keep=5)
def test_a_missing_rule_of_the_program_is_detected(mutant):
    kind, first = MUTANTS[mutant]
    with mutant():
        assert any(refuted(seed, kind) for seed in range(first, first + TRIES))


def test_faulty_evenings_end_as_they_should():
    counts, _, failed = run("evenings", False, (4,), scene=Evening)
    assert not failed
    assert counts["matches of evenings"] >= 2


def test_matches_whose_host_changes_its_address_end_as_they_should():
    counts, _, failed = run("moving hosts", False, (1,), scene=Moving)
    assert not failed
    assert counts["came back at a new address"]


def test_matches_in_which_both_sides_dial_end_as_they_should():
    counts, _, failed = run("both dialling", False, (4,), scene=Punching)
    assert not failed
    assert counts["simultaneous open"] + counts["a dial met a listening port"]


@pytest.mark.parametrize(
    ("scene", "seed", "faults"),
    [(Replaying, 1, {"lie: beginning"}), (Forgetting, 28, {"lie: beginning", "match files lost"})],
)
def test_matches_with_a_peer_that_sends_old_entries_end_as_they_should(scene, seed, faults):
    counts, _, failed = run("old entries", False, (seed,), scene=scene)
    assert not failed
    assert faults <= {*counts}


SCENES_MUTANTS = [(Evening, *each) for each in EVENING_MUTANTS.items()]
SCENES_MUTANTS += [(Punching, *each) for each in PUNCHING_MUTANTS.items()]
SCENES_MUTANTS += [(Moving, *each) for each in MOVING_MUTANTS.items()]
SCENES_MUTANTS += [(Forgetting, *each) for each in FORGETTING_MUTANTS.items()]


@pytest.mark.parametrize(
    ("scene", "mutant", "first"), SCENES_MUTANTS, ids=lambda each: getattr(each, "__name__", "")
)
@pytest.mark.deep(keep=1)
def test_a_missing_rule_in_a_scene_is_detected(scene, mutant, first):
    with mutant():
        assert any(refuted(seed, scene=scene) for seed in range(first, first + TRIES))


def refuted(seed, kind=None, scene=Match):
    try:
        play(seed, kind=kind, scene=scene)
    except Violated:
        return True
    return False


def test_a_seed_replays_identically_with_another_hash_seed():
    code = "from tests.simulator.match import play\nprint(play(8).digest)"
    printed = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ
        | {"PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    ).stdout
    assert play(8).digest == printed.strip() != play(3).digest
