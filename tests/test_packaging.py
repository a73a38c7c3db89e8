"""What pip is told of us, and what it gets: requirements, versions, sdist, wheel."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import ginpeer

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
REQUIREMENTS = [Requirement(text) for text in PROJECT["project"]["dependencies"]]

# --- requirements ---------------------------------------------------------------------------------

# sys_platform, platform_machine and the Python; then the newest cryptography that has a wheel there
# (None: the newest of all), and whether rbcl has one. `.ci/wheels` asks the index for both.
SYSTEMS = {
    "Linux x86_64": ("linux", "x86_64", "CPython", None, True),
    "Linux aarch64": ("linux", "aarch64", "CPython", None, True),
    "Linux armv7l": ("linux", "armv7l", "CPython", None, False),
    "Linux riscv64": ("linux", "riscv64", "CPython", None, False),
    "PyPy": ("linux", "x86_64", "PyPy", None, False),
    "macOS arm64": ("darwin", "arm64", "CPython", None, True),
    "macOS x86_64": ("darwin", "x86_64", "CPython", "48.0.1", True),
    "Windows AMD64": ("win32", "AMD64", "CPython", None, True),
    "Windows ARM64": ("win32", "ARM64", "CPython", "46.0.3", False),
    "FreeBSD": ("freebsd14", "amd64", "CPython", None, False),
}
NEWER = ("46.0.4", "46.0.7", "47.0.0", "49.0.0", "50.0.2", "99")
"""Versions without a wheel for Windows ARM64; the later ones without one for an Intel Mac."""


def required(platform: str, machine: str, python: str, name: str) -> list[Requirement]:
    there = {
        "sys_platform": platform,
        "platform_machine": machine,
        "platform_python_implementation": python,
    }
    return [
        requirement
        for requirement in REQUIREMENTS
        if requirement.name == name
        and (requirement.marker is None or requirement.marker.evaluate(there))
    ]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_is_required_what_has_wheels_there(system: str) -> None:
    platform, machine, python, newest, has_rbcl = SYSTEMS[system]
    (cryptography,) = required(platform, machine, python, "cryptography")
    if newest is None:
        assert all(cryptography.specifier.contains(version) for version in NEWER)
    else:
        assert cryptography.specifier.contains(newest)
        compiled = [version for version in NEWER if Version(version) > Version(newest)]
        assert not any(cryptography.specifier.contains(version) for version in compiled)
    assert len(required(platform, machine, python, "rbcl")) == has_rbcl
    for name in ("twisted", "protobuf", "platformdirs", "pyopenssl"):
        assert len(required(platform, machine, python, name)) == 1


def floor(name: str) -> Version:
    """The least version that pyproject allows."""
    (requirement,) = (found for found in REQUIREMENTS if found.name == name)
    return min(Version(part.version) for part in requirement.specifier if part.operator == ">=")


def test_every_protobuf_allowed_reads_our_generated_code_and_bounds_what_nests() -> None:
    """A runtime reads what the protoc of its own and of the major version before it has made.
    Before 6.31.1 the parser in plain Python had no bound for nested messages."""
    generated = []
    for path in (ROOT / "protocol" / "wire").glob("*_pb2.py"):
        found = re.search(r"^# Protobuf Python Version: (\S+)$", path.read_text(), re.MULTILINE)
        assert found is not None, path
        generated.append(Version(found[1]))
    assert generated
    assert floor("protobuf") >= max(generated)
    (protobuf,) = (found for found in REQUIREMENTS if found.name == "protobuf")
    major = min(version.major for version in generated)
    assert protobuf.specifier.contains(f"{major + 1}.99")
    assert not protobuf.specifier.contains(f"{major + 2}.0")
    assert floor("protobuf") >= Version("6.31.1")


# --- versions -------------------------------------------------------------------------------------


def test_the_version_stands_in_one_place() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", ginpeer.__version__)
    assert "version" in PROJECT["project"]["dynamic"]
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "ginpeer.__version__"}
