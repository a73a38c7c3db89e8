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
    done = subprocess.run([ESBUILD, *BUILD], cwd=VERIFIER, capture_output=True, check=True)
    return done.stdout


def main(arguments: list[str]) -> int:
    why = lacking()
    if why:
        print(why, file=sys.stderr)
        return 2
    built = build()
    if "--write" in arguments:
        BUILT.write_bytes(built)
        LICENSE.write_bytes((MODULES / LIBRARIES[0] / "LICENSE").read_bytes())
    if built != BUILT.read_bytes():
        print(f"{BUILT.name} is not what the sources make; --write keeps what they make")
        return 1
    print(f"{BUILT.name} is what the sources make, {len(built):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
