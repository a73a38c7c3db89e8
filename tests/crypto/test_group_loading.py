"""Loading libsodium, which leaves no file behind, and what happens if that fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crypto.libraries import LIBRARIES
from tests.crypto.vectors import vectors

NAME = "from protocol.crypto import group; print(group._backend.name)"
ROOT = Path(__file__).parent.parent.parent
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


def test_libsodium_is_loaded_at_the_first_use_and_not_before():
    done = run(
        "from protocol.crypto import group, hashing, identity\n"
        "print(type(group._backend).__name__); group.BASE + group.BASE\n"
        "print(type(group._backend).__name__)",
        GINPEER_GROUP="",
    )
    before, after = done.stdout.split()
    assert (before == "SodiumGroup", after) == (False, "SodiumGroup"), done.stderr


def test_loading_libsodium_imports_no_test_tools():
    done = run(NAME + "; import sys; print({'doctest', 'pdb', 'unittest'} & {*sys.modules})")
    assert done.stdout.split() == ["sodium", "set()"], done.stderr


NO_RBCL = "import sys; sys.modules['rbcl'] = None\n"
NO_SYSTEM = "from protocol.crypto import group_sodium as s; s._system_names = lambda: iter(())\n"


def test_the_systems_library_is_used_without_rbcl():
    LIBRARIES["system"]()
    done = run(
        NO_RBCL + NAME + "; print((5 * group.BASE).encoded.hex()); group.require_constant_time()",
        GINPEER_GROUP="",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["sodium", FIVE_TIMES_BASE]


def test_rbcl_is_preferred_to_the_systems_library():
    unasked = "from protocol.crypto import group_sodium as s; s.load_system = None\n"
    done = run(unasked + NAME, GINPEER_GROUP="")
    assert done.stdout.split() == ["sodium"], done.stderr


def test_without_a_library_logs_can_be_verified_but_no_match_played():
    done = run(
        NO_RBCL + NO_SYSTEM + NAME + "; print((5 * group.BASE).encoded.hex())\n"
        "try: group.require_constant_time()\n"
        "except group.NoConstantTimeGroup as why: print(why)",
        GINPEER_GROUP="",
    )
    name, five, why = done.stdout.splitlines()
    assert name == "pure", done.stderr
    assert five == FIVE_TIMES_BASE
    assert "libsodium" in why
    assert "rbcl" in why
    assert "nstall" in why


def test_loading_libsodium_leaves_no_file_behind(tmp_path):
    done = run(NAME, GINPEER_GROUP="sodium", TMPDIR=str(tmp_path))
    assert done.stdout.strip() == "sodium", done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no write bit there")
def test_an_unwritable_temporary_folder_is_tolerated(tmp_path):
    nowhere = tmp_path / "nowhere"
    home = tmp_path / "home"
    home.mkdir()
    # The folder chosen by tempfile may disappear or fill up. The home folder is tried next.
    code = NO_SYSTEM + f"import tempfile; tempfile.tempdir = {str(nowhere)!r}\n" + NAME
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
