"""What people read is plain English: no phrase of ours reads as if translated.

`python -m tests.cli.text.test_plain_english` lists every hit in the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.text.test_own_command import sentences

ROOT = Path(__file__).parents[3]

COVERED = ("cli", "ginpeer", ".ci/manpage")
"""The files and folders whose sentences are checked."""

PATTERNS = {
    r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b)": "isn't a, aren't",
    r"\bno more\b(?! (?:than|points|cards)\b)|\b(?:not|n't) [^.;:]*\bany more\b": "no longer",
    r"\b[Ww]ho(?:m|so)?ever\b": "a player who, the first to, anyone who",
    r"\bthe own\b": "your, their",
    r"\b(?:go|goes|going|gone|went) on\b": "continue",
    r"\bdearest\b": "costliest, worst",
    r"\bturned away\b|\bknocked and was\b|\bnot let in\b": "refused",
    r"\b(?:get|gets|got) in\b": "connect",
    r"\b(?:put|puts|putting|lies?|lay) aside\b": "shelved",
    r"\black(?:s|ed|ing)?\b": "doesn't have, is missing",
    r"\bthr(?:ow|ows|own|ew|owing)\b": "discard",
    r"\bmended\b": "fixed",
    r"\b(?:is|are) to be seen\b": "ginpeer found",
    r"(?:^|[.;:] )Who [a-z]+s\b(?![^.]*\?)|(?:; |, for )who [a-z]+s\b": "a player who, anyone who",
    r"\bbut for\b": "except for",
    r"\ball the same\b": "still, anyway",
    r"\b(?:takes?|gives?) orders\b": "commands, control",
    r"\bNor (?:is|are|has|have|does|do)\b": "a sentence with its subject first",
}
"""Patterns to avoid, and what to write instead."""

ALLOWED: dict[str, dict[str, str]] = {
    "ginpeer/page/script/narration.js": {"${thrown}": "a name in the script, which nobody reads"},
}
"""Parts of sentences that are allowed, by file, each with the reason."""


_JS_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')


def script_sentences(path: Path) -> Iterator[str]:
    """Yield the strings of one of the page's scripts, without comments."""
    code = re.sub(r"(?m)(?:^|(?<=\s))//.*$", "", path.read_text("utf-8"))
    for found in _JS_TEXT.finditer(code):
        yield found[1] or found[2] or ""


def page_sentences(path: Path) -> Iterator[str]:
    """Yield the text of the page's HTML."""
    text = re.sub(r"<!--.*?-->", "", path.read_text("utf-8"), flags=re.DOTALL)
    yield from re.split("<[^>]*>", re.sub(r"</?(?:b|code|em)>", "", text))


def module_sentences(path: Path) -> Iterator[str]:
    """Yield a module's strings. Other tests use the same path, so it is parsed only once."""
    return sentences(path.relative_to(ROOT).as_posix())


READERS = {
    ".py": module_sentences,
    "": module_sentences,  # .ci/manpage
    ".js": script_sentences,
    ".html": page_sentences,
}


def files(parts: tuple[str, ...]) -> Iterator[Path]:
    for part in parts:
        path = ROOT / part
        if path.is_file():
            yield path
        for each in sorted(path.rglob("*.*")) if path.is_dir() else ():
            built = {"dist", "node_modules"} & {*each.parts}
            if each.suffix in READERS and each.suffix and not built:
                yield each


def hits(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield each hit in a file: the file, the phrase, and what to write instead."""
    name = path.relative_to(ROOT).as_posix()
    for sentence in READERS[path.suffix](path):
        for near, better in hits_in(sentence):
            if not any(piece in near for piece in ALLOWED.get(name, {})):
                yield name, near, better


def hits_in(sentence: str) -> Iterator[tuple[str, str]]:
    if " " not in sentence.strip():  # a word for programs
        return
    text = re.sub(r"<ast\.\w+ object at \w+>", "{}", " ".join(sentence.split()))
    for pattern, better in PATTERNS.items():
        for found in re.finditer(pattern, text):
            yield text[max(found.start() - 40, 0) : found.end() + 40], better


def test_text_for_people_is_plain_english():
    assert [hit for path in files(COVERED) for hit in hits(path)] == []


def test_every_allowed_phrase_still_occurs():
    for name, pieces in ALLOWED.items():
        said = " ".join(" ".join(READERS[Path(name).suffix](ROOT / name)).split())
        assert [piece for piece in pieces if piece not in said] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Whoever comes first sits down.", 1),
        ("Who knocks opens.", 1),
        ("Who won?", 0),
        ("It is no longer listed.", 0),
    ],
)
def test_the_check_finds_what_reads_as_translated(text, found):
    assert len([*hits_in(text)]) == found


if __name__ == "__main__":
    for each in files(COVERED):
        for where, said, instead in hits(each):
            print(f"{where}: {said!r}: {instead}")
