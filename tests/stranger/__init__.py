"""A second implementation of the cryptography, written from PROTOCOL.md alone.

Its authors had the document, the public standards that it names and one log. They didn't see the
project's code until they had found that log valid. It shares nothing with the project's code: its
own ristretto255, Ed25519, transcripts, proofs and audit are plain Python without any package. If it
agrees with the referee, the document is precise enough. If not, the stranger, the referee or the
document is wrong.

refusal   why an entry is refused
group     edwards25519: ristretto255 and Ed25519
proofs    hashes, transcripts, proofs, seeds
deck      the deck of a hand: what entries do to it, and the audit

Numbers in brackets are sections of PROTOCOL.md. This implementation judges public data only and is
slow: about a second for a hand. The rules, the log and its encoding have another second
implementation, the verifier that a page carries (tests/page_verifier).
"""
