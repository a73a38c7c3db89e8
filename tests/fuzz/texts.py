"""Make texts and small files as people might supply them: valid ones with changes, and arbitrary
ones."""

import copy
import json

from tests.fuzz.protobuf import spoilt

ODD = (
    *"\0\t\n\r\x1b\x7f\x85\xa0\xad\u0130\u0131\u0301\u0660\u00b2\u200b\u200e\u202e\u2028",
    *"\u2066\u2764\ufe0f\ufeff\uff17\ufffd\ud800\udcff\U0001f0c7\U000e0041\U0010ffff",
    *" =,;:.-_/\\[](){}<>|\"'%$#@+*?!~`^&",
    *"0123456789AZaz",
)
"""Control characters, spaces, marks, digits of other scripts, direction controls, lone surrogates,
and ordinary characters."""

NUMBERS = ("0", "-1", "00", "1e9", "1.5", "9" * 30, "9" * 5_000, "0x10", "\u0663", "\u00b2", "1_0")
VALUES = (None, True, 0, -1, 1.5, 1e308, 2**63, 10**400, "", "x", "\ud800", "\x1b[2J", [], [[]], {})


def edited(text, rng):
    """Return the text with a few characters or words changed, removed, doubled, inserted or
    swapped."""
    for _ in range(1 + int(rng.random() * 3)):
        at = int(rng.random() * (len(text) + 1))
        match int(rng.random() * 7):
            case 0:
                text = text[:at] + rng.choice(ODD) + text[at:]
            case 1:
                text = text[:at] + rng.choice(ODD) + text[at + 1 :]
            case 2:
                text = text[:at] + text[at + 1 + int(rng.random() * 4) :]
            case 3:
                text = text[:at] + text[at : at + 1 + int(rng.random() * 30)] + text[at:]
            case 4:
                words = text.split(" ")
                other = rng.choice(words)
                words[int(rng.random() * len(words))] = rng.choice((other, rng.choice(NUMBERS)))
                text = " ".join(words)
            case 5:
                text = rng.choice((text.upper(), text.swapcase(), text * 2, text[::-1], f" {text}"))
            case 6:
                text = text[:at] + rng.choice(NUMBERS) + text[at:]
    return text


def words_of(vocabulary, rng, most=9):
    """Return a few of these words, joined."""
    joint = rng.choice((" ", " ", " ", "", ", ", "  "))
    return joint.join(rng.choice(vocabulary) for _ in range(int(rng.random() * most)))


def any_text(rng):
    """Return a string of random nonsense."""
    length = int(rng.random() * rng.choice((3, 40, 300)))
    if rng.random() < 0.02:
        return rng.choice(ODD) * int(rng.random() * 10_000)
    if rng.random() < 0.5:
        return "".join(rng.choice(ODD) for _ in range(length))
    return "".join(chr(int(rng.random() * 0x110000)) for _ in range(length))


def json_file(document, rng):
    """Return the bytes of a JSON file with a change in the structure or the bytes of this
    document."""
    kind = rng.random()
    if kind < 0.02:
        depth = int(rng.random() * 200_000)
        return (b"[" if rng.random() < 0.5 else b'{"a":') * depth
    if kind < 0.05:
        return any_text(rng).encode("utf-8", "surrogatepass")
    data = json.dumps(_changed(document, rng) if kind < 0.7 else document, indent=1).encode()
    return spoilt(data, rng) if kind > 0.6 else data


def _changed(document, rng):
    changed = copy.deepcopy(document)
    place = changed
    while isinstance(place, dict | list) and place:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = rng.choice(keys)
        inner = place[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.8:
            place = inner
            continue
        match int(rng.random() * 8):
            case 0:
                del place[key]
            case 1 | 5 | 6 | 7 if isinstance(inner, str):
                place[key] = edited(inner, rng)
            case 2 if isinstance(place, dict):
                place[edited(str(key), rng)] = place.pop(key)
            case 3:
                place[key] = [inner]
            case _:
                place[key] = rng.choice(VALUES)
        return changed
    return rng.choice(VALUES)
