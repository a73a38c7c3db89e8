"""For each kind of proof, an entry with a good proof and the same entry with a bad one."""

from dataclasses import dataclass

from protocol import messages as m
from protocol.crypto.group import BASE, ORDER
from tests.cheating.cheat import RecordedMatch, one_hand
from tests.cheating.lies import inner, lying
from tests.matches.variants import mahjong


@dataclass(frozen=True)
class Pair:
    """The honest entry k of a match, and an entry for the same place with an invalid proof."""

    name: str
    match: RecordedMatch
    k: int
    bad: bytes


def next_scalar(proof, at=-1):
    """Return the proof with one of its 32-byte scalars, counted from the end, increased by one."""
    end = len(proof) + 32 * (at + 1)
    scalar = (int.from_bytes(proof[end - 32 : end], "little") + 1) % ORDER
    return proof[: end - 32] + scalar.to_bytes(32, "little") + proof[end:]


def other_element(data, at=0):
    """Return the proof with one of its elements replaced."""
    return data[: 32 * at] + BASE.encoded + data[32 * (at + 1) :]


def swapped_cards(data):
    """Return the cards with the first two ciphertexts swapped."""
    return data[64:128] + data[:64] + data[128:]


BAD = {
    "possession": (next_scalar,),
    "deck": (swapped_cards, other_element),
    "hand": (swapped_cards, other_element),
    "argument": (next_scalar, other_element, lambda argument: next_scalar(argument, -2)),
    "shares": (other_element,),
    "share": (other_element,),
    "proof": (next_scalar, lambda proof: next_scalar(proof, -2)),
    "opening": (next_scalar,),
}
"""The part of a message to corrupt, and how. All of the results can still be decoded."""


def pairs():
    """Yield every way of corrupting every proof in every kind of entry that has one."""
    for match in (one_hand(), mahjong()):
        first = {}
        for step in match.steps:
            first.setdefault(type(step.message), step.sequence)
        for kind, k in first.items():
            if kind in (m.Offer, m.Accept):
                continue
            honest, cheat, table = match.steps[k].message, match.author(k), match.table_at(k)
            for name, changes in BAD.items():
                value = getattr(inner(honest), name, b"")
                for number, change in enumerate(changes if value else ()):
                    message = lying(honest, name, change(value))
                    what = f"{kind.__name__}.{name} {number + 1}"
                    yield Pair(what, match, k, cheat.sign(table, message))
