"""Reasons for and against a move, as clauses made from the adviser's facts; and the lines of a
hint. cli.text.analysis uses the clauses for an analysis.

Rule 1: every clause states cards and counts from Facts, which a test recounts from the position. No
        clause goes beyond the facts, or is so general that it would fit every position.
Rule 2: reasons for a move describe that move; reasons against a move compare it with the better
        one.
Rule 3: a sentence may be read aloud: apart from cards in the player's style, it contains no
        symbols.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from cli.text.cards import NO_MELDS, Style
from cli.text.grammar import capital, inside, listed, plural, verb
from ginpeer.adviser.advise import (
    Advice,
    Choice,
    DiscardFacts,
    Facts,
    KnockFacts,
    SpreadFacts,
    StockFacts,
    TakeFacts,
)
from ginpeer.rules.cards import Card, CardSet, cards_of, popcount
from ginpeer.rules.hand import WALL
from ginpeer.rules.melds import melding
from ginpeer.rules.moves import Discard, DrawStock, Knock, Move, Pass, Spread, TakeUpcard
from ginpeer.rules.ruleset import RuleSet

NAMED = 3  # cards; if there are more, a clause gives only their number
OFTEN = 10  # times in 100; a less frequent undercut isn't a reason against a knock
_HIGH = 7  # pips; a clause mentions a card's value only if it is this high or higher
_FEW_OUTS = 2
_MUCH = 3  # cards, pips or ways; a smaller difference is used only if no larger one exists
_REASONS = 2  # clauses; nobody remembers more
AS_GOOD = 0.05  # points; values this close are equally good
_NEARLY = 0.5  # points; values this close are nearly equal, since they are only estimates

_VERBS = re.compile(r"\b(discard|draw|go|knock|pass|show|spread|tak)e?\b")
"""The verbs of `AdvicePhrases.imperative`, without the e of take, so that -ing can follow."""


@dataclass(frozen=True, slots=True)
class AdvicePhrases:
    """Advice to one player, in clauses that use this name for the opponent and this card style."""

    other: str
    style: Style
    rules: RuleSet

    @property
    def them(self) -> str:
        return inside(self.other)

    def named(self, cards: CardSet, word: str = "and") -> str:
        """Return cards for use within a sentence: "Q♣ and K♣", "5 cards", "nothing"."""
        if popcount(cards) > NAMED:
            return f"{popcount(cards)} cards"
        return listed(map(self.style.the, cards_of(cards)), word) if cards else "nothing"

    def pips(self, cards: CardSet) -> int:
        return melding(self.rules).pips(cards)

    # --- the moves -----------------------------------------------------------------------

    def imperative(self, advice: Advice, others: Sequence[Choice] = ()) -> str:
        """Return "discard K♠". *others*: the moves that the words must distinguish it from."""
        match advice.move:
            case Discard(card):
                return f"discard {self.style.the(card)}"
            case Knock(discard=None):
                return "go big gin"
            case Knock(discard=Card() as card):
                end, the = "go gin" if _is_gin(advice) else "knock", self.style.the(card)
                if any(_differ_in_melds(advice.move, other.move) for other in others):
                    return f"{end}, discard {the} and show {self._melds(advice)}"
                return f"{end} and discard {the}"
            case TakeUpcard():
                return f"take {self._upcard(advice)}"
            case DrawStock():
                return "draw from the stock"
            case Pass():
                return "pass"
        return "spread"

    def doing(self, advice: Advice, others: Sequence[Choice] = ()) -> str:
        """Return "discarding K♠". *others*: as in `imperative`."""
        return _VERBS.sub(r"\1ing", self.imperative(advice, others))

    def instead(self, advice: Advice, known: Choice, others: Sequence[Advice] = ()) -> str:
        """Return what `doing` returns, for a reader who has just read about the move *known*. If
        the two moves differ only in their melds, or only in knocking, name only that difference."""
        if _differ_in_melds(advice.move, known.move):
            return f"showing {self._melds(advice)}"
        if not others and _differ_in_knocking(advice.move, known.move):
            if isinstance(advice.facts, DiscardFacts):
                return "playing on" if plays_on(advice.facts.after) else "just discarding"
            return "going gin" if _is_gin(advice) else "knocking"
        if isinstance(advice.move, Spread) and isinstance(known.move, Spread):
            return "the best spread"
        return self.doing(advice, [known, *others])

    def _melds(self, advice: Advice) -> str:
        melds = advice.move.melds if isinstance(advice.move, Knock) else ()
        return listed(map(self.style.the_meld, melds)) if melds else NO_MELDS

    def _upcard(self, advice: Advice) -> str:
        facts = advice.facts
        return self.style.the(facts.card) if isinstance(facts, TakeFacts) else "the upcard"

    # --- reasons for a move ------------------------------------------------------------------

    def reasons(self, facts: Facts) -> Iterator[str]:
        """Yield the reasons for a move, strongest first."""
        match facts:
            case DiscardFacts():
                if facts.deadwood == facts.least == 0:
                    yield "all the other cards are melded"
                yield from self.of_card(facts, named=True)
                yield from self._next_draw(facts.after)
                if facts.deadwood == facts.least:
                    yield f"no other discard leaves less deadwood than {facts.deadwood}"
            case StockFacts(stock=stock):
                last = stock <= WALL
                yield "no more cards can be drawn in this hand" if last else self._drawing(facts)
            case TakeFacts():
                yield from self._for_take(facts)
            case KnockFacts(gin=True):
                yield "all your cards are melded"
            case KnockFacts():
                yield f"that leaves {facts.deadwood}, and the limit is {facts.limit}"
                if not facts.layoffs:
                    yield f"{self.them} can't lay off anything"
                if facts.undercut < OFTEN:
                    yield self._undercut(facts)
            case SpreadFacts():
                if facts.laid_off:
                    yield f"you can lay off {plural(facts.laid_off, 'card')}"
                yield f"that leaves {facts.deadwood}, against {self.them}'s {facts.against}"

    def of_card(self, facts: DiscardFacts, *, named: bool = False) -> Iterator[str]:
        """Yield the reasons for discarding a card. *named*: the sentence has just named it."""
        card = "it" if named else self.style.the(facts.card)
        draws = plays_on(facts.after)
        few = draws and facts.outs and popcount(facts.outs) <= _FEW_OUTS
        none = not (facts.outs if draws else facts.near)
        if not facts.near:
            yield f"none of your cards goes with {card}"
        elif none:
            yield f"no unseen card makes a meld with {card}"
        elif few:
            yield f"{card} could still meld only with {self.named(facts.outs, 'or')}"
        if facts.pips >= _HIGH:
            yield f"{'it' if few or none else card} counts {facts.pips}"
        if not facts.melds:
            yield f"{self.them} can't meld {card if few else 'it'}"
        elif facts.threw:
            yield f"{self.them} discarded {self.named(facts.threw)}"
        elif facts.shuns:
            yield f"{self.them} didn't take {self.named(facts.shuns)}"

    def _for_take(self, facts: TakeFacts) -> Iterator[str]:
        if facts.knocks:
            knock = f"it lets you knock with {facts.deadwood}"
            yield knock if facts.deadwood else "it gives you gin"
        if facts.melds:
            yield f"it melds with {self.named(facts.melds)}"
        if facts.deadwood < facts.before:
            yield f"your deadwood goes from {facts.before} to {facts.deadwood}"
        if facts.throw is not None and not facts.knocks:
            yield f"then you can let go of {self.style.the(facts.throw)}"

    # --- reasons against a move --------------------------------------------------------------

    def drawbacks(
        self,
        worse: Advice,
        better: Advice,
        *,
        beside_better: bool = False,
        named: bool = False,
    ) -> Iterator[str]:
        """Yield the reasons against the worse move, strongest first. *beside_better*: the better
        move has just been recommended. *named*: the sentence has just named the worse move."""
        match worse.facts, better.facts:
            case DiscardFacts() as bad, DiscardFacts() as good:
                card = "it" if named else self.style.the(bad.card)
                much = [*self._much_worse(bad, good, card)]  # if empty, any difference counts
                yield from much or self._counts(bad, good, card, 1)
            case DiscardFacts() as bad, KnockFacts(gin=False) as good:
                playing_on = f"{only_of_unseen(bad.after)} would make gin"
                playing_on = playing_on if named else f"if you play on, {playing_on}"
                yield playing_on if draws_again(bad.after) else f"the {no_more_draws(good)}"
            case StockFacts() as bad, TakeFacts() as good:
                yield from self._against_stock(bad, better.facts)
            case TakeFacts() as bad, _:
                card = "it" if named else self.style.the(bad.card)
                leaves = f"taking {card} would leave {bad.deadwood}, and you have {bad.before}"
                yield leaves if bad.melds else f"{card} wouldn't be in a meld"
            case KnockFacts() as bad, DiscardFacts() as good if not bad.gin:
                yield from self._for_playing_on(bad, good, named=beside_better)
            case KnockFacts() as bad, _ if not bad.gin:
                knock = "the other knock" if beside_better else "that knock"
                yield from self._against_knock(bad, better.facts, knock)
            case SpreadFacts() as bad, SpreadFacts() if bad.deadwood > bad.least:
                yield f"your spread leaves {bad.deadwood}, and {bad.least} is possible"

    def _much_worse(self, bad: DiscardFacts, good: DiscardFacts, card: str) -> Iterator[str]:
        other = self.them
        if bad.broken:
            yield f"discarding {card} breaks a meld and adds {bad.broken} to your deadwood"
        if bad.sure and not good.sure:
            yield f"{other} holds {self.named(bad.sure[0])} and would meld {card}"
        if bad.wants and not good.wants:
            yield f"{other} took {self.named(bad.wants)} and may want {card}"
        if popcount(bad.outs) > popcount(good.outs) and plays_on(bad.after):
            yield f"{card} could still meld with {self.named(bad.outs, 'or')}"
        yield from self._counts(bad, good, card, _MUCH)

    def _counts(
        self, bad: DiscardFacts, good: DiscardFacts, card: str, least: int
    ) -> Iterator[str]:
        """Yield the counts by which the first discard is worse by *least* or more. *card*: the card
        of that discard, or "it"."""
        better = self.style.the(good.card)
        if draws_again(bad.after):
            if good.after.gin > bad.after.gin:
                yield self.more_cards("gin", good, bad, card)
            more_melds = good.after.melds - bad.after.melds
            # If the worse card has more outs, they explain the difference, and were just named.
            if more_melds >= least and popcount(bad.outs) <= popcount(good.outs):
                yield self.more_cards("a meld", good, bad, card)
        if bad.deadwood >= good.deadwood + least:
            left = f"{bad.deadwood} deadwood instead of {good.deadwood}"
            yield f"{'that' if card == 'it' else f'discarding {card}'} leaves {left}"
        if len(bad.melds) >= len(good.melds) + least:
            ways = plural(len(bad.melds), "way")
            fewer = f"and {better} in {_only(len(good.melds))}"
            yield f"{self.them} could meld {card} in {ways}, {fewer}"

    def more_cards(self, made: str, good: DiscardFacts, bad: DiscardFacts, worse: str) -> str:
        """Say how many cards make gin or a meld (*made*) after each of two discards. *worse*: the
        card of the worse discard, or "it"."""
        after = good.after, bad.after
        more, fewer = (each.gin if made == "gin" else each.melds for each in after)
        cards = plural(more, "unseen card makes", "unseen cards make")
        better = self.style.the(good.card)
        return f"{cards} {made} if you discard {better}, and {_only(fewer)} if you discard {worse}"

    def _for_playing_on(self, bad: KnockFacts, good: DiscardFacts, *, named: bool) -> Iterator[str]:
        """Yield reasons not to knock: a good chance of gin, or of an undercut. *named*: the
        sentence has just advised playing on."""
        after = good.after
        gin = after.gin if draws_again(after) else 0
        if gin:
            cards = f"{of_unseen(gin, after)} {_makes(gin)} gin"
            yield cards if named else f"if you play on, {cards}"
        if bad.undercut >= OFTEN:
            yield f"knocking would leave {bad.deadwood}, and {self._undercut(bad)}"
        elif not gin:  # a rare undercut would be a reason to knock
            yield f"knocking would leave {bad.deadwood}"

    def _against_stock(self, bad: StockFacts, take: TakeFacts) -> Iterator[str]:
        """Say how few unseen cards would do what the upcard does."""
        if bad.stock <= WALL:
            yield "if you pass, the hand is void"
            return
        count, does = bad.better, "lower your deadwood"
        if take.knocks and bad.knock is not None:
            count, does = bad.knock, "let you knock"
        elif take.melds:
            count, does = bad.melds, "make a meld"
        if 2 * count <= bad.unseen:  # if most cards would, the stock isn't a drawback
            yield f"from the stock{' only' if count else ','} {of_unseen(count, bad)} would {does}"

    def _against_knock(self, bad: KnockFacts, better: Facts, knock: str) -> Iterator[str]:
        if isinstance(better, KnockFacts) and better.gin:
            yield f"knocking would leave {bad.deadwood}"
        if isinstance(better, KnockFacts) and popcount(bad.layoffs) > popcount(better.layoffs):
            yield f"{self.named(bad.layoffs)} could be laid off on {knock}"
        if not isinstance(better, KnockFacts) or bad.undercut > better.undercut:
            yield f"{knock} would leave {bad.deadwood}, and {self._undercut(bad)}"

    # --- parts of clauses --------------------------------------------------------------------

    def _drawing(self, facts: StockFacts) -> str:
        gin, knock = facts.gin, facts.knock or 0
        parts = [cards_that_help(facts)]
        if gin:
            parts.append(f"{gin} {_makes(gin)} gin")
        if facts.unseen > knock > gin:  # if every card lets you knock, you already could
            parts.append(f"{knock} {'lets' if knock == 1 else 'let'} you knock")
        return listed(parts)

    def _next_draw(self, facts: StockFacts) -> Iterator[str]:
        """Say what the card drawn next turn could do. Don't mention a knock: if each turn has its
        own limit, the card that will set the next one hasn't been seen yet."""
        if facts.gin and draws_again(facts):
            yield f"then {of_unseen(facts.gin, facts)} {_makes(facts.gin)} gin"
        elif facts.melds and draws_again(facts):
            yield f"then {cards_that_help(facts)}"

    def _undercut(self, facts: KnockFacts) -> str:
        undercuts = verb(self.other, "undercut")
        if not facts.undercut:
            return f"{self.them} hardly ever {undercuts} such a knock"
        often = f"{facts.undercut} times in 100" if facts.undercut > 1 else "one time in 100"
        return f"{self.them} {undercuts} such a knock about {often}"


