"""When each message is owed, how it changes the table, and why it may be refused.

TRANSITIONS is the whole game at a glance: (the awaited entry, the message) -> the transition.
A pair that isn't in it is refused. Each transition takes the table, the message and its context
(its place in the log, and its author as context.seat), and returns the next table. It raises what
the rules or the crypto raise, and admit() turns that into a Violation. The rules are checked before
the proofs, because checking them is a thousand times cheaper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ginpeer.referee.table import (
    GUEST,
    HOST,
    Awaiting,
    HandRecord,
    Seed,
    Table,
    move_of,
    required,
    used_cards,
)
from ginpeer.rules.cards import CARDS, RulesError
from ginpeer.rules.hand import Hand, Phase
from ginpeer.rules.match import Match, cut_dealer
from ginpeer.rules.parameters import FirstDealer, KnockLimit
from ginpeer.rules.ruleset import parse_ruleset
from protocol import messages as m
from protocol.codes import CodedError, ProofError
from protocol.crypto.identity import check_public_key
from protocol.deck import state, verifier
from protocol.deck.audit import (
    Disclosed,
    OpeningRecord,
    PlayerRecord,
    ShareRecord,
    ShuffleRecord,
)
from protocol.deck.proofs import AT_ONCE, Proofs
from protocol.deck.secrets import cut_cards, cut_commitment
from protocol.deck.state import ProofContext

PROTOCOL_VERSION = 1


# --- why an entry is refused, and whose fault that is (PROTOCOL 7.1, 11.1) ----------


class RefusedEntry(CodedError):
    """An entry that isn't admitted. The table stays as it was."""

    raw = b""  # the entry's bytes; only `Referee.admit_all` sets them


class MalformedEntry(RefusedEntry):
    """Class A: nobody is known to have signed this entry for this position; blame nobody."""


class UnsupportedEntry(MalformedEntry):
    """An entry that needs another version of the program, or rules that this one lacks."""


class Violation(RefusedEntry):
    """Class B: a player signed something illegal. The entry itself is the proof."""

    def __init__(self, code: str, sentence: str, entry: int, seat: int) -> None:
        super().__init__(code, sentence)
        self.entry = entry
        self.seat = seat


class IllegalEntry(ProofError):
    """The message is well formed, but the state of the match doesn't allow it."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


# --- before the first hand ----------------------------------------------------------


def _offer(table: Table, offer: m.Offer, context: ProofContext) -> Table:
    try:
        rules = parse_ruleset(offer.rules)
        rules.check()
    except RulesError as error:
        raise UnsupportedEntry("rules-unsupported", str(error)) from error
    if str(rules) != offer.rules:
        raise IllegalEntry(
            "rules-not-canonical", "The rule set isn't written in its standard form."
        )
    return replace(table, offer=offer, awaiting=Awaiting.ACCEPT, owed_by=GUEST)


def _accept(table: Table, accept: m.Accept, context: ProofContext) -> Table:
    if accept.rules != required(table.offer).rules:
        raise IllegalEntry("rules-differ", "The guest accepted different rules from those offered.")
    table = replace(table, accept=accept)
    rules = parse_ruleset(accept.rules)
    if rules.first_dealer is FirstDealer.LOWER_CUT:
        return replace(table, awaiting=Awaiting.CUT_COMMIT, owed_by=HOST)
    dealer = HOST if rules.first_dealer is FirstDealer.HOST else GUEST
    return _next_deal(replace(table, match=Match.begin(rules, dealer)))


def _cut_commit(table: Table, message: m.CutCommit, context: ProofContext) -> Table:
    return replace(
        table, cut_commitment=message.commitment, awaiting=Awaiting.CUT_VALUE, owed_by=GUEST
    )


def _cut_value(table: Table, message: m.CutValue, context: ProofContext) -> Table:
    return replace(table, cut_guest_value=message.value, awaiting=Awaiting.CUT_REVEAL, owed_by=HOST)


def _cut_reveal(table: Table, message: m.CutReveal, context: ProofContext) -> Table:
    if cut_commitment(table.table_id, message.value) != table.cut_commitment:
        raise IllegalEntry("cut-mismatch", "The cut isn't the one that was committed to.")
    host, guest = cut_cards(table.table_id, message.value, table.cut_guest_value)
    cards = (CARDS[host], CARDS[guest])
    match = Match.begin(parse_ruleset(required(table.offer).rules), cut_dealer(cards))
    return _next_deal(replace(table, cut_cards=cards, match=match))


# --- the deal -----------------------------------------------------------------------


def _next_deal(table: Table) -> Table:
    match = required(table.match)
    second_deck = match.rules.knock_limit is KnockLimit.SECOND_DECK
    number = table.hand_number + 1
    return replace(
        table,
        hand_number=number,
        hand=None,
        deck=state.Deck(match.dealer, second_deck),
        records=(*table.records, HandRecord(number)),
        awaiting=Awaiting.DEAL_COMMIT,
        owed_by=match.dealer,
    )


def _record(table: Table, seat: int, **changes: Any) -> Table:
    """Return the table with one player's record of the current hand changed."""
    *earlier, current = table.records
    player = current.players[seat]
    player = PlayerRecord(**changes) if player is None else replace(player, **changes)
    current = replace(current, players=state.with_seat(current.players, seat, player))
    return replace(table, records=(*earlier, current))


