"""What a log proves against a player, as data: which entry, signed by whom, against which section.

# Rule 1: the referee has convicted (ginpeer.referee.verdict); here it is told, and nothing judged.
# Rule 2: whoever hands on such a log could have made up everything in it but that signature, so
#         both entries of a fork are shown with their hashes, by which they are found in the file.
# Rule 3: what stands in an entry was written by a stranger; it passes through ginpeer.names.quoting.
"""

from __future__ import annotations

from typing import Any

from ginpeer.names.quoting import display_name, safe, safe_quote
from ginpeer.referee.table import ROLES
from ginpeer.referee.verdict import Conviction, Verdict
from ginpeer.rules.cards import CARDS, RulesError
from ginpeer.rules.ruleset import parse_ruleset
from protocol import messages as m
from protocol.codec.entries import NotCanonical, kind_name
from protocol.crypto.identity import fingerprint
from protocol.entry import NotAnEntry, RawEntry, entry_hash

# The sections of PROTOCOL.md that say what an entry with this code breaks.
SECTIONS = {
    "add-does-not-fit": "8.11",
    "after-the-end": "3.3",
    "audit-failed": "6.8",
    "bad-encoding": "4.1",
    "bad-length": "4.1",
    "bad-proof": "5.4 to 5.6, 6.3, 6.7",
    "card-missing": "8.3",
    "card-not-held": "8.3, 8.5",
    "card-used-twice": "8.5, 8.11",
    "cut-mismatch": "6.1",
    "fork": "7.3",
    "just-taken": "8.2, 8.11",
    "knock-over-limit": "8.5",
    "layoff-does-not-fit": "8.6",
    "layoff-on-gin": "8.6",
    "lowest-not-laid": "8.11",
    "malformed": "3.4",
    "no-big-gin": "8.5",
    "no-discard": "8.5",
    "no-knocking": "8.5",
    "not-a-meld": "8.5, 8.11",
    "not-allowed-now": "3.3",
    "not-canonical": "2.2",
    "not-mahjong": "8.11",
    "out-of-turn": "3.3",
    "pile-too-small": "8.11",
    "rules-differ": "3.4",
    "rules-not-canonical": "8.12",
    "seed-mismatch": "6.8",
    "too-late": "8.11",
    "toss-mismatch": "6.9",
    "unreadable-move": "8.5, 8.11",
    "wrong-cards": "8.11",
    "wrong-hand": "8.5, 8.6, 8.11",
    "wrong-phase": "8.4",
    "wrong-previous": "2.3",
    "wrong-score": "8.10",
    "wrong-seed-count": "6.8",
    "wrong-toss": "6.9",
}


def evidence_document(verdict: Verdict) -> dict[str, Any] | None:
    """Who is convicted by what, for programs; None where nobody is. Its keys are described at the
    head of ginpeer.record.verdict_document."""
    conviction = verdict.conviction
    if conviction is None:
        return None
    name, key = convicted_signer(verdict, conviction)
    return {
        "name": safe(name),
        "key": key.hex(),
        "fingerprint": fingerprint(key),
        "place": conviction.place,
        "sections": SECTIONS.get(verdict.code),
        "signed": _entry(conviction.entry),
        "admitted": None if conviction.admitted is None else _entry(conviction.admitted),
    }


def convicted_signer(verdict: Verdict, conviction: Conviction) -> tuple[str, bytes]:
    """The convicted player's name and key. An offer or acceptance that is refused is signed by the
    key that it brings along, which the table does not know."""
    message = decode_message(conviction.entry)
    key = verdict.table.keys[conviction.seat]
    if key is None and isinstance(message, m.Offer | m.Accept):
        return message.name, message.key
    return verdict.table.names[conviction.seat], key or b""


def _entry(raw: bytes) -> dict[str, str | None]:
    message = decode_message(raw)
    return {
        "kind": None if message is None else kind_name(type(message)),
        "says": None if message is None else describe_message(message),
        "hash": entry_hash(raw).hex(),
    }


def decode_message(raw: bytes) -> m.Message | None:
    """What an entry says, whoever has signed it; None where it cannot be read."""
    try:
        return RawEntry.split(raw).decode().message
    except (NotAnEntry, NotCanonical, m.Malformed):
        return None


def describe_message(message: m.Message) -> str:
    """What an entry claims, as far as everybody can read it, be it true or not."""
    kind = kind_name(type(message)).replace("_", " ")
    match message:
        case m.Offer():
            rules = _rules(message.rules)
            return f"offer by {display_name(message.name)} of a match by the rules {rules}"
        case m.Accept():
            return (
                f"acceptance by {display_name(message.name)} of the rules {_rules(message.rules)}"
            )
        case m.Discard():
            return f"discard {CARDS[message.card]}"
        case m.Knock():
            thrown = "none" if message.discard is None else str(CARDS[message.discard])
            return f"knock, cards {_cards(message.cards)}, discard {thrown}"
        case m.Spread():
            return f"spread, cards {_cards(message.cards)}, {_laid(message.layoffs)}"
        case m.Lay():
            return f"lay {_cards(message.cards)}"
        case m.TakeDiscards():
            return f"take {_count(message.count, 'discard')}, lay {_cards(message.lay.cards)}"
        case m.Settle():
            winner = int(message.winner)
            who = ROLES[winner] if winner < len(ROLES) else "nobody"
            return (
                f"settle, host {message.host_total}, guest {message.guest_total}, "
                f"{_count(message.hands, 'hand')}, winner {who}"
            )
        case m.Disclose():
            return f"disclose {_count(len(message.seeds), 'seed')}"
        case _:
            return kind


def _rules(text: str) -> str:
    """The text of a rule set; anything else that stands in its place, quoted."""
    try:
        parse_ruleset(text)
    except RulesError:
        return safe_quote(text)
    return safe(text)


def _cards(cards: tuple[int, ...]) -> str:
    return " ".join(str(CARDS[card]) for card in cards) or "none"


def _laid(layoffs: tuple[m.LayOff, ...]) -> str:
    return _count(len(layoffs), "lay-off")


def _count(number: int, noun: str) -> str:
    """ "1 hand", "2 hands"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
