"""A second implementation of a verifier, written from PROTOCOL.md and entry.proto alone.

Whoever wrote it had the document, the public standards that it names and one log, and had not seen
the project's code until it found that log valid. It shares nothing with it: own protobuf,
ristretto255, Ed25519, transcripts, proofs, state machine, rules and audit, in plain Python without
any package. So where it and the referee agree, the document says enough; where they do not, one of
the three is wrong. The cryptography, the deal and the scores are as they were first written; what
[7.1] and [8.10] say about codes and blame was guessed at first, and followed here when the two had
been compared and the document had been made to say it.

    python -m tests.stranger LOG      prints the verdict as one line of JSON

refusal   why an entry is refused
group     edwards25519: ristretto255 and Ed25519
wire      log files and the canonical encoding of entries
proofs    hashes, transcripts, proofs, seeds
gin       the rules of the game
log       the match: who owes what, and the verdict

Numbers in brackets are sections of PROTOCOL.md. It judges public data only and is slow: some two
seconds for a hand.
"""