def _record_another(table: Table, seat: int, kind: str, record: object) -> Table:
    """Return the table with one more riffle, opening or share added to a player's record."""
    player = required(table.records[-1].players[seat])
    return _record(table, seat, **{kind: (*getattr(player, kind), record)})


def _next_in_deal(
    table: Table, context: ProofContext, deck: state.Deck, awaiting: Awaiting
) -> Table:
    """Return the table with this deck, awaiting the other player's next message of the deal."""
    return replace(table, deck=deck, awaiting=awaiting, owed_by=1 - context.seat)


def _deal_commit(table: Table, message: m.DealCommit, context: ProofContext) -> Table:
    after = verifier.check_deal_commit(required(table.deck), message)
    table = _record(
        table, context.seat, commitment=message.commitment, toss_commitment=message.toss
    )
    return _next_in_deal(table, context, after, Awaiting.DEAL_KEY)


def _deal_key(table: Table, message: m.DealKey, context: ProofContext) -> Table:
    after = verifier.check_deal_key(required(table.deck), message, context)
    key = after.key(context.seat)
    table = _record(table, context.seat, commitment=message.commitment, key=key, toss=message.toss)
    return _next_in_deal(table, context, after, Awaiting.DEAL_DECK)


def _deal_deck(table: Table, message: m.DealDeck, context: ProofContext) -> Table:
    after = verifier.check_deal_deck(required(table.deck), message, context)
    shuffle = ShuffleRecord(state.open_deck(), after.cards)
    key = after.key(context.seat)
    table = _record(table, context.seat, key=key, joint_key=after.joint_key, deal=shuffle)
    return _next_in_deal(table, context, after, Awaiting.DEAL_SHUFFLE)


def _deal_shuffle(table: Table, message: m.DealShuffle, context: ProofContext) -> Table:
    before = required(table.deck)
    after = verifier.check_deal_shuffle(before, message, context)
    shuffle = ShuffleRecord(before.cards, after.cards)
    given = ShareRecord(after.shared_cards(context.seat), message.shares)
    table = _record(table, context.seat, joint_key=after.joint_key, deal=shuffle)
    table = _record_another(table, context.seat, "shares", given)
    return _next_in_deal(table, context, after, Awaiting.DEAL_SHARES)


def _deal_shares(table: Table, message: m.DealShares, context: ProofContext) -> Table:
    after = verifier.check_deal_shares(required(table.deck), message, context)
    match = required(table.match)
    hand = Hand.begin(
        match.rules,
        match.dealer,
        None if after.upcard is None else CARDS[after.upcard],
        knock_card=None if after.knock_card is None else CARDS[after.knock_card],
        first=match.first_to_play if after.second_deck else None,
    )
    given = ShareRecord(after.shared_cards(context.seat), message.shares)
    table = _record_another(table, context.seat, "shares", given)
    return _play_on(replace(table, deck=after), hand)


# --- the play -----------------------------------------------------------------------

