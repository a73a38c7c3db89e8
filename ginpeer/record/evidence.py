"""What a log proves against a player, as data: which entry, signed by whom, against which section.

# Rule 1: the referee has convicted (ginpeer.referee.verdict); here it is told, and nothing judged.
# Rule 2: whoever hands on such a log could have made up everything in it but that signature, so
#         both entries of a fork are shown with their hashes, by which they are found in the file.
# Rule 3: what stands in an entry was written by a stranger; it passes through ginpeer.names.shown.
"""

from __future__ import annotations

from typing import Any

from ginpeer.names.shown import called, in_marks, safe
from ginpeer.referee.table import ROLES
from ginpeer.referee.verdict import Conviction, Verdict
from ginpeer.rules.cards import CARDS, RulesError
from ginpeer.rules.ruleset import parse_ruleset
from protocol import messages as m
from protocol.codec.entries import NotCanonical, kind_name
from protocol.codes import CONVICTING_SECTIONS
from protocol.crypto.identity import fingerprint
from protocol.entry import NotAnEntry, RawEntry, entry_hash


def evidence_document(verdict: Verdict) -> dict[str, Any] | None:
    """Who is convicted by what, for programs; None where nobody is. Its keys are described at the
    head of ginpeer.record.document."""
    conviction = verdict.conviction
    if conviction is None:
        return None
    name, key = signer(verdict, conviction)
    return {
        "name": safe(name),
        "key": key.hex(),
        "fingerprint": fingerprint(key),
        "place": conviction.place,
        "sections": CONVICTING_SECTIONS.get(verdict.code),
        "signed": _entry(conviction.entry),
        "admitted": None if conviction.admitted is None else _entry(conviction.admitted),
    }


def signer(verdict: Verdict, conviction: Conviction) -> tuple[str, bytes]:
    """The convicted player's name and key. An offer or acceptance that is refused is signed by the
    key that it brings along, which the table does not know."""
    message = message_of(conviction.entry)
    key = verdict.table.keys[conviction.seat]
    if key is None and isinstance(message, m.Offer | m.Accept):
        return message.name, message.key
    return verdict.table.names[conviction.seat], key or b""


def _entry(raw: bytes) -> dict[str, str | None]:
    message = message_of(raw)
    return {
        "kind": None if message is None else kind_name(type(message)),
        "says": None if message is None else said(message),
        "hash": entry_hash(raw).hex(),
    }


def message_of(raw: bytes) -> m.Message | None:
    """What an entry says, whoever has signed it; None where it cannot be read."""
    try:
        return RawEntry.split(raw).decode().message
    except (NotAnEntry, NotCanonical, m.Malformed):
        return None


def said(message: m.Message) -> str:
    """What an entry claims, as far as everybody can read it, be it true or not."""
    kind = kind_name(type(message)).replace("_", " ")
    match message:
        case m.Offer():
            return (
                f"offer by {called(message.name)} of a match by the rules {_rules(message.rules)}"
            )
        case m.Accept():
            return f"acceptance by {called(message.name)} of the rules {_rules(message.rules)}"
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
        return in_marks(text)
    return safe(text)


def _cards(cards: tuple[int, ...]) -> str:
    return " ".join(str(CARDS[card]) for card in cards) or "none"


def _laid(layoffs: tuple[m.LayOff, ...]) -> str:
    return _count(len(layoffs), "lay-off")


def _count(number: int, noun: str) -> str:
    """ "1 hand", "2 hands"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
