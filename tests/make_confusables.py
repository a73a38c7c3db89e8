"""Write ginpeer/confusables.txt from Unicode's table.

    python -m tests.make_confusables confusables.txt

The argument is https://www.unicode.org/Public/security/latest/confusables.txt. The output has the
rows whose prototype has a digit or a letter of the Latin, Greek or Cyrillic script, which nearly
all names of our players use. It leaves out rows that ginpeer.names doesn't need, because Unicode's
compatibility mapping and case folding give the same result.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from pathlib import Path

from ginpeer import names

TABLE = Path(__file__).parent.parent / "ginpeer" / "confusables.txt"

SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "DIGIT")


def rows(lines: list[str]) -> dict[str, str]:
    """Return the prototype of each source."""
    found = {}
    for line in lines:
        fields = [field.strip() for field in line.partition("#")[0].split(";")]
        if len(fields) == 3:
            found[chr(int(fields[0], 16))] = "".join(chr(int(c, 16)) for c in fields[1].split())
    return found


def kept(table: dict[str, str]) -> dict[str, str]:
    """Return the rows that the skeleton needs."""
    wanted = {
        source: prototype
        for source, prototype in table.items()
        if unicodedata.category(source)[0] in "LNSP"
        and unicodedata.is_normalized("NFC", source)
        and all(unicodedata.category(c)[0] in "LNM" for c in prototype)
        and any(unicodedata.name(c, "").startswith(SCRIPTS) for c in prototype)
    }
    needed: dict[str, str] = {}
    names.prototypes = lambda: needed
    found = {
        source: prototype
        for source, prototype in wanted.items()
        if names.skeleton(source) != names.skeleton(prototype)
    }
    names.skeleton.cache_clear()
    needed |= found
    for source, prototype in wanted.items():  # the rows left out above are not needed
        if names.skeleton(source) != names.skeleton(prototype):
            needed[source] = prototype
    return needed


def text(lines: list[str]) -> str:
    version = re.search(r"Version: (\S+)", "".join(lines[:12]))
    year = re.search(r"© (\d+)", "".join(lines[:12]))
    assert version is not None
    assert year is not None
    table = kept(rows(lines))
    by_prototype: dict[str, str] = {}
    for source, prototype in table.items():
        by_prototype[prototype] = by_prototype.get(prototype, "") + source
    told = []
    for prototype, sources in sorted(by_prototype.items()):
        told.append(f"{_escaped(prototype)} {' '.join(_escaped(source) for source in sources)}")
    head = "".join(re.findall(r"^#.*\n", TABLE.read_text("utf-8"), re.MULTILINE))
    head = re.sub(r"from \d+ rows", f"from {len(table)} rows", head)
    head = re.sub(r"version\n# [\d.]+,", f"version\n# {version[1]},", head)
    head = re.sub(r"1991-\d+", f"1991-{year[1]}", head)
    return head + "\n".join(told) + "\n"


def _escaped(text: str) -> str:
    return "+".join(f"{ord(character):X}" for character in text)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8-sig") as file:
        TABLE.write_text(text(file.readlines()), "utf-8")
