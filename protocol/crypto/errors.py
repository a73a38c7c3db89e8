"""What the crypto floor raises when something that was received does not hold."""

from __future__ import annotations


class ProofError(ValueError):
    """A proof or a masked card that was received does not hold."""

    code = "bad-proof"


class BadProof(ProofError):
    """The proof does not hold for its statement."""


class BadLength(ProofError):
    """A field has the wrong number of bytes."""

    code = "bad-length"
