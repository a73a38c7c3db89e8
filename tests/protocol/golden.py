"""Vectors with which a second implementation of PROTOCOL.md can be checked.

`python -m tests.protocol.golden` rewrites the files in tests/vectors/protocol. They change only
together with PROTOCOL.md: if you have to run this, you have changed what is signed in every log.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ginpeer.net.handshake import ChannelBinding, invite_proof, welcome_statement
from protocol import messages as m
from protocol.crypto import dleq
from protocol.crypto.elgamal import encode_ciphertexts
from protocol.crypto.group import ORDER, Element, base_multiple, encode_scalar
from protocol.crypto.hashing import (
    Transcript,
    derive_seed,
    expand_permutation,
    expand_scalars,
    hash_to_group,
)
from protocol.crypto.identity import IdentityKey
from protocol.crypto.shuffle import Shuffle, ShuffleArgument, commit, generators
from protocol.crypto.shuffle import prove as prove_shuffle
from protocol.deck.secrets import (
    HandSecrets,
    cut_cards,
    cut_commitment,
    knock_card,
    seed_commitment,
    toss_commitment,
)
from protocol.deck.state import ProofContext, card_points, open_deck
from protocol.entry import GENESIS, encode_body, entry_hash, kind_name, sign_entry
from protocol.frames import Hello, Position, Welcome, encode_frame
from tests.protocol.statements import context_fields

FOLDER = Path(__file__).parent.parent / "vectors" / "protocol"
CONTEXT = ProofContext(b"\x01" * 32, 17, b"\x02" * 32, 3, 1)
SEED = bytes(range(32))


def read(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def transcript() -> Any:
    """Return vectors for PROTOCOL 5.1 to 5.3."""
    conversations = [
        ("possession", [("key", b"\x05" * 32)], ["possession"]),
        ("shuffle", [("n", (52).to_bytes(8, "big")), ("", b"")], ["x", "y", "z", "weight"]),
        ("", [], ["e", "e"]),
    ]
    made = []
    for label, appended, labels in conversations:
        said = Transcript(label)
        for name, data in appended:
            said.append(name, data)
        made.append(
            {
                "label": label,
                "appended": [[name, data.hex()] for name, data in appended],
                "challenges": [
                    [name, encode_scalar(said.challenge(name)).hex()] for name in labels
                ],
            }
        )
    return {
        "section": "PROTOCOL 5.1-5.3",
        "conversations": made,
        "place in the log": {
            "context": context_fields(CONTEXT),
            "purpose": "share",
            "next challenge": [
                "dleq",
                encode_scalar(CONTEXT.transcript("share").challenge("dleq")).hex(),
            ],
        },
    }


def points() -> Any:
    """Return vectors for PROTOCOL 4.2 and 4.4."""
    return {
        "section": "PROTOCOL 4.2, 4.4",
        "cards": [point.encoded.hex() for point in card_points()],
        "generators": {str(i): generators(52)[i - 1].encoded.hex() for i in (1, 2, 3, 11, 52)},
        "commitment": {
            "values": [1, 2, 3],
            "blinding": 4,
            "element": commit([1, 2, 3], 4).encoded.hex(),
        },
    }


def expansion() -> Any:
    """Return vectors for PROTOCOL 6.2."""
    secrets = HandSecrets(SEED)
    key, hand = secrets.public_key, open_deck()[:11]
    shuffles = {
        "deal, the open deck": secrets.deal_shuffle(key, open_deck()),
        "deal, the open deck backwards": secrets.deal_shuffle(key, open_deck()[::-1]),
        "riffle, the first 11 cards of the open deck": secrets.riffle(hand),
        "riffle, the first 2": secrets.riffle(hand[:2]),
    }
    return {
        "section": "PROTOCOL 6.2",
        "seed": SEED.hex(),
        "commitment": {
            "table": "01" * 32,
            "hand": 3,
            "seat": 1,
            "is": seed_commitment(b"\x01" * 32, 3, 1, SEED).hex(),
        },
        "key": encode_scalar(secrets.key).hex(),
        "public key": key.encoded.hex(),
        "derived": {
            label: derive_seed(SEED, label, key.encoded + encode_ciphertexts(hand)).hex()
            for label in ("deal-shuffle", "riffle")
        },
        "shuffles": {
            name: {
                "permutation": list(shuffle.permutation),
                "first blinding": encode_scalar(shuffle.blindings[0]).hex(),
                "last blinding": encode_scalar(shuffle.blindings[-1]).hex(),
            }
            for name, shuffle in shuffles.items()
        },
    }


def cut() -> Any:
    """Return vectors for PROTOCOL 6.1."""
    made = []
    for i in range(6):
        table, host, guest = (bytes([3 * i + j]) * 32 for j in range(3))
        made.append(
            {
                "table": table.hex(),
                "host": host.hex(),
                "guest": guest.hex(),
                "commitment": cut_commitment(table, host).hex(),
                "cards": list(cut_cards(table, host, guest)),
            }
        )
    return {"section": "PROTOCOL 6.1", "cuts": made}


def toss() -> Any:
    """Return vectors for PROTOCOL 6.9."""
    made = []
    for i in range(6):
        table, dealers, others = (bytes([3 * i + j]) * 32 for j in range(3))
        made.append(
            {
                "table": table.hex(),
                "hand": i + 1,
                "dealer's seed": dealers.hex(),
                "other's seed": others.hex(),
                "dealer's half": HandSecrets(dealers).toss.hex(),
                "other's half": HandSecrets(others).toss.hex(),
                "commitment": toss_commitment(table, i + 1, HandSecrets(dealers).toss).hex(),
                "card": knock_card(
                    table, i + 1, HandSecrets(dealers).toss, HandSecrets(others).toss
                ),
            }
        )
    return {"section": "PROTOCOL 6.9", "tosses": made}


def entry() -> Any:
    """Return vectors for PROTOCOL 2: a chain of entries of many kinds, which form no match."""
    host, guest = IdentityKey(b"\x0a" * 32), IdentityKey(b"\x0b" * 32)
    table = b"\x01" * 32
    said = [
        (
            host,
            m.Offer(
                1,
                host.public,
                "Ada Löwe",
                "standard",
                m.Disclosure.AFTER_MATCH,
                b"\x04" * 32,
                1_700_000_000,
            ),
        ),
        (guest, m.Accept(guest.public, "Ben", "standard", b"\x05" * 32)),
        (host, m.CutCommit(b"\x06" * 32)),
        (guest, m.DealKey(b"\x07" * 32, b"key", b"possession")),
        (host, m.DealCommit(b"\x07" * 32, b"\x0c" * 32)),
        (host, m.Pass()),
        (guest, m.Share(b"share", b"proof")),
        (host, m.Discard(b"hand", b"argument", 0, 0, b"opening")),
        (guest, m.Knock(b"hand", b"argument", (0, 1, 2, 51), 0, ((0, 1, 2),), b"opening")),
        (host, m.Knock(b"hand", b"argument", (0, 1, 2), None, (), b"opening")),
        (
            guest,
            m.Spread((3, 2), ((7, 20, 33),), (m.LayOff(3, 0), m.LayOff(46, 1)), b"opening"),
        ),
        (
            host,
            m.Lay(
                b"hand",
                b"argument",
                (0, 2, 3, 10),
                (33, 20, 7, 6),
                ((7, 20, 33),),
                (m.LayOff(6, 0),),
                b"opening",
            ),
        ),
        (
            guest,
            m.TakeDiscards(2, m.Lay(b"", b"", (0,), (51,), (), (m.LayOff(51, 16),), b"opening")),
        ),
        (host, m.Settle(7, 0, 245, m.Winner.GUEST)),
        (guest, m.Settle(8, -40, -(2**31) + 1, m.Winner.NOBODY)),
        (guest, m.Disclose((b"\x08" * 32, b"\x09" * 32))),
    ]
    chain, previous = [], GENESIS
    for sequence, (author, message) in enumerate(said):
        body = m.Body(table, sequence, previous, message)
        raw = sign_entry(author, body)
        previous = entry_hash(raw)
        chain.append(
            {
                "message": {kind_name(type(message)): _shown(asdict(message))},
                "author": author.public.hex(),
                "body": encode_body(body).hex(),
                "signature": raw[-64:].hex(),
                "hash": previous.hex(),
            }
        )
    return {
        "section": "PROTOCOL 2",
        "secret keys": [host.secret_seed.hex(), guest.secret_seed.hex()],
        "chain": chain,
    }


def _shown(value: Any) -> Any:
    """Return a message's fields as JSON, with byte strings in hexadecimal."""
    match value:
        case bytes():
            return value.hex()
        case dict():
            return {name: _shown(part) for name, part in value.items()}
        case tuple():
            return [_shown(part) for part in value]
        case _:
            return value


