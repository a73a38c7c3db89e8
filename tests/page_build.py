"""Builds the page's verifier again, and compares it with what is checked in, byte for byte.

Run by hand: ``python -m tests.page_build [--write]``. The libraries and esbuild are those that
ginpeer/page/verifier/package-lock.json names by the hashes of their contents; `npm ci` in that
folder brings them. --write keeps what was built.
"""

import json
import subprocess
import sys
from pathlib import Path

VERIFIER = Path(__file__).parent.parent / "ginpeer" / "page" / "verifier"
BUILT = VERIFIER / "dist" / "verifier.js"
LICENSE = VERIFIER / "dist" / "LICENSE.noble"
MODULES = VERIFIER / "node_modules"
ESBUILD = MODULES / ".bin" / "esbuild"

BUILD = [
    "src/main.js",
    "--bundle",
    "--minify",
    "--format=iife",
    "--target=es2020",
    "--charset=utf8",
]
BUILD += ["--legal-comments=none", "--log-level=warning"]

LIBRARIES = ("@noble/curves", "@noble/hashes")


def lacking() -> str | None:
    """Why it cannot be built here, or None."""
    if not ESBUILD.exists():
        return "no node modules: run `npm ci` in ginpeer/page/verifier"
    locked = json.loads((VERIFIER / "package-lock.json").read_text())["packages"]
    for name in (*LIBRARIES, "esbuild"):
        has = json.loads((MODULES / name / "package.json").read_text())["version"]
        if has != locked[f"node_modules/{name}"]["version"]:
            return f"{name} is there as {has}: run `npm ci` in ginpeer/page/verifier"
    return None


def build() -> bytes:
    """The file as a page carries it: the libraries' licence goes with it wherever it goes."""
    notice = f"/*! Parts of {' and '.join(LIBRARIES)}: {licence().rstrip()} */"
    command = [ESBUILD, *BUILD, f"--banner:js={notice}"]
    return subprocess.run(command, cwd=VERIFIER, capture_output=True, check=True).stdout


def licence() -> str:
    """That of both libraries, which is one. Raises ValueError where they differ."""
    texts = {(MODULES / name / "LICENSE").read_text("utf-8") for name in LIBRARIES}
    (text,) = texts
    return text


def main(arguments: list[str]) -> int:
    why = lacking()
    if why:
        print(why, file=sys.stderr)
        return 2
    built = build()
    if "--write" in arguments:
        BUILT.write_bytes(built)
        LICENSE.write_text(licence(), "utf-8")
    if built != BUILT.read_bytes():
        print(f"{BUILT.name} is not what the sources make; --write keeps what they make")
        return 1
    print(f"{BUILT.name} is what the sources make, {len(built):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
