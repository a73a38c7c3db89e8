"""The errors that protocol.crypto raises for an invalid value from a peer."""

from __future__ import annotations


class ProofError(ValueError):
    """A received proof or masked card is invalid."""

    code = "bad-proof"


class BadProof(ProofError):
    """The proof doesn't prove its statement."""


class BadLength(ProofError):
    """A field has the wrong number of bytes."""

    code = "bad-length"
