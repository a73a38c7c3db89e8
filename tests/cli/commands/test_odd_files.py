"""Given any kind of file as a log, the real commands end at once with an error message.

These are some of the cases of tests.campaign.odd_files, which allows 2 seconds for each. The tests
here have no such limit, but a command that waited for a pipe would never end.
"""

import pytest

from tests.campaign.odd_files import COMMANDS, MEBIBYTES, ODD, can_be_refused, listed, try_out

SOME = (
    "pipe, opened by a silent writer",
    "socket",
    "/dev/zero",
    "terminal",
    "/proc/self/mem",
    "links in a circle",
    "without permission",
    "-",
    "later format",
    "log and 10 GB of nothing",
    "64 MiB of small records",
    "64 MiB of the longest entries",
    "64 MiB of a log, its first signature wrong",
    "growing",
    "shrinking and whole again",
)


@pytest.mark.parametrize("name", SOME)
@pytest.mark.deep(keep=2)
def test_an_odd_file_is_judged_in_little_memory(name):
    if ODD[name].as_anybody and not can_be_refused():
        pytest.skip("this user may read every file")
    command = COMMANDS[SOME.index(name) % len(COMMANDS)]
    ((ran, _seconds, mebibytes, wrong),) = try_out(name, runs=1, commands=[command])
    assert ran == command
    assert wrong == []
    assert mebibytes < MEBIBYTES


@pytest.mark.deep
def test_the_list_of_matches_holds_no_log_in_memory():
    _seconds, mebibytes, wrong = listed(["64 MiB of small records", "10 GB of nothing"], runs=1)
    assert wrong == []
    assert mebibytes < MEBIBYTES
