"""The worked examples of PROTOCOL.md 0.5 and appendix A, made from the vectors.

`python -m tests.protocol.worked` replaces the blocks of the same names in PROTOCOL.md and WIRE.md.
Run it after tests/protocol/golden.py has changed the vectors. tests/protocol/test_worked.py checks
the examples in the documents.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from protocol.crypto.group import ORDER, Element, base_multiple, multi_multiply
from protocol.crypto.hashing import Transcript, frame
from tests.protocol.golden import read
from tests.protocol.statements import context_of

DOCUMENTS = [Path(__file__).parents[2] / "proto" / name for name in ("PROTOCOL.md", "WIRE.md")]

Row = tuple[str, str]

# --- the toy of 0.5 -------------------------------------------------------------------------

MODULUS, BASE = 101, 7
CARDS = {"A": 17, "K": 35, "Q": 58, "J": 80}
KEYS = {"D": 3, "N": 5}
TAKEN = {"D": (2, 0, 3, 1), "N": (3, 2, 1, 0)}
MASKS = {"D": (4, 9, 2, 6), "N": (8, 5, 11, 3)}

Toy = list[tuple[int, int]]


def toy_shuffle(deck: Toy, key: int, taken: Iterable[int], masks: Iterable[int]) -> Toy:
    """Shuffle and mask a deck of numbers modulo 101 (PROTOCOL 6.2)."""
    return [
        ((deck[j][0] + r * BASE) % MODULUS, (deck[j][1] + r * key) % MODULUS)
        for j, r in zip(taken, masks, strict=True)
    ]


def toy() -> str:
    """Return the whole example: keys, two shuffles, the shares, the result, and who reads what."""
    public = {player: secret * BASE % MODULUS for player, secret in KEYS.items()}
    joint = sum(public.values()) % MODULUS
    opened = [(0, point) for point in CARDS.values()]
    first = toy_shuffle(opened, joint, TAKEN["D"], MASKS["D"])
    second = toy_shuffle(first, joint, TAKEN["N"], MASKS["N"])
    shares = {p: [secret * c1 % MODULUS for c1, _ in second] for p, secret in KEYS.items()}
    given = {"D": (0, 2), "N": (1, 2)}  # N's card and the upcard, D's card and the upcard
    left = [
        (c1, (c2 - sum(shares[p][at] for p in KEYS if at in given[p])) % MODULUS)
        for at, (c1, c2) in enumerate(second)
    ]
    points = {point: card for card, point in CARDS.items()}
    own = [KEYS["N"] * left[0][0] % MODULUS, KEYS["D"] * left[1][0] % MODULUS]
    read_by = [points[(left[at][1] - own[at]) % MODULUS] for at in (0, 1)] + [points[left[2][1]]]

    def row(name: str, cells: Iterable[object]) -> str:
        return f"{name:<24}" + "".join(f"{cell!s:<12}" for cell in cells).rstrip()

    def shown(player: str) -> list[object]:
        return [share if at in given[player] else "-" for at, share in enumerate(shares[player])]

    lines = [
        "cards    " + "   ".join(f"{card} = {point}" for card, point in CARDS.items()),
        f"keys     x_D = {KEYS['D']}, Y_D = {public['D']}   "
        f"x_N = {KEYS['N']}, Y_N = {public['N']}   Y = {joint}",
        "",
        row("", (f"place {at}" for at in range(4))),
        row("open deck", opened),
        row("D takes from place", TAKEN["D"]),
        row("  and masks with", MASKS["D"]),
        row("deck 1", first),
        row("N takes from place", TAKEN["N"]),
        row("  and masks with", MASKS["N"]),
        row("deck 2", second),
        row("is dealt to", ("N", "D", "both", "nobody")),
        row("shares by D, 3 * c1", shown("D")),
        row("shares by N, 5 * c1", shown("N")),
        row("left, c2 - shares", (c2 for _, c2 in left)),
        row("own lock, x * c1", (*own, "-", "-")),
        row("reads", (*read_by, "-")),
    ]
    return "\n".join(lines)


# --- appendix A -----------------------------------------------------------------------------


def _hex(rows: Iterable[Row], width: int = 12) -> str:
    """Return the names and bytes of these rows, 32 bytes to a line."""
    lines = []
    for name, digits in rows:
        for at in range(0, len(digits), 64):
            lines.append(f"{name if not at else '':<{width}}{digits[at : at + 64]}")
    return "\n".join(lines)


OFFER = (
    ("table", 34),
    ("previous", 34),
    ("offer", 2),
    ("version", 2),
    ("key", 34),
    ("name", 11),
    ("rules", 10),
    ("disclosure", 2),
    ("nonce", 34),
    ("started", 6),
)
"""The fields of the vectors' first entry, and their lengths with key and length."""


