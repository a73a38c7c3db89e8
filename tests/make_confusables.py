"""Writes ginpeer/confusables.txt from Unicode's table.

    python -m tests.make_confusables confusables.txt > ginpeer/confusables.txt

The argument is https://www.unicode.org/Public/security/latest/confusables.txt. The output has the
rows that end in a letter or digit of the Latin, Greek or Cyrillic script, which nearly all names of
our players use. It leaves out rows that ginpeer.names doesn't need, because Unicode's compatibility
mapping and case folding give the same result.
"""

from __future__ import annotations

import re
import sys
import unicodedata

from ginpeer import names

SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "DIGIT")


def rows(lines: list[str]) -> dict[str, str]:
    """Return the source and the prototype of each row."""
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
    return _TEXT.format(version=version[1], year=year[1], rows=len(table), table="\n".join(told))


def _escaped(text: str) -> str:
    return "+".join(f"{ord(character):X}" for character in text)


_TEXT = """\
# Characters that look like letters and digits of the Latin, Greek and Cyrillic scripts.
#
# Written by tests/make_confusables.py from {rows} rows of Unicode's confusables.txt, version
# {version}, in another form. Do not edit it here.
#
# Each row is a prototype, then the characters that look like it, as code points.
#
# UNICODE LICENSE V3
#
# COPYRIGHT AND PERMISSION NOTICE
#
# Copyright (c) 1991-{year} Unicode, Inc.
#
# NOTICE TO USER: Carefully read the following legal agreement. BY DOWNLOADING, INSTALLING, COPYING
# OR OTHERWISE USING DATA FILES, AND/OR SOFTWARE, YOU UNEQUIVOCALLY ACCEPT, AND AGREE TO BE BOUND
# BY, ALL OF THE TERMS AND CONDITIONS OF THIS AGREEMENT. IF YOU DO NOT AGREE, DO NOT DOWNLOAD,
# INSTALL, COPY, DISTRIBUTE OR USE THE DATA FILES OR SOFTWARE.
#
# Permission is hereby granted, free of charge, to any person obtaining a copy of data files and any
# associated documentation (the "Data Files") or software and any associated documentation (the
# "Software") to deal in the Data Files or Software without restriction, including without
# limitation the rights to use, copy, modify, merge, publish, distribute, and/or sell copies of the
# Data Files or Software, and to permit persons to whom the Data Files or Software are furnished to
# do so, provided that either (a) this copyright and permission notice appear with all copies of the
# Data Files or Software, or (b) this copyright and permission notice appear in associated
# Documentation.
#
# THE DATA FILES AND SOFTWARE ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
# IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR
# PURPOSE AND NONINFRINGEMENT OF THIRD PARTY RIGHTS.
#
# IN NO EVENT SHALL THE COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE BE LIABLE FOR ANY CLAIM,
# OR ANY SPECIAL INDIRECT OR CONSEQUENTIAL DAMAGES, OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF
# USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION,
# ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THE DATA FILES OR SOFTWARE.
#
# Except as contained in this notice, the name of a copyright holder shall not be used in
# advertising or otherwise to promote the sale, use or other dealings in these Data Files or
# Software without prior written authorization of the copyright holder.
{table}
"""


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8-sig") as file:
        sys.stdout.write(text(file.readlines()))
