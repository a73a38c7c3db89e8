"""The verdict on a log as one document for programs: what ``ginpeer verify --json`` prints.

It has these keys, always all of them, None (in JSON null) where nothing is known:

    schema          3
    verdict         valid | illegal | forged | incomplete | unreadable; exit status 0 1 1 3 2
    code, sentence  the referee's stable code for it, and the reason in words
    entries         how many entries hold, from the first on
    failing_entry   the number of the first that does not, counted from 0
    author          host | guest: whose key signed the failing entry, where that is proven
    evidence        null unless illegal: name, key, fingerprint (of the author), place (the number
                    in the match that the entry was signed for), sections (of PROTOCOL.md, that say
                    what it breaks; null if none is known), signed (the entry: kind, says, which are
                    null where it cannot be read, and hash) and admitted (so the other entry of
                    that place, null where it was free)
    table           the table id in hexadecimal
    started         seconds since 1970 by the host's own clock: a claim
    players         host and guest: role, name, key (hexadecimal), fingerprint
    rules           the rule set's text, as both signed it
    disclosure      after-match | after-hand | never
    disclosed       for host and guest, of how many hands the seeds are in the log
    hands           each hand that is over: number, game (its number), dealer, result, winner,
                    points, other_points (of who has not won, in Mahjong gin only not 0), doubled,
                    knocker, deadwood (of host and guest; null for a void hand), columns (the
                    numbers of those in which it counts)
    games           each game that has begun: number, over, winner (null: nobody, or not over),
                    columns, and for host and guest score: hand_points, each hand once, hands_won,
                    and total, null before the game is over
    games.columns   number, over, winner, and for host and guest score: hand_points, hands_won, and
                    once the column is over shutout, game_bonus, boxes and total, null before
    score           for host and guest: hand_points and hands_won of the whole match, each hand
                    once, games_won, and once the match is decided total, which is null before
    margin          the winner's total less the other's, below 0 where the loser has more; where
                    nobody has won, by how much the totals differ; null before the end
    stake           what a point is worth, and once the match is decided debtor (null: nobody) and
                    payment; null without rules
    winner          host | guest, once the entries that hold decide the match; null if forged, and
                    where nobody has won
    decided         whether the match is at its end by the entries that hold
    owes            who owes the next entry and what: role, what; null unless incomplete

`ginpeer verify` adds one key if it reads the log from a page (ginpeer.page):

    page            same | differs: whether the page is what this program makes from the log

Schema 3 added `evidence` to schema 2. proto/verdict.schema.json has all this for a program.

# Rule 1: the referee convicts (ginpeer.referee.referee); here nothing is judged.
# Rule 2: whoever hands on a log that convicts a player could have made up everything in it except
#         that signature. So both entries of a fork are shown with their hashes, by which they are
#         found in the file.
# Rule 3: strangers wrote what stands in a log; it passes through ginpeer.names.quoting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ginpeer.names.quoting import PlaceholderName, display_name, safe, safe_quote
from ginpeer.referee.referee import Conviction, Finding, Verdict
from ginpeer.referee.table import ROLES, Table
from ginpeer.rules.cards import CARDS, RulesError
from ginpeer.rules.match import Match
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.rules.score import Column, Game, HandResult
from protocol import messages as m
from protocol.codec.entries import NotCanonical, kind_name
from protocol.codes import CONVICTING_SECTIONS
from protocol.crypto.identity import fingerprint
from protocol.entry import NotAnEntry, RawEntry, entry_hash


@dataclass(frozen=True, slots=True)
class Player:
    """One side of the match: the key, which is proven, for it has signed this player's entries, and
    the name, which is a claim. A key is not a person. As text, the name made harmless."""

    seat: int
    """0 is the host, 1 the guest."""
    key: bytes | None
    """The Ed25519 public key, 32 bytes; None for a player who has not come, and on paper."""
    name: str | None
    """As it was signed, 1 to 64 bytes of a stranger's: print ``str(player)`` instead."""

    @classmethod
    def of(cls, table: Table, seat: int) -> Player:
        name = table.names[seat]
        return cls(seat, table.keys[seat], None if isinstance(name, PlaceholderName) else name)

    @property
    def role(self) -> str:
        return ROLES[self.seat]

    @property
    def fingerprint(self) -> str | None:
        """The key as people compare it; None for a player who has not come."""
        return None if self.key is None else fingerprint(self.key)

    def __str__(self) -> str:
        """The name, harmless for a terminal; the role of a player who has not come."""
        return self.role if self.name is None else safe(self.name)


@dataclass(frozen=True, slots=True)
class Score:
    """What host and guest have, by the rules, from the hands that hold: proven."""

    hand_points: tuple[int, int]
    """Points from hands in the whole match, each hand once."""
    hands_won: tuple[int, int]
    games_won: tuple[int, int]
    totals: tuple[int, int] | None
    """With every bonus, once the match is decided; None before."""

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
    """The verdict as one document; the keys are described at the head of this module."""
    table = verdict.table
    offer, match = table.offer, table.match
    sound = verdict.finding in (Finding.VALID, Finding.INCOMPLETE)
    return {
        "schema": 3,
        "verdict": verdict.word,
        "code": verdict.code,
        "sentence": safe(verdict.sentence),
        "entries": verdict.entries,
        "failing_entry": verdict.failing_entry,
        "author": _role(verdict.culprit),
        "evidence": evidence_document(verdict),
        "table": table.table_id.hex() or None,
        "started": None if offer is None else offer.started,
        "players": [_player(Player.of(table, seat)) for seat in (0, 1)],
        "rules": _rules(table),
        "disclosure": None if offer is None else offer.disclosure.word,
        "disclosed": {ROLES[seat]: _disclosed(table, seat) for seat in (0, 1)},
        "hands": [] if match is None else _hands(match),
        "games": [] if match is None else [_game(game) for game in match.games],
        "score": None if match is None else _score(match),
        "margin": match.settlement().margin if match is not None and match.finished else None,
        "stake": None if match is None else _stake(match),
        "winner": _role(match.winner) if match is not None and sound else None,
        "decided": match is not None and match.finished,
        "owes": _owes(verdict),
    }


