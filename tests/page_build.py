"""Rebuild the page's script, and compare it with the committed one, byte for byte.

Run by hand: ``python -m tests.page_build [--write]``. ginpeer/page/verifier/package-lock.json fixes
the libraries and tools by hash; `npm ci` in that folder installs them. --write saves the built
script, plain and packed. eslint and the TypeScript compiler check the sources.
"""

import json
import subprocess
import sys
import zlib
from base64 import b85decode, b85encode
from pathlib import Path

VERIFIER = Path(__file__).parent.parent / "ginpeer" / "page" / "verifier"
BUILT = VERIFIER / "dist" / "page.js"
PACKED = VERIFIER / "dist" / "page.packed"
LICENSE = VERIFIER / "dist" / "LICENSE.noble"
MODULES = VERIFIER / "node_modules"
ESBUILD = MODULES / ".bin" / "esbuild"

BUILD = [
    "../script/main.js",
    "--bundle",
    "--minify",
    "--format=iife",
    "--target=es2022",
    "--charset=utf8",
    "--loader:.css=text",
]
BUILD += ["--legal-comments=none", "--log-level=warning"]

LIBRARIES = ("@noble/curves", "@noble/hashes")
TOOLS = ("esbuild", "eslint", "@eslint/js", "typescript")

CHECKS = (
    ["eslint", "--config", "verifier/eslint.config.js", "load.js", "script", "verifier"],
    ["tsc", "--project", "verifier"],
)

_SIGNS = bytes.maketrans(b"<>&", b",.:")
_LETTERS = bytes.maketrans(b",.:", b"<>&")


def lacking() -> str | None:
    """Return why the script can't be built here, or None if it can."""
    if not ESBUILD.exists():
        return "no node modules: run `npm ci` in ginpeer/page/verifier"
    locked = json.loads((VERIFIER / "package-lock.json").read_text())["packages"]
    for name in (*LIBRARIES, *TOOLS):
        package = MODULES / name / "package.json"
        has = json.loads(package.read_text())["version"] if package.exists() else "nothing"
        if has != locked[f"node_modules/{name}"]["version"]:
            return f"{name} is there as {has}: run `npm ci` in ginpeer/page/verifier"
    return None


def build() -> bytes:
    """Return the script, which begins with the libraries' licence."""
    notice = f"/*! Parts of {' and '.join(LIBRARIES)}: {licence().rstrip()} */"
    command = [ESBUILD, *BUILD, f"--banner:js={notice}"]
    return subprocess.run(command, cwd=VERIFIER, capture_output=True, check=True).stdout


def faults() -> str:
    """Return what eslint and the TypeScript compiler find wrong with the sources."""
    found = ""
    for tool, *arguments in CHECKS:
        command = [MODULES / ".bin" / tool, *arguments]
        found += subprocess.run(command, cwd=VERIFIER.parent, capture_output=True, text=True).stdout
    return found


def licence() -> str:
    """Return the common licence of both libraries. Raise ValueError if they differ."""
    texts = {(MODULES / name / "LICENSE").read_text("utf-8") for name in LIBRARIES}
    (text,) = texts
    return text


def packed(content: bytes) -> bytes:
    """Return the script at half its size, as a page contains it: zlib (RFC 1950) in base 85,
    with the alphabet of RFC 1924 except for the characters that have a meaning in HTML. This form
    is committed, because zlib on another machine may pack the same script into different bytes."""
    return b85encode(zlib.compress(content, 9)).translate(_SIGNS)


def unpacked(letters: bytes) -> bytes:
    return zlib.decompress(b85decode(letters.translate(_LETTERS)))


def main(arguments: list[str]) -> int:
    why = lacking()
    if why:
        print(why, file=sys.stderr)
        return 2
    print(faults(), end="")
    built = build()
    if "--write" in arguments:
        BUILT.write_bytes(built)
        PACKED.write_bytes(packed(built))
        LICENSE.write_text(licence(), "utf-8")
    if built != BUILT.read_bytes() or built != unpacked(PACKED.read_bytes()):
        print(f"{BUILT.name} is not what the sources make; --write keeps what they make")
        return 1
    print(f"{BUILT.name} is what the sources make, {len(built):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
