"""The verdict on a log as a document for programs: what ``ginpeer verify --json`` prints.

proto/verdict.schema.json describes its keys. `ginpeer verify` adds the key page if it reads the log
from a page (ginpeer.page).

Rule 1: anyone who passes on a log that convicts a player could have made up everything in it
        except the convicting signature. So the document has the hashes of both entries of a fork,
        by which readers can find them in the file.
Rule 2: strangers wrote the contents of a log, so they pass through ginpeer.names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from ginpeer.names import PlaceholderName, display_name, safe, safe_quote
from ginpeer.referee.referee import Conviction, Finding, Verdict
from ginpeer.referee.table import ROLES, Table
from ginpeer.rules.cards import CARDS, RulesError
from ginpeer.rules.match import Match, Settlement
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.rules.score import Column, Game, HandResult, ScoreLine
from ginpeer.store.log import message_in
from protocol import messages as m
from protocol.codes import CONVICTING_SECTIONS
from protocol.crypto.identity import fingerprint
from protocol.entry import entry_hash, kind_name


@dataclass(frozen=True, slots=True)
class Player:
    """One side of the match. The key is proven; the name is only a claim. A key isn't a person."""

    seat: int  # 0 is the host, 1 the guest
    key: bytes | None
    """The Ed25519 public key, 32 bytes; None before the player joins, and in a typed match."""
    name: str | None
    """The name as it was signed: 1 to 64 untrusted bytes. Print ``str(player)`` instead."""

    @classmethod
    def of(cls, table: Table, seat: int) -> Player:
        name = table.names[seat]
        return cls(seat, table.keys[seat], None if isinstance(name, PlaceholderName) else name)

    @property
    def role(self) -> str:
        return ROLES[self.seat]

    @property
    def fingerprint(self) -> str | None:
        """The key in the form that people compare; None without a key."""
        return None if self.key is None else fingerprint(self.key)

    def __str__(self) -> str:
        """Return the name, made safe for a terminal; the role if the player has no name."""
        return self.role if self.name is None else safe(self.name)


@dataclass(frozen=True, slots=True)
class Score:
    """The score of host and guest, which the rules compute from the valid hands. It is proven."""

    hand_points: tuple[int, int]  # points from all hands of the match, each hand counted once
    hands_won: tuple[int, int]
    games_won: tuple[int, int]
    totals: tuple[int, int] | None  # the totals with every bonus; None before the match is decided

    @classmethod
    def of(cls, match: Match) -> Score:
        points = [game.scores for game in match.games]
        won = [game.hands_won for game in match.games]
        return cls(
            (sum(host for host, _ in points), sum(guest for _, guest in points)),
            (sum(host for host, _ in won), sum(guest for _, guest in won)),
            match.games_won,
            match.credits if match.finished else None,
        )


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    table = verdict.table
    offer, match = table.offer, table.match
    sound = verdict.finding in (Finding.VALID, Finding.INCOMPLETE)
    scored = match if table.begins == 1 else None  # else the score before these hands isn't known
    settlement = scored.settlement() if scored is not None and scored.finished else None
    return {
        "schema": 3,
        "verdict": verdict.word,
        "code": verdict.code,
        "sentence": safe(verdict.sentence),
        "entries": verdict.entries,
        "failing_entry": verdict.failing_entry,
        "author": role_of(verdict.culprit),
        "evidence": evidence_document(verdict),
        "table": table.table_id.hex() or None,
        "started": None if offer is None else offer.started,
        "players": [_player(Player.of(table, seat)) for seat in (0, 1)],
        "rules": _rules(table),
        "disclosure": None if offer is None else offer.disclosure.word,
        "disclosed": by_role(lambda seat: sum(seed.seat == seat for seed in table.seeds)),
        "hands": []
        if match is None
        else [_hand(number, *stages) for number, stages in enumerate(match.stages(), 1)],
        "games": [] if scored is None else [_game(game) for game in scored.games],
        "score": None if scored is None else _score(Score.of(scored)),
        "margin": None if settlement is None else settlement.margin,
        "stake": None if match is None else _stake(match.rules.stake, settlement),
        "winner": role_of(match.winner) if match is not None and sound else None,
        "decided": match is not None and match.finished,
        "owes": _owes(verdict),
    }


# --- players and scores in any document -----------------------------------------------------------

T = TypeVar("T")


def role_of(seat: int | None) -> str | None:
    return None if seat is None else ROLES[seat]


def by_role(value_of: Callable[[int], T]) -> dict[str, T]:
    """Return a dictionary with the host's value and the guest's, each computed from the seat."""
    return {role: value_of(seat) for seat, role in enumerate(ROLES)}


def key_fields(key: bytes | None) -> dict[str, str | None]:
    """Return the fields for a key and its fingerprint; both are None if there is no key."""
    return {
        "key": None if key is None else key.hex(),
        "fingerprint": None if key is None else fingerprint(key),
    }


def result_word(result: HandResult) -> str:
    """Return how a hand ended, as one word like "big-gin"."""
    return result.kind.value.replace(" ", "-")


def line_fields(line: ScoreLine, hands_won: int, over: bool) -> dict[str, int | None]:
    """Return one side's score in a column; bonuses and total are None until the column is over."""
    return {
        "hand_points": line.hand_points,
        "hands_won": hands_won,
        "shutout": line.shutout if over else None,
        "game_bonus": line.game_bonus if over else None,
        "boxes": line.boxes if over else None,
        "total": line.total if over else None,
    }