def _rules(table: Table) -> str | None:
    if table.offer is not None:
        return safe(table.offer.rules)
    return None if table.match is None else str(table.match.rules)  # nobody signed them


def _role(seat: int | None) -> str | None:
    return None if seat is None else ROLES[seat]


def _player(player: Player) -> dict[str, str | None]:
    return {
        "role": player.role,
        "name": None if player.name is None else safe(player.name),
        "key": None if player.key is None else player.key.hex(),
        "fingerprint": player.fingerprint,
    }


def _disclosed(table: Table, seat: int) -> int:
    return sum(seed.seat == seat for seed in table.seeds)


def _hands(match: Match) -> list[dict[str, Any]]:
    return [
        _hand(number, before, after) for number, (before, after) in enumerate(match.stages(), 1)
    ]


def _hand(number: int, before: Match, after: Match) -> dict[str, Any]:
    result = after.results[-1]
    entered = () if result.winner is None else before.game.columns_for(result.winner)
    return {
        "number": number,
        "game": before.game.number,
        "dealer": _role(before.dealer),
        "result": result.kind.value.replace(" ", "-"),
        "winner": _role(result.winner),
        "points": result.points,
        "other_points": result.other_points,
        "doubled": result.doubled,
        "knocker": _role(result.knocker),
        "deadwood": _deadwood(result),
        "columns": [at + 1 for at in entered],
    }


def _deadwood(result: HandResult) -> dict[str, int] | None:
    if result.knocker is None:
        return None
    pair = (result.knocker_deadwood, result.defender_deadwood)
    host, guest = pair if result.knocker == 0 else pair[::-1]
    return {"host": host, "guest": guest}


def _game(game: Game) -> dict[str, Any]:
    return {
        "number": game.number,
        "over": game.over,
        "winner": _role(game.winner),
        "columns": [_column(number, column) for number, column in enumerate(game.columns, 1)],
        "score": {
            role: {
                "hand_points": game.scores[seat],
                "hands_won": game.hands_won[seat],
                "total": game.totals[seat] if game.over else None,
            }
            for seat, role in enumerate(ROLES)
        },
    }


def _column(number: int, column: Column) -> dict[str, Any]:
    score: dict[str, dict[str, int | None]] = {}
    for seat, role in enumerate(ROLES):
        line = column.lines[seat] if column.over else None
        score[role] = {
            "hand_points": column.points[seat],
            "hands_won": column.hands_won[seat],
            "shutout": None if line is None else line.shutout,
            "game_bonus": None if line is None else line.game_bonus,
            "boxes": None if line is None else line.boxes,
            "total": None if line is None else line.total,
        }
    return {
        "number": number,
        "over": column.over,
        "winner": _role(column.winner),
        "score": score,
    }


def _score(match: Match) -> dict[str, dict[str, int | None]]:
    score = Score.of(match)
    return {
        role: {
            "hand_points": score.hand_points[seat],
            "hands_won": score.hands_won[seat],
            "games_won": score.games_won[seat],
            "total": None if score.totals is None else score.totals[seat],
        }
        for seat, role in enumerate(ROLES)
    }


def _stake(match: Match) -> dict[str, int | str | None]:
    settlement = match.settlement() if match.finished else None
    return {
        "a_point": match.rules.stake,
        "debtor": None if settlement is None else _role(settlement.debtor),
        "payment": None if settlement is None else settlement.payment,
    }


def _owes(verdict: Verdict) -> dict[str, str] | None:
    owes = verdict.table.owed_by
    if verdict.finding is not Finding.INCOMPLETE or owes is None:
        return None
    return {"role": ROLES[owes], "what": verdict.table.awaiting.value}


# --- evidence -------------------------------------------------------------------------------------


def evidence_document(verdict: Verdict) -> dict[str, Any] | None:
    """Who is convicted by what, for programs; None if nobody is. Its keys are described at the head
    of this module."""
    conviction = verdict.conviction
    if conviction is None:
        return None
    name, key = convicted_signer(verdict, conviction)
    return {
        "name": safe(name),
        "key": key.hex(),
        "fingerprint": fingerprint(key),
        "place": conviction.place,
        "sections": CONVICTING_SECTIONS.get(verdict.code),
        "signed": _entry(conviction.entry),
        "admitted": None if conviction.admitted is None else _entry(conviction.admitted),
    }


def convicted_signer(verdict: Verdict, conviction: Conviction) -> tuple[str, bytes]:
    """The convicted player's name and key. A refused offer or acceptance is signed by the key that
    it contains, which the table doesn't know."""
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
    """The message of an entry, whoever signed it; None if it cannot be read."""
    try:
        return RawEntry.split(raw).decode().message
    except (NotAnEntry, NotCanonical, m.Malformed):
        return None


def describe_message(message: m.Message) -> str:
    """Say what an entry claims, as far as everybody can read it, true or not."""
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


def _rules_text(text: str) -> str:
    """The text of a rule set; any other text in its place, quoted."""
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
