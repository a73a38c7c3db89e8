"""Goodbyes: what we tell a peer that we leave, and how what a peer tells us is quoted."""

from __future__ import annotations

from ginpeer.names.quoting import in_quotes
from ginpeer.net.handshake import REFUSALS
from protocol.frames import MAX_SENTENCE, PAUSED, Goodbye, MalformedFrame

GOODBYES = frozenset(REFUSALS) | {
    *("after-the-end", "bad-encoding", "bad-proof", "bad-signature", "closed", "declined"),
    *("duplicate", "finished", "flood", "frame-empty", "frame-not-canonical", "frame-too-large"),
    *("frame-unexpected", "kept", "left", "log-full", "signed-twice"),
    *("log-withheld", "other-match", "out-of-turn", PAUSED, "pong-unasked", "rules-unsupported"),
    *("takes-up-stored", "welcome-forged", "wrong-previous", "wrong-sequence", "wrong-table"),
}
"""The codes of goodbyes that say nothing but why, and so may stand in a sentence of ours."""


SAID = " The other side said: "
"""Between why the other side has left, in our words, and what its player has typed for it."""


def goodbye_for(code: str, sentence: str) -> Goodbye:
    """What to tell the peer; never a reason to fail, whatever the code looks like."""
    try:
        return Goodbye(code, sentence[:MAX_SENTENCE])
    except MalformedFrame:
        return Goodbye("closed", "")


def words_of(goodbye: Goodbye) -> str:
    """A peer's sentence in quotation marks that it cannot end by itself."""
    return in_quotes(goodbye.sentence)


def said_by(goodbye: Goodbye) -> str:
    """A peer's sentence and code. What is no code of ours is its words, too: for
    (you-won-224-to-82) reads like something that we say."""
    if goodbye.code in GOODBYES:
        return f"{words_of(goodbye)} ({goodbye.code})"
    return in_quotes(f"{goodbye.sentence} ({goodbye.code})")