# --- the parts of a verdict -----------------------------------------------------------------------


def _rules(table: Table) -> str | None:
    if table.offer is not None:
        return safe(table.offer.rules)
    return None if table.match is None else str(table.match.rules)  # a typed match has no offer


def _player(player: Player) -> dict[str, str | None]:
    name = None if player.name is None else safe(player.name)
    return {"role": player.role, "name": name, **key_fields(player.key)}


def _hand(number: int, before: Match, after: Match) -> dict[str, Any]:
    result = after.results[-1]
    entered = () if result.winner is None else before.game.columns_for(result.winner)
    counts = (result.defender_deadwood, result.knocker_deadwood)
    return {
        "number": number,
        "game": before.game.number,
        "dealer": role_of(before.dealer),
        "result": result_word(result),
        "winner": role_of(result.winner),
        "points": result.points,
        "other_points": result.other_points,
        "doubled": result.doubled,
        "knocker": role_of(result.knocker),
        "deadwood": None
        if result.knocker is None
        else by_role(lambda seat: counts[seat == result.knocker]),
        "columns": [at + 1 for at in entered],
    }


def _game(game: Game) -> dict[str, Any]:
    return {
        "number": game.number,
        "over": game.over,
        "winner": role_of(game.winner),
        "columns": [_column(number, column) for number, column in enumerate(game.columns, 1)],
        "score": by_role(
            lambda seat: {
                "hand_points": game.scores[seat],
                "hands_won": game.hands_won[seat],
                "total": game.totals[seat] if game.over else None,
            }
        ),
    }


def _column(number: int, column: Column) -> dict[str, Any]:
    return {
        "number": number,
        "over": column.over,
        "winner": role_of(column.winner),
        "score": by_role(
            lambda seat: line_fields(column.lines[seat], column.hands_won[seat], column.over)
        ),
    }


def _score(score: Score) -> dict[str, dict[str, int | None]]:
    return by_role(
        lambda seat: {
            "hand_points": score.hand_points[seat],
            "hands_won": score.hands_won[seat],
            "games_won": score.games_won[seat],
            "total": None if score.totals is None else score.totals[seat],
        }
    )


def _stake(a_point: int, settlement: Settlement | None) -> dict[str, int | str | None]:
    return {
        "a_point": a_point,
        "debtor": None if settlement is None else role_of(settlement.debtor),
        "payment": None if settlement is None else settlement.payment,
    }


def _owes(verdict: Verdict) -> dict[str, str] | None:
    owes = verdict.table.owed_by
    if verdict.finding is not Finding.INCOMPLETE or owes is None:
        return None
    return {"role": ROLES[owes], "what": verdict.table.awaiting.value}


# --- evidence -------------------------------------------------------------------------------------


def evidence_document(verdict: Verdict) -> dict[str, Any] | None:
    """Return the convicted player and the entries that convict them, or None."""
    conviction = verdict.conviction
    if conviction is None:
        return None
    name, key = convicted_signer(verdict, conviction)
    return {
        "name": safe(name),
        **key_fields(key),
        "place": conviction.place,
        "sections": CONVICTING_SECTIONS.get(verdict.code),
        "signed": _entry(conviction.entry),
        "admitted": None if conviction.admitted is None else _entry(conviction.admitted),
    }


def convicted_signer(verdict: Verdict, conviction: Conviction) -> tuple[str, bytes]:
    """Return the convicted player's name and key. The table doesn't know the key that signed a
    refused offer or acceptance, so take the key that the entry contains."""
    message = message_in(conviction.entry)
    key = verdict.table.keys[conviction.seat]
    if key is None and isinstance(message, m.Offer | m.Accept):
        return message.name, message.key
    return verdict.table.names[conviction.seat], key or b""


def _entry(raw: bytes) -> dict[str, str | None]:
    message = message_in(raw)
    return {
        "kind": None if message is None else kind_name(type(message)),
        "says": None if message is None else describe_message(message),
        "hash": entry_hash(raw).hex(),
    }


def describe_message(message: m.Message) -> str:
    """Describe what an entry claims, true or not, as far as everybody can read it."""
    kind = kind_name(type(message)).replace("_", " ")
    match message:
        case m.Offer():
            rules = _rules_text(message.rules)
            return f"offer by {display_name(message.name)} of a match by the rules {rules}"
        case m.Accept():
            rules = _rules_text(message.rules)
            return f"acceptance by {display_name(message.name)} of the rules {rules}"
        case m.Discard():
            return f"discard {CARDS[message.card]}"
        case m.Knock():
            thrown = "none" if message.discard is None else str(CARDS[message.discard])
            return f"knock, cards {_cards(message.cards)}, discard {thrown}"
        case m.Spread():
            laid = _count(len(message.layoffs), "lay-off")
            return f"spread, cards {_cards(message.cards)}, {laid}"
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


def _rules_text(text: str) -> str:
    """Return the text of a rule set as it is, and any other text in quotation marks."""
    try:
        parse_ruleset(text)
    except RulesError:
        return safe_quote(text)
    return safe(text)


def _cards(cards: tuple[int, ...]) -> str:
    return " ".join(str(CARDS[card]) for card in cards) or "none"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