_AWAITED_IN = {
    Phase.FIRST_UPCARD: Awaiting.UPCARD,
    Phase.SECOND_UPCARD: Awaiting.UPCARD,
    Phase.FIRST_DRAW: Awaiting.DRAW,
    Phase.DRAW: Awaiting.DRAW,
    Phase.DISCARD: Awaiting.DISCARD,
    Phase.LAST_CHANCE: Awaiting.LAST_CHANCE,
    Phase.LAY_OFF: Awaiting.SPREAD,
}


def _play_on(table: Table, hand: Hand) -> Table:
    """Return the table with this hand, awaiting the entry that the hand's phase requires."""
    if hand.phase is Phase.OVER:
        return _after_hand(replace(table, hand=hand, match=required(table.match).after(hand)))
    return replace(table, hand=hand, awaiting=_AWAITED_IN[hand.phase], owed_by=hand.to_move)


def _hand_after(table: Table, message: m.Message) -> Hand:
    move = move_of(message)
    if move is None:
        raise ValueError("this message isn't a move")
    return required(table.hand).apply(move)


def _pass(table: Table, message: m.Pass, context: ProofContext) -> Table:
    return _play_on(table, _hand_after(table, message))


def _take_upcard(table: Table, message: m.TakeUpcard, context: ProofContext) -> Table:
    after = _hand_after(table, message)
    deck = state.take_open_cards(required(table.deck), context.seat, required(table.hand).pile[-1:])
    return _play_on(replace(table, deck=deck), after)


def _draw_stock(table: Table, message: m.DrawStock, context: ProofContext) -> Table:
    hand = _hand_after(table, message)
    return replace(table, hand=hand, awaiting=Awaiting.SHARE, owed_by=1 - context.seat)


def _share(table: Table, message: m.Share, context: ProofContext) -> Table:
    before = required(table.deck)
    after = verifier.check_share(before, message, 1 - context.seat, context)
    given = ShareRecord((before.next_stock_card,), message.share)
    table = _record_another(table, context.seat, "shares", given)
    return _play_on(replace(table, deck=after), required(table.hand))


def _riffle(table: Table, context: ProofContext, hand: bytes, argument: bytes) -> Table:
    """Return the table with the author's hand riffled; a hand of one card stays as it is."""
    before = required(table.deck)
    after = verifier.check_riffle(before, context.seat, hand, argument, context)
    if after is before:
        return table
    riffle = ShuffleRecord(before.hands[context.seat], after.hands[context.seat])
    return _record_another(replace(table, deck=after), context.seat, "riffles", riffle)


def _open(
    table: Table,
    context: ProofContext,
    message: m.Discard | m.Knock | m.Spread | m.Lay,
    places: Sequence[int],
    cards: tuple[int, ...],
) -> Table:
    """Verify the riffle, if the message has one, and then the opening, which proves that these
    places of the author's hand contain these cards. The opening is decoded first. Return the table
    with the riffle and the opening recorded."""
    seat = context.seat
    proof = verifier.decode_opening(required(table.deck), seat, places, cards, message.opening)
    if not isinstance(message, m.Spread):
        table = _riffle(table, context, message.hand, message.argument)
    deck = required(table.deck)
    verifier.check_opening(deck, seat, places, cards, proof, context)
    opened = OpeningRecord(tuple(deck.hands[seat][place] for place in places), cards)
    return _record_another(table, seat, "openings", opened)


def _without(table: Table, author: int, places: Sequence[int]) -> Table:
    """Return the table without the cards at these places of the author's hand."""
    return replace(table, deck=state.remove_cards(required(table.deck), author, places))


def _discard(table: Table, message: m.Discard, context: ProofContext) -> Table:
    hand = _hand_after(table, message)
    table = _open(table, context, message, (message.position,), (message.card,))
    return _play_on(_without(table, context.seat, (message.position,)), hand)


def _check_shown(table: Table, author: int, shown: m.Knock | m.Spread) -> int:
    """Check that an opened hand has the right size and uses only its own cards, each once. Return
    the number of cards."""
    cards, used = shown.cards, used_cards(shown)
    held = len(required(table.deck).hands[author])
    if len(cards) != held or len(set(cards)) != held:
        raise IllegalEntry(
            "wrong-hand", f"A hand of {held} cards was shown with {len(cards)} cards."
        )
    if len(set(used)) != len(used):
        raise IllegalEntry("card-used-twice", "A card is used twice.")
    if not set(used) <= set(cards):
        raise IllegalEntry("card-not-held", "A card was used that isn't in the hand.")
    return held


