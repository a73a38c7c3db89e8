"""A second implementation of a verifier, written from PROTOCOL.md and entry.proto alone.

Whoever wrote it had the document, the public standards that it names and one log, and had not seen
the project's code until it found that log valid; so too when the variants of the game came, with
the logs of five matches, and when it was brought up to a document much changed. It shares nothing
with the code: own protobuf, ristretto255, Ed25519, transcripts, proofs, state machine, rules and
audit, in plain Python without any package. So where it and the referee agree, the document says
enough; where they do not, one of the three is wrong. What [7.1] and [8.12] say about codes and
blame was guessed at first, and followed here when the two had been compared and the document had
been made to say it.

    python -m tests.stranger LOG      prints the verdict as one line of JSON

refusal   why an entry is refused
group     edwards25519: ristretto255 and Ed25519
wire      log files and the canonical encoding of entries
proofs    hashes, transcripts, proofs, seeds
deck      the deck of a hand: what entries do to it, and the audit
rule_text rule sets and their canonical texts
gin       the rules of a hand
scores    who deals; columns, games, the match
log       the match: who owes what, and the verdict

Numbers in brackets are sections of PROTOCOL.md. It judges public data only and is slow: about
a second for a hand. `Match(unproven=True)` believes the proofs of a match in the toy group, and
judges all else, as the tests do with long matches.

compared  puts the referee and the stranger before the same entry, for the tests: the one module
          here that knows the project's code
"""
