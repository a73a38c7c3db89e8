"""What a log proves against a player, in lines for a person.

# A convicted key is not a person, and says nothing of intent. The key comes first: what a player is
# called is that player's choice, and stands in quotation marks behind it.
"""

from __future__ import annotations

from ginpeer.names.quoting import safe_quote
from ginpeer.record.verdict_document import (
    SECTIONS,
    convicted_signer,
    decode_message,
    describe_message,
)
from ginpeer.referee.table import ROLES
from ginpeer.referee.verdict import Verdict
from protocol.crypto.identity import fingerprint
from protocol.entry import entry_hash

_HASH_DIGITS = 16
"""Digits of an entry's hash that a person is shown; the JSON has all."""


def evidence_lines(verdict: Verdict) -> list[str]:
    """Who is convicted by what: the key, the entry or the two entries, and the rule."""
    conviction = verdict.conviction
    if conviction is None:
        return []
    seat = conviction.seat
    name, key = convicted_signer(verdict, conviction)
    lines = [f"Signed by: key {fingerprint(key)}, the {ROLES[seat]}, called {safe_quote(name)}."]
    file_place = f"entry {verdict.entries} of this file"
    if conviction.admitted is None:
        lines.append(f"The entry: {_described(conviction.entry)}.")
    else:
        lines += [
            f"Entry {conviction.place}: {_described(conviction.admitted)}.",
            f"Signed for the same place, {file_place}: {_described(conviction.entry)}.",
        ]
    if verdict.code in SECTIONS:
        lines.append(f"The rule: PROTOCOL.md, {SECTIONS[verdict.code]}.")
    return lines


def is_fork(verdict: Verdict) -> bool:
    """Whether the same player signed both entries of one place."""
    return verdict.code == "fork"


def _described(raw: bytes) -> str:
    message = decode_message(raw)
    says = "what cannot be read" if message is None else describe_message(message)
    return f"{says}, hash {entry_hash(raw).hex()[:_HASH_DIGITS]}"
