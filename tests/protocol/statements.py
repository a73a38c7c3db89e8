"""Statements as JSON, and the verifier's verdicts on them: "ok", or the code of the error.

A statement is an object with a `kind`:

  shuffle     context, purpose, key, before, after (64 bytes a card), proof
  dleq        context, purpose, key, bases, images (32 bytes each), proof
  possession  context, purpose, key, proof

Bytes are hexadecimal; a context is table, sequence, previous, hand, seat.
"""

from __future__ import annotations

from protocol.codes import ProofError
from protocol.crypto import dleq, shuffle
from protocol.crypto.elgamal import Ciphertext, decode_ciphertexts
from protocol.crypto.group import IDENTITY, BadEncoding, Element
from protocol.deck.state import ProofContext


def judge(statement: dict) -> str:
    try:
        _JUDGES[statement["kind"]](statement)
    except (ProofError, BadEncoding) as error:
        return error.code
    return "ok"


def context_of(statement: dict) -> ProofContext:
    fields = statement["context"]
    return ProofContext(
        bytes.fromhex(fields["table"]),
        fields["sequence"],
        bytes.fromhex(fields["previous"]),
        fields["hand"],
        fields["seat"],
    )


def context_fields(context: ProofContext) -> dict:
    return {
        "table": context.table.hex(),
        "sequence": context.sequence,
        "previous": context.previous.hex(),
        "hand": context.hand,
        "seat": context.seat,
    }


def _transcript(statement: dict):
    return context_of(statement).transcript(statement["purpose"])


def _elements(text: str) -> list[Element]:
    """Return the elements in a statement. Readers of a log compute them, so any may be the
    identity."""
    data = bytes.fromhex(text)
    pieces = [data[at : at + 32] for at in range(0, len(data), 32)]
    return [Element.decode(piece) if any(piece) else IDENTITY for piece in pieces]


def _shuffle(statement: dict) -> None:
    elements = _elements(statement["before"])
    before = tuple(map(Ciphertext, elements[::2], elements[1::2]))
    after = decode_ciphertexts(bytes.fromhex(statement["after"]), len(before))
    argument = shuffle.ShuffleArgument.decode(bytes.fromhex(statement["proof"]), len(before))
    (key,) = _elements(statement["key"])
    shuffle.verify(_transcript(statement), key, before, after, argument)


def _dleq(statement: dict) -> None:
    proof = dleq.Proof.decode(bytes.fromhex(statement["proof"]))
    (key,) = _elements(statement["key"])
    bases, images = _elements(statement["bases"]), _elements(statement["images"])
    dleq.verify(_transcript(statement), key, bases, images, proof)


def _possession(statement: dict) -> None:
    proof = dleq.Proof.decode(bytes.fromhex(statement["proof"]))
    key = Element.decode(bytes.fromhex(statement["key"]))
    dleq.verify_possession(_transcript(statement), key, proof)


_JUDGES = {"shuffle": _shuffle, "dleq": _dleq, "possession": _possession}
