"""What pip is told of us, and what it gets: requirements, versions, sdist, wheel, man page."""

from __future__ import annotations

import argparse
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import ginpeer
from cli.parser import parser

ROOT = Path(__file__).parent.parent
PACKAGES = ("protocol", "ginpeer", "cli")
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
@pytest.mark.deep(keep=3)
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


def test_the_newest_changes_are_those_of_this_version() -> None:
    told = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (.+)$", told, re.MULTILINE)
    assert newest is not None
    assert newest[1] == ginpeer.__version__


def test_the_version_stands_in_one_place() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", ginpeer.__version__)
    assert "version" in PROJECT["project"]["dynamic"]
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "ginpeer.__version__"}


# --- what is built --------------------------------------------------------------------------------

_NEVER = shutil.ignore_patterns(
    *(".git", ".venv", "__pycache__", "*.pyc", "build", "dist", "*.egg-info", ".hypothesis"),
    *(".mypy_cache", ".ruff_cache", ".pytest_cache", ".idea", ".vscode", ".DS_Store"),
    "node_modules",
)
BUILT_AND_KEPT = ("ginpeer/page/verifier", "dist")  # the one folder of that name that is ours


def neither_source_nor_test(folder: str, names: list[str]) -> set[str]:
    where, kept = BUILT_AND_KEPT
    ignored = set(_NEVER(folder, names))
    return ignored - {kept} if Path(folder) == ROOT / where else ignored


NO_BUILD = "no setuptools from 77 on, and no build: the README's environment has both"


def can_build() -> bool:
    try:
        return Version(version("setuptools")) >= Version("77") and bool(version("build"))
    except PackageNotFoundError:
        return False


def built(what: str, folder: Path, into: Path) -> Path:
    """The sdist or wheel of the sources in *folder*."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check"),
            *(f"--{what}", "--outdir", str(into), str(folder)),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = into.iterdir()
    return made


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.skipif(not can_build(), reason=NO_BUILD)
@pytest.mark.deep  # .ci/run installs the wheel
def test_an_sdist_holds_all_and_the_wheel_of_it_the_packages_and_nothing_stale(
    tmp_path: Path,
) -> None:
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT, checkout, ignore=neither_source_nor_test, symlinks=True)
    sources = files_in(checkout)
    assert {"proto/PROTOCOL.md", "proto/entry.proto", "tests/stranger/__init__.py"} <= sources

    sdist = built("sdist", checkout, tmp_path / "sdist")
    with tarfile.open(sdist) as archive:
        if hasattr(tarfile, "data_filter"):  # Python 3.11.4 and later
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(tmp_path / "unpacked")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert unpacked.name == f"ginpeer-{ginpeer.__version__}"
    made_by_setuptools = {"PKG-INFO", "setup.cfg"}
    held = {name for name in files_in(unpacked) if not name.startswith("ginpeer.egg-info/")}
    assert held - made_by_setuptools == sources - made_by_setuptools  # from an sdist's, too

    # What an earlier build has left, of a module that exists no more.
    for stale in ("ginpeer/stale.py", "oldname/__init__.py", "ginpeer/rules/hand.py"):
        path = unpacked / "build" / "lib" / stale
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("raise SystemExit('stale')")
    with zipfile.ZipFile(built("wheel", unpacked, tmp_path / "wheel")) as wheel:
        names = set(wheel.namelist())
        hand = wheel.read("ginpeer/rules/hand.py")
        metadata = wheel.read(f"ginpeer-{ginpeer.__version__}.dist-info/METADATA").decode()
        entry_points = wheel.read(f"ginpeer-{ginpeer.__version__}.dist-info/entry_points.txt")
    assert hand == (ROOT / "ginpeer" / "rules" / "hand.py").read_bytes()
    info, data = f"ginpeer-{ginpeer.__version__}.dist-info/", f"ginpeer-{ginpeer.__version__}.data/"
    installed = {name for name in names if not name.startswith((info, data))}
    assert installed == {name for name in sources if name.split("/")[0] in PACKAGES}
    shared = {name.removeprefix(f"{data}data/") for name in names if name.startswith(data)}
    assert shared == {name for name in sources if name.startswith("share/")}
    assert b"ginpeer = cli.main:main" in entry_points
    assert f"\nVersion: {ginpeer.__version__}\n" in metadata
    assert "\nClassifier: Framework :: Twisted\n" in metadata
    assert "\n# ginpeer\n" in metadata


def long_description(readme: str, urls: dict[str, str]) -> str:
    made: str = runpy.run_path(str(ROOT / "setup.py"))["long_description"](readme, urls)
    return made


def test_the_description_of_the_package_has_no_link_that_leads_nowhere() -> None:
    """Relative links are right in the checkout alone."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", readme):
        assert re.match("https?:|#", target) or (ROOT / target).exists(), target
    assert "](proto/PROTOCOL.md)" in readme
    urls = PROJECT["project"].get("urls", {})
    for made in (long_description(readme, urls), long_description(readme, {})):
        assert all(re.match("https?:|#", to) for to in re.findall(r"\]\(([^)]+)\)", made))
        assert "proto/PROTOCOL.md" in made
    linked = long_description("[a](b/c.md) [d](https://e/f) [g](#h)", {"Source": "https://x/y/"})
    assert linked == "[a](https://x/y/blob/HEAD/b/c.md) [d](https://e/f) [g](#h)"
    assert long_description("![p](p.png)\n\nsee [a](b/c.md).", {}) == "see a."