def _differ_in_melds(one: Move, other: Move) -> bool:
    """Return whether two knocks, or two ways to go gin, differ only in their melds."""
    if not (isinstance(one, Knock) and isinstance(other, Knock)):
        return False
    alike = one.discard == other.discard and bool(one.deadwood) == bool(other.deadwood)
    return alike and one.melds != other.melds


def _differ_in_knocking(one: Move, other: Move) -> bool:
    moves = one, other
    knocks = [move.discard for move in moves if isinstance(move, Knock)]
    return len(knocks) == 1 and knocks == [m.card for m in moves if isinstance(m, Discard)]


def _is_gin(advice: Advice) -> bool:
    return isinstance(advice.facts, KnockFacts) and advice.facts.gin


def of_unseen(count: int, after: StockFacts) -> str:
    """Return "3 of 40 unseen cards", as the subject of a sentence."""
    if not count:
        return f"none of the {after.unseen} unseen cards"
    return f"{count} of {after.unseen} unseen cards"


def only_of_unseen(after: StockFacts) -> str:
    """Say how few cards make gin, as a reason against playing on: "only 3 of 40 unseen cards"."""
    return f"{'only ' if after.gin else ''}{of_unseen(after.gin, after)}"


def cards_that_help(facts: StockFacts) -> str:
    """Say how many cards make a meld; if none does, say how many lower the deadwood."""
    return melding_cards(facts) if facts.melds else lowering_cards(facts)