def _knock(table: Table, message: m.Knock, context: ProofContext) -> Table:
    held = _check_shown(table, context.seat, message)
    hand = _hand_after(table, message)
    table = _open(table, context, message, range(held), message.cards)
    if message.discard is not None:
        table = _without(table, context.seat, (message.cards.index(message.discard),))
    return _play_on(table, hand)


def _spread(table: Table, message: m.Spread, context: ProofContext) -> Table:
    held = _check_shown(table, context.seat, message)
    hand = _hand_after(table, message)
    return _play_on(_open(table, context, message, range(held), message.cards), hand)


def _check_lay(table: Table, lay: m.Lay) -> None:
    """Check that melds and additions use exactly the opened cards. Outside Mahjong gin, refuse
    every lay, whatever its cards (PROTOCOL 8.11)."""
    if not required(table.match).rules.mahjong:
        raise IllegalEntry("not-mahjong", "You can lay cards on the table only in Mahjong gin.")
    laid = [card for meld in lay.melds for card in meld]
    laid += [add.card for add in lay.adds]
    if len(set(laid)) != len(laid):
        raise IllegalEntry("card-used-twice", "A card is used twice.")
    if sorted(laid) != sorted(lay.cards):
        raise IllegalEntry(
            "wrong-cards", "The cards that were opened aren't the ones that were laid."
        )


def _put_down(table: Table, lay: m.Lay, context: ProofContext) -> Table:
    """Verify the cards of a lay, and return the table without them in the author's hand."""
    table = _open(table, context, lay, lay.positions, lay.cards)
    return _without(table, context.seat, lay.positions)


def _lay(table: Table, message: m.Lay, context: ProofContext) -> Table:
    _check_lay(table, message)
    hand = _hand_after(table, message)
    return _play_on(_put_down(table, message, context), hand)


def _take_discards(table: Table, message: m.TakeDiscards, context: ProofContext) -> Table:
    _check_lay(table, message.lay)
    after = _hand_after(table, message)
    taken = required(table.hand).pile[-message.count :]
    deck = state.take_open_cards(required(table.deck), context.seat, taken)
    return _play_on(_put_down(replace(table, deck=deck), message.lay, context), after)


# --- after a hand, and after the match ------------------------------------------------


def _after_hand(table: Table) -> Table:
    """Return the table that awaits the first entry after a hand: the seeds, if the options require
    an audit now; otherwise the next deal or the settlement."""
    disclosing = _awaiting_seeds(table, m.Disclosure.AFTER_HAND)
    if disclosing is not None:
        return disclosing
    if required(table.match).finished:
        return replace(table, awaiting=Awaiting.SETTLE, owed_by=HOST)
    return _next_deal(table)


def _after_settlement(table: Table) -> Table:
    """Return the table that awaits the seeds, if the options require an audit now; otherwise the
    table of the finished match."""
    disclosing = _awaiting_seeds(table, m.Disclosure.AFTER_MATCH)
    return disclosing or replace(table, awaiting=Awaiting.NOTHING, owed_by=None)


def _awaiting_seeds(table: Table, when: m.Disclosure) -> Table | None:
    """Return the table awaiting the seeds that are due at this time, first the host's and then the
    guest's; None if none are due."""
    for seat in (HOST, GUEST):
        if table.disclosure is when and table.undisclosed(seat):
            return replace(table, awaiting=Awaiting.DISCLOSE, owed_by=seat)
    return None


def _resign(table: Table, message: m.Resign, context: ProofContext) -> Table:
    return _after_hand(replace(table, match=required(table.match).resign(context.seat)))


def final_score(table: Table) -> m.Settle:
    """Return the settlement that both players have to sign, computed from the replayed match."""
    settlement = required(table.match).settlement()
    winner = m.Winner.NOBODY if settlement.winner is None else m.Winner(settlement.winner)
    host, guest = settlement.totals
    return m.Settle(table.hand_number, host, guest, winner)


