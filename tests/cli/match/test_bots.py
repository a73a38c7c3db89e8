"""Both a person and a program are told that a bot plays for the other side."""

import pytest

from tests.free_port import free_port


@pytest.fixture
def scripts(tmp_path, start_script):
    return lambda name, *typed: start_script(tmp_path / name, *typed, "--name", name)


def here():
    return "--listen", f"127.0.0.1:{free_port()}"


def test_a_program_at_a_clubs_table_learns_that_a_bot_plays(scripts):
    club = scripts("club", "host", "--bot", "--club", *here())
    guest = scripts("ben", "join", club.invite())
    assert guest.wait_for("connected")["bot"] == "yes"


def test_host_and_guest_each_learn_whether_the_other_is_a_bot(scripts):
    host = scripts("ann", "host", *here())
    guest = scripts("ben", "join", "--bot", host.invite())
    assert host.wait_for("connected")["bot"] == "yes"
    assert guest.wait_for("connected")["bot"] == "no"


def test_a_program_in_practice_learns_that_a_bot_plays(scripts):
    assert scripts("ann", "practice").wait_for("connected")["bot"] == "yes"