def melding_cards(facts: StockFacts) -> str:
    return f"{of_unseen(facts.melds, facts)} {_makes(facts.melds)} a meld"


def lowering_cards(facts: StockFacts) -> str:
    lower = "lowers" if facts.better == 1 else "lower"
    return f"{of_unseen(facts.better, facts)} {lower} your deadwood"


def _makes(count: int) -> str:
    return "makes" if count == 1 else "make"


def _only(count: int) -> str:
    return f"only {count}" if count else "none"


def plays_on(after: StockFacts) -> bool:
    return after.stock > WALL


def draws_again(after: StockFacts) -> bool:
    """Return whether this player can still draw from the stock after the opponent has drawn."""
    return after.stock > WALL + 1


def no_more_draws(knock: KnockFacts, verb: str = "is") -> str:
    """Say why the player of this knock can't draw again: too little stock, or too many swaps."""
    return f"hand {verb} then void" if knock.stock > WALL + 1 else f"stock {verb} nearly used up"


# --- a hint ------------------------------------------------------------------------------


def moves_to_compare(found: Sequence[Advice]) -> list[Advice]:
    """Return the moves that a hint compares. *found*: moves in order of value, best first. If gin
    is best, nobody wonders whether to play on, so keep only the knocks."""
    if not _is_gin(found[0]):
        return list(found)
    return [advice for advice in found if isinstance(advice.move, Knock)]


