"""Make signed but illegal entries, and unsigned ones, for any place of a recorded match.

The forger owns both players' keys, and so can sign for either. The codes with which an entry may be
refused are listed here once, by class, as PROTOCOL 7.1 and 8 give them.
"""

from dataclasses import fields, replace

from ginpeer.referee.transitions import MalformedEntry, RefusedEntry, UnsupportedEntry, Violation
from ginpeer.rules.ruleset import parse_ruleset
from protocol import messages as m
from protocol.crypto.group import BASE, ORDER
from protocol.entry import RawEntry, encode_body
from tests.cheating.cheat import ONE_HAND, RecordedMatch, record, seat_refuses
from tests.cheating.claims import lay_of_anything, nonsense
from tests.cheating.lies import unchecked
from tests.fuzz.odd import Odd
from tests.fuzz.proofs import swapped_cards
from tests.fuzz.protobuf import BODY, mutant, spoilt, tree
from tests.matches.table_pair import TablePair
from tests.matches.variants import dawdling, staged
from tests.toy_group import cached_by_group

NOT_READ = frozenset({"not-canonical", "malformed"})
CLASS_A = NOT_READ | {
    *("not-an-entry", "bad-signature", "bad-public-key", "after-the-end", "too-new"),
    *("rules-unsupported", "wrong-table", "wrong-sequence", "wrong-previous", "duplicate"),
}
"""Codes that blame nobody. An unreadable entry blames nobody only in the place of an offer or an
acceptance."""

CLASS_B = NOT_READ | {
    "wrong-previous",
    "fork",
    "out-of-turn",
    "after-the-end",
    "not-allowed-now",
    # identities, options, the score
    "rules-differ",
    "rules-not-canonical",
    "wrong-score",
    "wrong-seed-count",
    "cut-mismatch",
    "wrong-toss",
    "toss-mismatch",
    # lengths, encodings, proofs
    "bad-length",
    "bad-encoding",
    "bad-proof",
    "seed-mismatch",
    "audit-failed",
    # the rules
    "wrong-phase",
    "just-taken",
    "card-not-held",
    "card-missing",
    "card-used-twice",
    "wrong-hand",
    "wrong-cards",
    "unreadable-move",
    "not-a-meld",
    "knock-over-limit",
    "no-knocking",
    "no-discard",
    "no-big-gin",
    "layoff-on-gin",
    "layoff-does-not-fit",
    "add-does-not-fit",
    "pile-too-small",
    "lowest-not-laid",
    "too-late",
    "not-mahjong",
}
"""Codes that convict the signer."""

_CLAIMS = {
    m.Knock: lambda honest, rng: nonsense(m.Knock, honest, rng),
    m.Spread: lambda honest, rng: nonsense(m.Spread, honest, rng),
    m.Lay: lay_of_anything,
    m.TakeDiscards: lambda honest, rng: m.TakeDiscards(
        rng.choice((2, 3, honest.count, 31)), lay_of_anything(honest.lay, rng)
    ),
}
"""Well-formed messages of these kinds, with arbitrary claims."""

_TEXTS = (
    *("", "x" * 600, "standard", "standard target=1", "standard  target=1"),
    *("standard misdeal=yes", "classic target=3", "A\x1b[2J", "Ada "),
)
_LISTED = {
    "layoffs": ((m.LayOff(0, 0),), (m.LayOff(51, 3),) * 53),
    "adds": ((m.LayOff(0, 0),), (m.LayOff(51, 16),) * 53),
    "melds": (((),), ((0, 1, 2),), ((),) * 53),
    "seeds": ((bytes(32),), (b"",) * 301),
    "cards": ((0,), tuple(range(11)), (51,) * 53),
    "positions": ((0,), (0, 51)),
}
"""The replacements for an empty list."""

NUMBERS = (0, 1, 2, 3, 9, 10, 11, 16, 17, 31, 32, 51, 52, 2**16, 2**31 - 1, 2**31, 2**32 - 1)


@cached_by_group
def matches():
    """Return matches that together contain every kind of entry, in the group in use."""
    rules = parse_ruleset
    after_hand, never = m.Disclosure.AFTER_HAND, m.Disclosure.NEVER
    last_discard = rules("standard wall=last-discard target=1")
    either_pile = rules("standard opening=either-pile first-dealer=guest target=1")
    resigned = TablePair("resigned", rules("oklahoma target=50"))
    for performer, _ in zip((p for p, _ in resigned.turns()), range(9), strict=False):
        last = performer
    last.perform(last.seat.resign() if last.seat.owes_choice() else ())
    resigned.play()
    return [
        record("m102"),
        record("m1", ONE_HAND, after_hand),
        record("m24", ONE_HAND, never),
        RecordedMatch.of(
            TablePair("toss", rules("standard knock-limit=second-deck target=1")).play()
        ),
        RecordedMatch.of(staged()),
        RecordedMatch.of(TablePair("wall", last_discard).play(dawdling)),
        RecordedMatch.of(TablePair("pile", either_pile, never).play()),
        RecordedMatch.of(resigned),
    ]