def _settle(table: Table, message: m.Settle, context: ProofContext) -> Table:
    if message != final_score(table):
        raise IllegalEntry("wrong-score", "The signed final score doesn't match the hands.")
    if context.seat == HOST:
        return replace(table, owed_by=GUEST)
    return _after_settlement(table)


def _disclose(table: Table, message: m.Disclose, context: ProofContext) -> Table:
    due = table.disclosed_next(context.seat)
    if len(message.seeds) != len(due):
        raise IllegalEntry(
            "wrong-seed-count",
            f"{len(message.seeds)} hand seeds were disclosed, but {len(due)} are due.",
        )
    records = {record.number: record.players[context.seat] for record in table.records}
    disclosed = [
        Disclosed(table.table_id, number, context.seat, required(records[number]), seed)
        for number, seed in zip(due, message.seeds, strict=True)
    ]
    for each in disclosed:
        each.check_seed()
    for each in disclosed:
        context.proofs.audit(each)
    told = (Seed(each.hand, each.seat, each.seed) for each in disclosed)
    table = replace(table, seeds=(*table.seeds, *told))
    if table.disclosure is m.Disclosure.AFTER_HAND:
        return _after_hand(table)
    return _after_settlement(table)


Step = Callable[[Table, Any, ProofContext], Table]

_HANDS: dict[tuple[Awaiting, type[m.Message]], Step] = {
    (Awaiting.DEAL_COMMIT, m.DealCommit): _deal_commit,
    (Awaiting.DEAL_KEY, m.DealKey): _deal_key,
    (Awaiting.DEAL_DECK, m.DealDeck): _deal_deck,
    (Awaiting.DEAL_SHUFFLE, m.DealShuffle): _deal_shuffle,
    (Awaiting.DEAL_SHARES, m.DealShares): _deal_shares,
    (Awaiting.UPCARD, m.Pass): _pass,
    (Awaiting.UPCARD, m.TakeUpcard): _take_upcard,
    (Awaiting.DRAW, m.TakeUpcard): _take_upcard,
    (Awaiting.DRAW, m.TakeDiscards): _take_discards,
    (Awaiting.DRAW, m.DrawStock): _draw_stock,
    (Awaiting.SHARE, m.Share): _share,
    (Awaiting.DISCARD, m.Lay): _lay,
    (Awaiting.DISCARD, m.Discard): _discard,
    (Awaiting.DISCARD, m.Knock): _knock,
    (Awaiting.LAST_CHANCE, m.Pass): _pass,
    (Awaiting.LAST_CHANCE, m.TakeUpcard): _take_upcard,
    (Awaiting.SPREAD, m.Spread): _spread,
}
TRANSITIONS: dict[tuple[Awaiting, type[m.Message]], Step] = {
    (Awaiting.OFFER, m.Offer): _offer,
    (Awaiting.ACCEPT, m.Accept): _accept,
    (Awaiting.CUT_COMMIT, m.CutCommit): _cut_commit,
    (Awaiting.CUT_VALUE, m.CutValue): _cut_value,
    (Awaiting.CUT_REVEAL, m.CutReveal): _cut_reveal,
    **_HANDS,
    # Nobody can resign instead of a spread: the points of the knock count (RULES 8.8).
    **{(awaiting, m.Resign): _resign for awaiting, _ in _HANDS if awaiting is not Awaiting.SPREAD},
    (Awaiting.SETTLE, m.Settle): _settle,
    (Awaiting.DISCLOSE, m.Disclose): _disclose,
}


def identity_of(message: m.Message) -> bytes | None:
    """Return the identity key in an offer or an acceptance; None for other messages. Raises
    BadPublicKey if the key isn't usable."""
    if isinstance(message, m.Offer | m.Accept):
        check_public_key(message.key)
        return message.key
    return None


def step(table: Table, message: m.Message, author: int, proofs: Proofs = AT_ONCE) -> Table:
    """Return the table after a message from the player who owed it. Raises IllegalEntry if it isn't
    allowed now, and whatever the rules and the crypto raise if it is illegal or not proven."""
    transition = TRANSITIONS.get((table.awaiting, type(message)))
    if transition is None:
        raise IllegalEntry(
            "not-allowed-now",
            f"{type(message).__name__} was signed, but {table.awaiting.value} had to come next.",
        )
    return transition(table, message, table.context(author, proofs))