def best_line(found: Sequence[Advice], words: AdvicePhrases) -> str:
    """Say which move is best and why, and how much less the next one is worth. *found*: one or more
    moves, best first."""
    best = found[0]
    head, why = words.imperative(best, found), list(islice(words.reasons(best.facts), _REASONS))
    if len(found) == 1:
        return _sentence(head, why)
    facts, knocks = best.facts, any(isinstance(each.move, Knock) for each in found)
    if isinstance(facts, DiscardFacts) and knocks:
        head = f"{head} {'and play on' if plays_on(facts.after) else 'without knocking'}"
    next_best, against = found[1], list[str]()
    if isinstance(best.move, Discard):  # a player who can knock wonders about that first
        next_best = next((each for each in found if isinstance(each.move, Knock)), next_best)
    if isinstance(best.move, Discard) and isinstance(next_best.move, Knock):
        # The card may be the same; the question is whether to knock.
        why = list(islice(words.drawbacks(next_best, best, beside_better=True), _REASONS))
    else:
        against = [*islice(words.drawbacks(next_best, best, beside_better=True, named=True), 1)]
    less = best.points - next_best.points
    return f"{_sentence(head, why)} {_compared(words.instead(next_best, best), less, against)}"


def alternative_lines(found: Sequence[Advice], words: AdvicePhrases) -> list[str]:
    """Say what to expect from the best move, and how much less the others are worth."""
    best = found[0]
    ends = f"to {'lose' if best.points < 0 else 'win'} {signed_points(abs(best.points))}"
    doing = words.doing(best, found)
    lines = [_sentence(f"after {doing}, you can expect {ends} by the end of the hand", [])]
    for each in found[1:]:
        against = list(islice(words.drawbacks(each, best, named=True), _REASONS))
        others = [other for other in found[1:] if other is not each]
        instead = words.instead(each, best, others)
        lines.append(_compared(instead, best.points - each.points, against))
    return lines


def _compared(instead: str, less: float, against: Sequence[str]) -> str:
    """Say how much less another move is worth, and give the reasons against it."""
    nearly = _nearly(less)
    if nearly and against:
        return _sentence(f"{instead} is {nearly}, though {'; '.join(against)}", [])
    return _sentence(f"{instead} is {nearly or f'worth {signed_points(less)} less'}", against)


def _nearly(gain: float) -> str | None:
    """Return "as good" or "about as good" if the two moves are too close to call; else None."""
    return "as good" if gain < AS_GOOD else "about as good" if gain < _NEARLY else None


def signed_points(value: float) -> str:
    """Return points, with tenths below ten: "23 points", "minus 4.2 points"."""
    rounded = round(value) if abs(value) >= 9.95 else round(value, 1)
    text = f"{abs(rounded):g}"
    return f"{'minus ' if rounded < 0 else ''}{text} {'point' if text == '1' else 'points'}"


def _sentence(head: str, why: Sequence[str]) -> str:
    return f"{capital(head)}{': ' if why else ''}{'; '.join(why)}."