def greeting() -> Any:
    """Return vectors for PROTOCOL 9.3: two greetings as they are sent. TLS is represented only by
    its exporter."""
    host, guest = IdentityKey(b"\x0a" * 32), IdentityKey(b"\x0b" * 32)
    secret, link = bytes(range(10)), ChannelBinding(b"\x0c" * 32, host.public, guest.public)
    position = Position(b"\x01" * 32, 40, b"\x02" * 32)
    made = []
    for hello, answer in (
        (Hello((1,), b"", None, "ginpeer 1"), Welcome(1, None, "ginpeer 1", bytes(64))),
        (
            Hello((1, 2), b"", position, "other", (1, 3, 2**31)),
            Welcome(1, replace(position, sequence=42), "ginpeer 1", bytes(64), (1,)),
        ),
    ):
        proven = replace(hello, proof=invite_proof(secret, link, hello))
        signed = host.sign(welcome_statement(link, proven, answer))
        made.append(
            {
                "hello without proof": encode_frame(hello).hex(),
                "proof": proven.proof.hex(),
                "hello": on_the_wire(encode_frame(proven)).hex(),
                "welcome without signature": encode_frame(answer).hex(),
                "signature": signed.hex(),
                "welcome": on_the_wire(encode_frame(replace(answer, signature=signed))).hex(),
            }
        )
    return {
        "section": "PROTOCOL 9.3",
        "secret keys": [(bytes([byte]) * 32).hex() for byte in (0x0A, 0x0B)],
        "keys": [host.public.hex(), guest.public.hex()],
        "exporter": link.exporter.hex(),
        "invite's secret": secret.hex(),
        "link": bytes(link).hex(),
        "greetings": made,
    }