def test_what_contributing_and_readme_name_is_there() -> None:
    folders = ("cli", "ginpeer", "protocol", "tests")
    modules = {path.name for folder in folders for path in (ROOT / folder).rglob("*.[jp][sy]")}
    for name in ("CONTRIBUTING.md", "README.md", *map(str, (ROOT / "tests").rglob("README.md"))):
        text = (ROOT / name).read_text(encoding="utf-8")
        paths = re.findall(r"`((?:\.ci|cli|ginpeer|proto|protocol|share|tests)/[\w./-]*)`", text)
        paths += [f".ci/{script}" for script in re.findall(r"^    \.ci/(\w+)", text, re.MULTILINE)]
        assert [path for path in paths if not (ROOT / path).exists()] == []
        assert paths or name != "CONTRIBUTING.md"
        bare = re.findall(r"`(\w+\.(?:py|js))`", text)
        assert [name for name in bare if name not in modules] == []


# --- man page and completion ----------------------------------------------------------------------


def command_line() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command, by its name."""
    (commands,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    found: dict[str, argparse.ArgumentParser] = commands.choices
    return found


def options(command: argparse.ArgumentParser) -> list[str]:
    return [name for action in command._actions for name in action.option_strings]


def test_the_man_page_is_that_of_the_parser() -> None:
    """If not: .ci/regenerate."""
    lines = runpy.run_path(str(ROOT / ".ci" / "manpage"))["page"]()
    kept = (ROOT / "share" / "man" / "man1" / "ginpeer.1").read_text(encoding="utf-8")
    assert kept == "\n".join(lines) + "\n"
    for name, command in command_line().items():
        section = kept.split(f"\n.SS {name}\n")[1].split("\n.S")[0].replace("\\-", "-")
        for option in set(options(command)) - {"-h", "--help", "--help-all", "--home"}:
            assert f"\\fB{option}\\fR" in section


def test_the_man_page_names_every_variable_of_the_environment() -> None:
    read = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            read |= set(re.findall(r"GINPEER_[A-Z_]+", path.read_text(encoding="utf-8")))
    assert read == set(runpy.run_path(str(ROOT / ".ci" / "manpage"))["ENVIRONMENT"])


def test_the_shells_complete_what_the_parser_takes() -> None:
    """If not: .ci/regenerate, which also compares the files byte by byte."""
    bash = (ROOT / "share/bash-completion/completions/ginpeer").read_text(encoding="utf-8")
    zsh = (ROOT / "share/zsh/site-functions/_ginpeer").read_text(encoding="utf-8")
    fish = (ROOT / "share/fish/vendor_completions.d/ginpeer.fish").read_text(encoding="utf-8")
    arrays = dict(re.findall(r"^_shtab_ginpeer_(\w+)=\(([^)]*)\)$", bash, re.MULTILINE))
    assert arrays["subparsers"].split() == list(command_line())
    for name, command in command_line().items():
        assert arrays[f"{name}_option_strings"].split() == options(command)
        in_zsh = zsh.split(f"_shtab_ginpeer_{name}_options=(\n")[1].split("\n)")[0]
        assert all(option in in_zsh for option in options(command))
        assert re.search(rf"\b{name}\b", fish)
        assert all(re.search(rf"-l {o[2:]}\b", fish) for o in options(command) if o[:2] == "--")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["ho"], ["host"]),
        (["r"], ["resume", "rules", "replay"]),
        (["host", "--dis"], ["--disclose"]),
        (["host", "--disclose", "after"], ["after-match", "after-hand"]),
        (["--v"], ["--version"]),
    ],
)
@pytest.mark.deep(keep=2)
def test_bash_completes_a_command(typed: list[str], offered: list[str]) -> None:
    script = (
        'source "$0"; COMP_WORDS=(ginpeer "$@"); COMP_CWORD=$#; COMPREPLY=(); '
        '_shtab_ginpeer; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    completion = ROOT / "share" / "bash-completion" / "completions" / "ginpeer"
    done = subprocess.run(
        ["bash", "-c", script, str(completion), *typed], capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    assert sorted(done.stdout.split()) == sorted(offered)
