"""Matches in notation for tests.fuzz.inputs: valid ones, changed ones, and arbitrary text."""

from functools import cache

from ginpeer.notation import BadNotation, read_sheet, write_sheet
from ginpeer.record import Record, UnreadableLog
from tests.fuzz.odd import Odd
from tests.fuzz.protobuf import spoilt
from tests.fuzz.texts import NUMBERS, any_text, edited
from tests.notation.played import played

_RULES = ("standard", "hollywood target=20", "mahjong", "oklahoma knock-limit=second-deck")
_SHORT = 6  # the seed of a hand with few turns
_WORDS = (
    *("hand", "hand 7", "dealer host", "host ?", "guest resigns", "pass", "t", "d", "d ?", "-3c"),
    *("result", "score host 0", "winner nobody", "knock", "gin", "big gin", "/", "@1", "shows"),
    *("lay 3c4c5c", "t 2 lay 3c4c5c", '[Host "x"]', '[Rules "mahjong"]', "[Gin", ";", "upcard 3c"),
)


@cache
def _sheets():
    return [
        write_sheet(played(rules, _SHORT, hands=1, tags=(("Rules", rules),))) for rules in _RULES
    ]


def made(rng):
    """Return the bytes of random text."""
    kind = rng.random()
    text = rng.choice(_sheets())
    if kind < 0.1:
        return spoilt(text.encode(), rng)
    if kind < 0.15:
        return any_text(rng).encode("utf-8", "surrogatepass")
    lines = text.split("\n")
    at = int(rng.random() * len(lines))
    match int(rng.random() * 7):
        case 0:
            lines[at] = edited(lines[at], rng)
        case 1:
            del lines[at]
        case 2:
            lines.insert(at, rng.choice((*_WORDS, rng.choice(lines))))
        case 3:
            words = lines[at].split(" ")
            words[int(rng.random() * len(words))] = rng.choice((*_WORDS, *NUMBERS))
            lines[at] = " ".join(words)
        case 4:
            lines = lines[:at]
        case 5:
            lines[at] = f"{lines[at]} {rng.choice(_WORDS)}"
        case 6:
            other = int(rng.random() * len(lines))
            lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def taken(data, refusal):
    """Read a match, write it and read it again; step through it as a record. *refusal*: checks a
    refusal, and returns its code."""
    try:
        sheet = read_sheet(data)
    except BadNotation as error:
        return refusal(error, None, data)
    again = read_sheet(write_sheet(sheet).encode("utf-8"))
    if again != sheet and sheet.whole:
        raise Odd(f"another sheet: {data!r:.600}")
    if len(data) % 8:
        return "read"  # stepping through takes longer than everything before
    try:
        record = Record.read(b'[Gin "1"]\n' + data)
    except UnreadableLog as error:
        # The tag that we put in front can cause these.
        if error.code in ("tag-twice", "line-unreadable", "tag-unreadable"):
            return "read"
        raise
    for step in record:
        if step.move is not None and (step.before is None or step.after is None):
            raise Odd(f"a move without a position: {data!r:.600}")
    return "read"
