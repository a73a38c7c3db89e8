"""Read the output of the two commands as the players would."""

from __future__ import annotations

import re

_INVITE = re.compile(r"^invite:\s*(\S+)")
_REPLY = re.compile(r"^reply:\s*(\S.*)$")
_CONNECTED = re.compile(r"^(event connected\b|Connected to )")
_PROMPT = re.compile(r"^([^>]{0,60}> )+")
_TEXT = re.compile(r'\btext="((?:[^"\\]|\\.)*)"')
_ERROR = re.compile(r"^\S*ginpeer[^:]*:\s*(?:error:\s*)?(.*)$")


def invite_in(line: str) -> str | None:
    """Return the invite that this line contains, if any."""
    found = _INVITE.match(line)
    return None if found is None else found[1]


def reply_in(line: str) -> str | None:
    """Return the reply code that this line asks the guest to send back, if any."""
    found = _REPLY.match(line)
    return None if found is None else found[1].strip()


def is_connected(line: str) -> bool:
    """Return whether this line says that the opponent is connected."""
    return _CONNECTED.match(line) is not None


def sentences(lines: list[str]) -> list[str]:
    """Return the sentences in these lines: the texts of events, and the lines that aren't
    events."""
    found = []
    for line in lines:
        if line.startswith("event "):
            text = _TEXT.search(line)
            if text is not None and not line.startswith("event chat "):
                found.append(re.sub(r"\\(.)", r"\1", text[1]))
        elif line.strip() and invite_in(line) is None and reply_in(line) is None:
            error = _ERROR.match(line)
            found.append(line.strip() if error is None else error[1])
    return list(dict.fromkeys(found))


def without_prompts(line: str) -> str:
    """Return a line of a terminal without its prompts."""
    return _PROMPT.sub("", line)