def on_the_wire(frame: bytes) -> bytes:
    """Return the bytes of a frame as they are sent (PROTOCOL 9.1)."""
    return len(frame).to_bytes(4, "big") + frame


def proofs() -> Any:
    """Return vectors for PROTOCOL 5.4 to 5.6: statements, with the verdict on top."""
    secret = HandSecrets(SEED).key
    key = base_multiple(secret)
    made = [
        *_about(_possession(secret, key), ["key", "proof"]),
        *_about(_dleq(secret, key, 1), ["key", "bases", "images", "proof"]),
        *_about(_dleq(secret, key, 3), ["key", "bases", "images", "proof"]),
        *_about(_shuffle(key, 2, masked=False), ["key", "after", "proof"]),
        *_about(_shuffle(key, 3, masked=True), ["key", "before", "after", "proof"]),
    ]
    return {"section": "PROTOCOL 5.4-5.6", "statements": made}


def statement(kind: str, purpose: str, **fields: bytes) -> dict:
    return {
        "expect": "ok",
        "kind": kind,
        "purpose": purpose,
        "context": context_fields(CONTEXT),
        **{name: data.hex() for name, data in fields.items()},
    }


def _joined(elements: list[Element]) -> bytes:
    return b"".join(element.encoded for element in elements)


def _possession(secret: int, key: Element) -> dict:
    proof = dleq.prove_possession(CONTEXT.transcript("possession"), secret, key)
    return statement("possession", "possession", key=key.encoded, proof=proof.encoded)


def _dleq(secret: int, key: Element, count: int) -> dict:
    bases = [hash_to_group(bytes([i]), b"ginpeer vectors") for i in range(count)]
    images = [secret * base for base in bases]
    proof = dleq.prove(CONTEXT.transcript("share"), secret, key, bases, images)
    return statement(
        "dleq",
        "share",
        key=key.encoded,
        bases=_joined(bases),
        images=_joined(images),
        proof=proof.encoded,
    )


def _shuffle(key: Element, n: int, *, masked: bool) -> dict:
    before = open_deck()[:n]
    if masked:
        before = Shuffle(tuple(range(n)), expand_scalars(SEED, "vector-mask", n)).apply(key, before)
    witness = Shuffle(
        expand_permutation(SEED, "vector-permutation", n),
        expand_scalars(SEED, "vector-blinding", n),
    )
    after = witness.apply(key, before)
    transcript = CONTEXT.transcript("shuffle")
    argument: ShuffleArgument = prove_shuffle(transcript, key, before, after, witness)
    return statement(
        "shuffle",
        "shuffle",
        key=key.encoded,
        before=encode_ciphertexts(before),
        after=encode_ciphertexts(after),
        proof=argument.encoded,
    )


def _about(honest: dict, fields: list[str]) -> list[dict]:
    """Return the statement, and copies of it with one field changed."""
    made = [honest]
    for field in fields:
        data = bytes.fromhex(honest[field])
        other = hash_to_group(b"other", b"ginpeer vectors").encoded
        if field == "proof":
            changed = data[:-32] + encode_scalar((int.from_bytes(data[-32:], "little") + 1) % ORDER)
        else:
            changed = data[:-32] + other
        made.append({**honest, "expect": "bad-proof", field: changed.hex()})
    for name, other_place in (("seat", 0), ("sequence", 18), ("previous", "03" * 32)):
        moved = {**honest["context"], name: other_place}
        made.append({**honest, "expect": "bad-proof", "context": moved})
    proof = bytes.fromhex(honest["proof"])
    last = int.from_bytes(proof[-32:], "little") + ORDER
    second = proof[:-32] + last.to_bytes(32, "little")
    made.append({**honest, "expect": "bad-encoding", "proof": second.hex()})
    made.append({**honest, "expect": "bad-length", "proof": proof[:-1].hex()})
    return made


VECTORS = {
    "transcript": transcript,
    "points": points,
    "expansion": expansion,
    "cut": cut,
    "toss": toss,
    "entry": entry,
    "greeting": greeting,
    "proofs": proofs,
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, make in VECTORS.items():
        text = json.dumps(make(), ensure_ascii=False, indent=1) + "\n"
        (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")
