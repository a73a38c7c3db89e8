"""Loading libsodium: what it leaves behind (nothing), and what happens where it cannot be."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.crypto import group
from tests.crypto.vectors import vectors

NAME = "from protocol.crypto import group; print(group.backend_name())"
FIVE_TIMES_BASE = vectors("rfc9496-ristretto255.json")["multiples_of_the_base"][5]


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("backend", ["sodium", "pure"])
def test_the_environment_selects_the_back_end(backend):
    done = run(NAME, GINPEER_GROUP=backend)
    assert done.stdout.strip() == backend, done.stderr


def test_libsodium_is_loaded_at_the_first_use_and_not_before():
    done = run(
        "import sys\nfrom protocol.crypto import group, hashing, identity\n"
        "print('rbcl' in sys.modules); group.BASE + group.BASE; print('rbcl' in sys.modules)",
        GINPEER_GROUP="",
    )
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_an_unknown_name_in_the_environment_is_refused_at_the_first_use():
    done = run(NAME, GINPEER_GROUP="openssl")
    assert "UnknownGroup" in done.stderr
    assert "sodium and pure" in done.stderr


def test_without_rbcl_logs_can_still_be_verified_but_not_played():
    done = run(
        "import sys; sys.modules['rbcl'] = None\n" + NAME + "; print(5 * group.BASE)\n"
        "try: group.require_constant_time()\n"
        "except group.NoConstantTimeGroup as why: print(why)",
        GINPEER_GROUP="",
    )
    name, five, why = done.stdout.splitlines()
    assert name == "pure", done.stderr
    assert FIVE_TIMES_BASE in five
    assert "rbcl" in why


def test_loading_libsodium_leaves_no_file_behind(tmp_path):
    done = run(NAME, GINPEER_GROUP="sodium", TMPDIR=str(tmp_path))
    assert done.stdout.strip() == "sodium", done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no write bit there")
def test_a_temporary_folder_that_cannot_be_written_is_survived(tmp_path):
    nowhere = tmp_path / "nowhere"
    home = tmp_path / "home"
    home.mkdir()
    # The folder that tempfile has chosen may vanish or fill up; the home folder is tried next.
    code = f"import tempfile; tempfile.tempdir = {str(nowhere)!r}\n" + NAME
    assert run(code, GINPEER_GROUP="", HOME=str(home)).stdout.strip() == "sodium"
    assert list(home.iterdir()) == []
    done = run(
        code + "\ntry: group.require_constant_time()\n"
        "except group.NoConstantTimeGroup as why: print(why)",
        GINPEER_GROUP="",
        HOME=str(tmp_path / "nobody"),
    )
    assert done.stdout.startswith("pure\n"), done.stderr
    assert str(nowhere) in done.stdout


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="looks into /proc")
def test_this_process_left_no_file_behind_either():
    """Not a look into the temporary folder: other processes of ours are loading there, too."""
    assert group.backend_name() == "sodium"
    mapped = Path("/proc/self/maps").read_text().splitlines()
    loaded = [line for line in mapped if "/ginpeer-" in line]
    assert loaded
    assert all(line.endswith(" (deleted)") for line in loaded)