def entry() -> str:
    """Return the block for A.2: the first entry of entry.json."""
    vector = read("entry")
    link = vector["chain"][0]
    body, at, rows = link["body"], 0, []
    for name, length in OFFER:
        rows.append((name, body[2 * at : 2 * (at + length)]))
        at += length
    assert 2 * at == len(body)
    return _hex(
        [
            ("secret", vector["secret keys"][0]),
            *rows,
            ("prefix", frame("ginpeer/v1", b"entry").hex()),
            ("signature", link["signature"]),
            ("hash", link["hash"]),
        ]
    )


def transcript() -> str:
    """Return the block for A.3: the first conversation of transcript.json."""
    said = read("transcript")["conversations"][0]
    ((name, data),), ((challenge, scalar),) = said["appended"], said["challenges"]
    parts = [
        ("begin", frame("ginpeer/v1", said["label"].encode())),
        (name, frame(name, bytes.fromhex(data))),
        ("challenge", frame("challenge", challenge.encode())),
    ]
    digest = hashlib.sha512(b"".join(part for _, part in parts)).hexdigest()
    rows = [(label, part.hex()) for label, part in parts]
    return _hex([*rows, ("sha-512", digest), ("scalar", scalar)])


def dleq() -> str:
    """Return the block for A.4: the first true statement of proofs.json about three pairs."""
    statement = next(
        each
        for each in read("proofs")["statements"]
        if (each["kind"], each["expect"], len(each.get("bases", ""))) == ("dleq", "ok", 3 * 64)
    )
    context = context_of(statement)
    said: Transcript = context.transcript(statement["purpose"])
    rows = [
        ("begin", frame("ginpeer/v1", statement["purpose"].encode()).hex()),
        ("table", frame("table", context.table).hex()),
        ("sequence", frame("sequence", context.sequence.to_bytes(8, "big")).hex()),
        ("previous", frame("previous", context.previous).hex()),
        ("hand", frame("hand", context.hand.to_bytes(8, "big")).hex()),
        ("seat", frame("seat", context.seat.to_bytes(8, "big")).hex()),
    ]
    for name in ("key", "bases", "images"):
        said.append(name, bytes.fromhex(statement[name]))
        rows.append((name, statement[name]))
    weights = said.challenges("weight", 3)
    rows += [(f"w_{at}", weight.to_bytes(32, "little").hex()) for at, weight in enumerate(weights)]
    bases, images = elements(statement["bases"]), elements(statement["images"])
    M, Z = multi_multiply(weights, bases), multi_multiply(weights, images)
    c, s = (int.from_bytes(bytes.fromhex(statement["proof"])[at:][:32], "little") for at in (0, 32))
    (key,) = elements(statement["key"])
    t2 = base_multiple(s) + c * key
    t3 = multi_multiply((s, c), (M, Z))
    assert max(c, s) < ORDER
    rows += [("M", M.encoded.hex()), ("Z", Z.encoded.hex())]
    rows += [("c", statement["proof"][:64]), ("s", statement["proof"][64:])]
    return _hex([*rows, ("t2", t2.encoded.hex()), ("t3", t3.encoded.hex())])


def elements(digits: str) -> tuple[Element, ...]:
    data = bytes.fromhex(digits)
    return tuple(Element.decode(data[at : at + 32]) for at in range(0, len(data), 32))


def greeting() -> str:
    """Return the block for A.5: the first greeting of greeting.json."""
    vector = read("greeting")
    said = vector["greetings"][0]
    own = frame("ginpeer/v1", b"invite-proof") + frame("role", b"guest")
    signed = frame("ginpeer/v1", b"welcome") + frame("role", b"host")
    names = ("host-secret", "guest-secret"), ("host-key", "guest-key")
    return _hex(
        [
            *zip(names[0], vector["secret keys"], strict=True),
            *zip(names[1], vector["keys"], strict=True),
            ("exporter", vector["exporter"]),
            ("secret", vector["invite's secret"]),
            ("link", vector["link"]),
            ("proof-head", own.hex()),
            ("hello-0", said["hello without proof"]),
            ("proof", said["proof"]),
            ("hello", said["hello"]),
            ("sign-head", signed.hex()),
            ("welcome-0", said["welcome without signature"]),
            ("signature", said["signature"]),
            ("welcome", said["welcome"]),
        ],
        width=14,
    )


BLOCKS = {
    "toy": toy,
    "entry": entry,
    "transcript": transcript,
    "dleq": dleq,
    "greeting": greeting,
}


def block_of(document: str, name: str) -> str:
    """Return the text between the marks of this block."""
    found = re.search(rf"^```text {name}\n(.*?)\n```$", document, re.MULTILINE | re.DOTALL)
    assert found is not None, f"the document has no block named {name}"
    return found[1]


if __name__ == "__main__":
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for name in re.findall(r"^```text (\w+)$", text, re.MULTILINE):
            head = f"```text {name}\n"
            text = text.replace(head + block_of(text, name), head + BLOCKS[name]())
        document.write_text(text, encoding="utf-8")