class Forger:
    """A maker of illegal entries for the places of one match, from the contents of several
    matches."""

    def __init__(self, match, donors, rng):
        self._match = match
        self._messages = [step.message for donor in donors for step in donor.steps]
        self._of_kind = {}
        for message in self._messages:
            self._of_kind.setdefault(type(message), []).append(message)
        self._rng = rng
        places = {}
        for step in match.steps:
            places.setdefault(type(step.message), []).append(step.sequence)
        self._places = list(places.values())

    def place(self):
        """Return a place in the match, chosen so that each kind of entry is equally likely, as is
        the place after the last entry."""
        if self._rng.random() < 0.03:
            return len(self._match)
        return self._rng.choice(self._rng.choice(self._places))

    def entry(self, k):
        """Return an entry for place k, nearly always an illegal one, and the seat that sends it."""
        rng, match = self._rng, self._match
        owed = match.steps[k].author if k < len(match) else rng.randrange(2)
        by = owed if rng.random() < 0.9 else 1 - owed
        kind = rng.random()
        if kind < 0.05:
            return self._unsigned(k), by
        if kind < 0.12:
            return self._elsewhere(k, by), by
        if kind < 0.2:
            return self._misplaced(k, by), by
        message = self._message(k)
        if kind < 0.35 and type(message) in _CLAIMS:
            body = self._body(k, _CLAIMS[type(message)](message, rng))
        elif kind < 0.65:
            body = self._body(k, self._changed(message))
        else:
            body = mutant(tree(self._body(k, message), BODY), rng)
            body = spoilt(body, rng) if kind > 0.95 else body
        return match.cheat(by).sign_bytes(body or b"\0"), by

    def _message(self, k):
        """Return a message: usually the one owed in place k, otherwise one owed elsewhere."""
        if k < len(self._match) and self._rng.random() < 0.8:
            return self._match.steps[k].message
        kind = self._rng.choice(sorted(self._of_kind, key=lambda each: each.__name__))
        return self._rng.choice(self._of_kind[kind])

    def _body(self, k, message, **lies):
        table = self._match.table_at(k)
        table_id = table.table_id or self._match.table_at(1).table_id
        body = replace(m.Body(table_id, k, table.head, m.Pass()), **lies)
        object.__setattr__(body, "message", message)  # the lay, which may be malformed
        try:
            return encode_body(body)
        except ValueError:  # a number that the field can't hold: choose another
            return self._body(k, self._one_changed(self._message(k)), **lies)

    def _unsigned(self, k):
        """Return an entry of this match, or arbitrary bytes, changed after signing."""
        rng = self._rng
        raw = self._match.entries[min(k, len(self._match) - 1)]
        match rng.randrange(4):
            case 0:
                return rng.randbytes(rng.choice((0, 1, 64, 65, 200)))
            case 1:
                return raw[:-64] + spoilt(raw[-64:], rng)
            case 2:
                number = (int.from_bytes(raw[-32:], "little") + ORDER) % 2**256
                return raw[:-32] + number.to_bytes(32, "little")
        return spoilt(raw, rng)

    def _elsewhere(self, k, by):
        """Return an entry that is right for place k except for its table, number or history."""
        rng, match = self._rng, self._match
        other = match.table_at(rng.randrange(len(match) + 1))
        number = rng.choice((k + 1, max(k - 1, 0), 0, other.sequence, 2**32 - 1))
        lies = rng.choice(
            (
                {"table": rng.randbytes(32)},
                {"sequence": number},
                {"previous": rng.randbytes(32)},
                {"previous": other.head},
                {"sequence": other.sequence, "previous": other.head},
            )
        )
        return match.cheat(by).sign_bytes(self._body(k, self._message(k), **lies))

    def _misplaced(self, k, by):
        """Return an honest entry of this match for another place, or a second one by the same
        author."""
        rng, match = self._rng, self._match
        other = rng.randrange(len(match))
        if rng.random() < 0.5 and other != k:
            return match.entries[other]
        other = rng.randrange(k + 1)
        return match.cheat(by).sign_bytes(self._body(other, self._changed(self._message(other))))

    def _changed(self, message):
        """Return the message with one or two of its fields replaced."""
        for _ in range(self._rng.choice((1, 1, 1, 2))):
            message = self._one_changed(message)
        return message

    def _one_changed(self, message):
        names = [each.name for each in fields(message)]
        if not names:
            return self._rng.choice((m.Pass(), m.TakeUpcard(), m.DrawStock(), m.Resign()))
        name = self._rng.choice(names)
        value = getattr(message, name)
        donors = [getattr(other, name) for other in self._of_kind.get(type(message), [message])]
        if self._rng.random() < 0.25:
            value = self._rng.choice(donors)
        else:
            value = self._other(value) if value != () else self._rng.choice(_LISTED[name])
        return unchecked(message, **{name: value})

    def _other(self, value):
        rng = self._rng
        if isinstance(value, m.Lay):
            return self._one_changed(value)
        if isinstance(value, bytes):
            return self._other_bytes(value)
        if isinstance(value, str):
            return rng.choice((*_TEXTS, value + " "))
        if isinstance(value, tuple):
            return self._other_list(value)
        if isinstance(value, m.Winner | m.Disclosure):
            return type(value)(rng.choice(list(type(value))))
        number = rng.choice(NUMBERS)
        return number - 2**31 if rng.random() < 0.1 and number < 2**31 else min(number, 2**31 - 1)

    def _other_bytes(self, value):
        rng = self._rng
        at = 32 * rng.randrange(len(value) // 32 + 1)
        scalar = int.from_bytes(value[at : at + 32], "little")
        part = rng.choice(
            (
                bytes(32),
                b"\xff" * 32,
                rng.randbytes(32),
                BASE.encoded,
                ORDER.to_bytes(32, "little"),
                ((scalar + 1) % ORDER).to_bytes(32, "little"),
                (scalar + ORDER).to_bytes(33, "little")[:32],
                value[:32],
            )
        )
        return rng.choice(
            (
                b"",
                value[:-1],
                value + b"\0",
                value[:at] + value[at + 32 :],
                *[value[:at] + part + value[at + 32 :]] * 5,
                swapped_cards(value),
            )
        )

    def _other_list(self, value):
        rng = self._rng
        items = list(value)
        if items and rng.random() < 0.7:
            at = rng.randrange(len(items))
            match rng.randrange(4):
                case 0:
                    del items[at]
                case 1:
                    items[at:at] = [items[at]]
                case 2:
                    items.reverse()
                case 3:
                    items[at] = self._other_item(items[at])
            return tuple(items)
        return (*items, self._other_item(items[0])) if items else ()

    def _other_item(self, item):
        rng = self._rng
        if isinstance(item, tuple):
            return self._other_list(item)
        if isinstance(item, m.LayOff):
            card = rng.randrange(54)
            return unchecked(item, card=card, meld=rng.choice((item.meld, rng.randrange(20))))
        if isinstance(item, bytes):
            return self._other_bytes(item)
        return rng.choice((rng.randrange(52), rng.randrange(52), 52, 255))


def odd(what, match, k, raw, by):
    return Odd(f"{what}: entry {k} of {len(match)} by seat {by}: {raw.hex()}")


def judged(match, referee, k, raw, by):
    """Return this referee's refusal of an entry in place k, or None if the entry is legal after
    all. Raises Odd if the refusal isn't a proper one."""
    table, log = referee.table, len(referee.entries)
    try:
        referee.admit(raw)
    except RefusedEntry as refusal:
        error = refusal
    except Exception as error:  # any other exception is a finding
        raise odd(f"{type(error).__name__}: {error}", match, k, raw, by) from error
    else:
        return None
    if type(error) is Violation:
        listed = error.code in CLASS_B and error.seat == by and error.entry <= k
        listed = listed and not (error.code in NOT_READ and k == 0)
    else:
        listed = type(error) in (MalformedEntry, UnsupportedEntry) and error.code in CLASS_A
        listed = listed and (error.code not in NOT_READ or k < 2)
    if not listed or not error.sentence.endswith((".", "!", "?")):
        raise odd(f"{type(error).__name__} {error.code} {error}", match, k, raw, by)
    if referee.table is not table or len(referee.entries) != log:
        raise odd("the log has changed", match, k, raw, by)
    return error


def refused_by_seat(match, k, raw, error, by):
    """Check that the opponent's seat closes, doesn't store the entry, and keeps evidence if it is
    of class B."""
    try:
        seat_refuses(match, k, raw, error, by)
    except Exception as failure:
        raise odd(f"the seat: {failure!r:.300}", match, k, raw, by) from failure


def honest_admitted(match, referee, k):
    """Check that the honest entry is still admitted after all these refusals."""
    try:
        if k < len(match):
            referee.admit(match.entries[k])
    except RefusedEntry as refusal:
        raise odd(f"the honest entry is {refusal.code}", match, k, b"", None) from refusal
    if tuple(referee.entries) != match.entries[: k + 1]:
        raise odd("the honest entry is not admitted", match, k, b"", None)


def signer_of(match, raw):
    """Return which of the two players has signed these bytes: 0, 1, or None."""
    if len(raw) <= 64:
        return None
    entry = RawEntry(raw[:-64], raw[-64:])
    for seat in (0, 1):
        if match.identities[seat].sign(entry.signed_message) == entry.signature:
            return seat
    return None
