"""What speaks for a choice and against another, in clauses made of the adviser's facts: for a hint,
and for an analysis of what was played.

# Rule 1: every clause says cards and counts of Facts, which a test counts again on the position.
#   What no fact says is not said, and there is no phrase that fits anywhere.
# Rule 2: what speaks for a choice is said of it; what speaks against another, beside the better.
# Rule 3: a sentence is heard as well as read: cards come as the style has them, and no signs but
#   those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from cli.words.cards import Style
from cli.words.grammar import inside, plural, verb
from ginpeer.adviser import (
    Advice,
    AnswerFacts,
    Facts,
    KnockFacts,
    StockFacts,
    TakeFacts,
    ThrowFacts,
)
from ginpeer.rules import (
    Card,
    CardSet,
    Discard,
    DrawStock,
    Knock,
    Pass,
    Spread,
    TakeUpcard,
    cards_of,
    popcount,
)
from ginpeer.rules.hand import WALL

_NAMED = 3  # cards that are named one by one; of more it is said how many there are
_DEAR = 7  # pips from which it is said of a card what it counts
_FEW_OUTS = 2
_MUCH = 3  # cards, pips or ways: what differs by less is told where nothing else does

OFTEN = 10
"""Times in 100: an undercut that is rarer is no reason against a knock."""


class AdvicePhrases:
    """How one reader is told: cards in this style, and the other player by this name."""

    def __init__(self, style: Style, other: str) -> None:
        self.style = style
        self.other = other

    # --- the moves -----------------------------------------------------------------------

    def order(self, advice: Advice) -> str:
        """What to do: "throw K♠"."""
        match advice.move:
            case Discard(card):
                return f"throw {self.style.the(card)}"
            case Knock(discard=None):
                return "go big gin"
            case Knock(discard=Card() as card):
                end = "go gin" if _is_gin(advice) else "knock"
                return f"{end} and throw {self.style.the(card)}"
            case TakeUpcard():
                return f"take {self._upcard(advice)}"
            case DrawStock():
                return "draw from the stock"
            case Pass():
                return "pass"
            case Spread():
                return "spread"
        return str(advice.move)

    def doing(self, advice: Advice) -> str:
        """The same as a subject or an object: "throwing K♠"."""
        match advice.move:
            case Discard(card):
                return f"throwing {self.style.the(card)}"
            case Knock(discard=None):
                return "going big gin"
            case Knock(discard=Card() as card):
                end = "going gin" if _is_gin(advice) else "knocking"
                return f"{end} with {self.style.the(card)} thrown"
            case TakeUpcard():
                return f"taking {self._upcard(advice)}"
            case DrawStock():
                return "drawing from the stock"
            case Pass():
                return "passing"
            case Spread():
                return "spreading"
        return str(advice.move)

    def _upcard(self, advice: Advice) -> str:
        facts = advice.facts
        return self.style.the(facts.card) if isinstance(facts, TakeFacts) else "the upcard"

    # --- what speaks for a choice ------------------------------------------------------------

    def reasons(self, facts: Facts) -> Iterator[str]:
        """What speaks for it, the weightiest first."""
        match facts:
            case ThrowFacts():
                yield from self._for_throw(facts)
            case StockFacts():
                yield from self._for_stock(facts)
            case TakeFacts():
                yield from self._for_take(facts)
            case KnockFacts():
                yield from self._for_knock(facts)
            case AnswerFacts():
                yield from self._for_answer(facts)

    def _for_throw(self, facts: ThrowFacts) -> Iterator[str]:
        if facts.deadwood == facts.least == 0:
            yield "all the other cards are melded"
        yield from self.of_card(facts)
        yield from self._next_draw(facts.after)
        if facts.deadwood == facts.least:
            yield f"no other throw leaves less deadwood than {facts.deadwood}"

    def of_card(self, facts: ThrowFacts) -> Iterator[str]:
        """What the card itself says for throwing it, the weightiest first."""
        if not facts.near:
            yield "nothing of yours is near it"
        elif not facts.outs:
            yield "no unseen card would meld it"
        elif popcount(facts.outs) <= _FEW_OUTS:
            yield f"only {self._named(facts.outs)} would meld it"
        if facts.pips >= _DEAR:
            yield f"it counts {facts.pips}"
        if not facts.melds:
            yield f"{inside(self.other)} cannot meld it"
        elif facts.threw:
            yield f"{inside(self.other)} threw {self._named(facts.threw)}"
        elif facts.shuns:
            yield f"{inside(self.other)} let {self._named(facts.shuns)} lie"

    def _for_stock(self, facts: StockFacts) -> Iterator[str]:
        if facts.stock <= WALL:
            yield "no more cards are drawn in this hand"
        else:
            yield self._drawing(facts)

    def _for_take(self, facts: TakeFacts) -> Iterator[str]:
        if facts.knocks:
            yield (
                f"with it you can knock with {facts.deadwood}"
                if facts.deadwood
                else ("with it you have gin")
            )
        if facts.melds:
            yield f"it melds with {self._named(facts.melds)}"
        if facts.deadwood < facts.before:
            yield f"your deadwood goes from {facts.before} to {facts.deadwood}"
        if facts.throw is not None and not facts.knocks:
            yield f"you can throw {self.style.the(facts.throw)}"

    def _for_knock(self, facts: KnockFacts) -> Iterator[str]:
        if facts.gin:
            yield "all your cards are melded"
            return
        yield f"you show {facts.deadwood}, and the limit is {facts.limit}"
        if not facts.layoffs:
            yield f"{inside(self.other)} can lay off nothing"
        yield self._undercut(facts)

    def _for_answer(self, facts: AnswerFacts) -> Iterator[str]:
        if facts.laid_off:
            yield f"{plural(facts.laid_off, 'card')} can be laid off"
        beside = f"beside the {facts.against} of {inside(self.other)}"
        yield f"{facts.deadwood} is left, {beside}"

    # --- what speaks against another -----------------------------------------------------------

    def drawbacks(self, worse: Advice, better: Advice) -> Iterator[str]:
        """What speaks against the one beside the other, the weightiest first."""
        match worse.facts, better.facts:
            case ThrowFacts() as bad, ThrowFacts() as good:
                yield from self._against_throw(bad, good)
            case ThrowFacts() as bad, KnockFacts():
                yield self._against_playing_on(bad)
            case StockFacts() as bad, TakeFacts():
                yield from self._against_stock(bad)
            case TakeFacts() as bad, _:
                yield self._against_take(bad)
            case KnockFacts() as bad, ThrowFacts() as good if not bad.gin:
                yield from self._for_playing_on(bad, good)
            case KnockFacts() as bad, _ if not bad.gin:
                yield from self._against_knock(bad, better.facts)
            case AnswerFacts() as bad, AnswerFacts() if bad.deadwood > bad.least:
                yield f"{bad.deadwood} is left, where {bad.least} could be"

    def _against_throw(self, bad: ThrowFacts, good: ThrowFacts) -> Iterator[str]:
        """What differs much; where nothing does, what differs a little."""
        found = [*self._much_worse(bad, good)]
        yield from found or self._counts(bad, good, 1)

    def _much_worse(self, bad: ThrowFacts, good: ThrowFacts) -> Iterator[str]:
        card, other = self.style.the(bad.card), inside(self.other)
        if bad.broken:
            yield f"throwing {card} breaks a meld and adds {bad.broken}"
        if bad.sure and not good.sure:
            yield f"{other} holds {self._named(bad.sure[0])} and would meld {card}"
        if bad.wants and not good.wants:
            yield f"{other} took {self._named(bad.wants)}, so keep {card}"
        if popcount(bad.outs) > popcount(good.outs):
            yield f"{self._named(bad.outs)} would meld {card}"
        yield from self._counts(bad, good, _MUCH)

    def _counts(self, bad: ThrowFacts, good: ThrowFacts, least: int) -> Iterator[str]:
        """What is counted after either throw, where the counts differ by so much."""
        card, better = self.style.the(bad.card), self.style.the(good.card)
        if draws_again(bad.after):
            gin, less_gin = popcount(good.after.gin), popcount(bad.after.gin)
            if gin > less_gin:
                cards = plural(gin, "unseen card makes", "unseen cards make")
                yield f"{cards} gin if {better} goes, {less_gin or 'none'} if {card} goes"
            helps, helps_less = popcount(good.after.better), popcount(bad.after.better)
            if helps >= helps_less + least:
                cards = plural(helps, "unseen card helps", "unseen cards help")
                yield f"{cards} if {better} goes, {helps_less or 'none'} if {card} goes"
        if bad.deadwood >= good.deadwood + least:
            leaves = f"throwing {card} leaves deadwood of {bad.deadwood}"
            yield f"{leaves}, throwing {better} {good.deadwood}"
        if len(bad.melds) >= len(good.melds) + least:
            ways = plural(len(bad.melds), "way")
            yield (
                f"{inside(self.other)} may meld {card} in {ways}, {better} in "
                f"{len(good.melds) or 'none'}"
            )

    def _for_playing_on(self, bad: KnockFacts, good: ThrowFacts) -> Iterator[str]:
        """Against a knock beside a throw: gin to come, or who may undercut it."""
        after = good.after
        gin = popcount(after.gin) if draws_again(after) else 0
        if gin:
            makes = "makes" if gin == 1 else "make"
            yield f"playing on, {gin} of {after.unseen} unseen cards {makes} gin"
        if bad.undercut >= OFTEN or not gin:
            yield f"knocking would show {bad.deadwood}, and {self._undercut(bad)}"

    def _against_playing_on(self, bad: ThrowFacts) -> str:
        if not draws_again(bad.after):
            return "the stock is nearly used up"
        return (
            f"playing on, {popcount(bad.after.gin)} of {bad.after.unseen} unseen cards would make "
            "gin"
        )

    def _against_stock(self, bad: StockFacts) -> Iterator[str]:
        helps = popcount(bad.better)
        if bad.stock <= WALL:
            yield "the hand is void without it"
        elif 2 * helps <= bad.unseen:  # where most cards help, the stock is no reason
            yield f"from the stock only {helps} of {bad.unseen} unseen cards would help"

    def _against_take(self, bad: TakeFacts) -> str:
        card = self.style.the(bad.card)
        if not bad.melds:
            return f"{card} would be in no meld"
        return f"taking {card} would leave {bad.deadwood}, and you have {bad.before}"

    def _against_knock(self, bad: KnockFacts, better: Facts) -> Iterator[str]:
        if isinstance(better, KnockFacts) and better.gin:
            yield f"knocking would show {bad.deadwood}"
        if isinstance(better, KnockFacts) and popcount(bad.layoffs) > popcount(better.layoffs):
            yield f"{self._named(bad.layoffs)} could be laid off on the other knock"
        if not isinstance(better, KnockFacts) or bad.undercut > better.undercut:
            yield f"knocking would show {bad.deadwood}, and {self._undercut(bad)}"

    # --- the parts ---------------------------------------------------------------------------

    def _drawing(self, facts: StockFacts) -> str:
        """What a card from the stock can do now."""
        gin, knock, helps = map(popcount, (facts.gin, facts.knock, facts.better))
        parts = [f"{gin} of them for gin"] if gin else []
        if facts.unseen > knock > gin:  # with all of them, who may knock could before
            parts.append(f"{knock} for a knock")
        verb_form = "helps" if helps == 1 else "help"
        told = f"{helps} of {facts.unseen} unseen cards {verb_form}"
        return f"{told}, {_and(parts)}" if parts else told

    def _next_draw(self, facts: StockFacts) -> Iterator[str]:
        """What the next turn's can do. It is not said what will allow a knock: where the limit
        floats, the card that sets it has not been seen."""
        gin, helps = popcount(facts.gin), popcount(facts.better)
        if not draws_again(facts):
            return
        if gin:
            makes = "makes" if gin == 1 else "make"
            yield f"then {gin} of {facts.unseen} unseen cards {makes} gin"
        elif helps:
            yield f"then {helps} of {facts.unseen} unseen cards {'helps' if helps == 1 else 'help'}"

    def _undercut(self, facts: KnockFacts) -> str:
        undercuts, often = verb(self.other, "undercut"), "hardly ever"
        if facts.undercut:
            often = f"about {facts.undercut} times in 100" if facts.undercut > 1 else "once in 100"
        return f"{inside(self.other)} {undercuts} it {often}"

    def _named(self, cards: CardSet) -> str:
        """Cards within a sentence: "Q♣ and K♣", or "5 cards"."""
        if popcount(cards) > _NAMED:
            return f"{popcount(cards)} cards"
        return _and(map(self.style.the, cards_of(cards)))


def _is_gin(advice: Advice) -> bool:
    return isinstance(advice.facts, KnockFacts) and advice.facts.gin


def draws_again(after: StockFacts) -> bool:
    """Whether there is a card in the stock for this player, too, when the other has drawn."""
    return after.stock > WALL + 1


def _and(parts: Iterable[str]) -> str:
    *before, last = parts
    return f"{', '.join(before)} and {last}" if before else last


_REASONS = 2  # for a choice, beside one against the next: more is not remembered
_AS_GOOD = 0.05  # points; what differs by less is as good,
_NEARLY = 0.5  # and by less than this nearly so: values are not as exact


def best_line(found: Sequence[Advice], style: Style, other: str) -> str:
    """The best choice, how much better than the next it is, and why. *found* begins with the best,
    and has at least that one."""
    words, best = AdvicePhrases(style, other), found[0]
    head, why = words.order(best), list(islice(words.reasons(best.facts), _REASONS))
    if len(found) > 1 and isinstance(best.move, Discard) and isinstance(found[1].move, Knock):
        # The card may be the same; the question is whether to knock.
        head, why = f"{head} and play on", list(islice(words.drawbacks(found[1], best), _REASONS))
        head = f"{head}, {_beside(best, found[1], words)}"
    elif len(found) > 1:
        head = f"{head}, {_beside(best, found[1], words)}"
        why += islice(words.drawbacks(found[1], best), 1)
    return _sentence(head, why)


def alternative_lines(found: Sequence[Advice], style: Style, other: str) -> list[str]:
    """What the best choice promises, and of each of the others how much less it is worth, and what
    speaks against it."""
    words, best = AdvicePhrases(style, other), found[0]
    ends = f"to {'lose' if best.points < 0 else 'win'} {unsigned_points(best.points)}"
    lines = [_sentence(f"{words.doing(best)}, you can expect {ends} from here on", [])]
    for each in found[1:]:
        less = best.points - each.points
        told = _nearly(less) or f"worth {unsigned_points(less)} less"
        against = list(islice(words.drawbacks(each, best), _REASONS))
        lines.append(_sentence(f"{words.doing(each)} is {told}", against))
    return lines


def _beside(best: Advice, next_best: Advice, words: AdvicePhrases) -> str:
    instead = words.doing(next_best)
    if isinstance(best.move, Discard) and isinstance(next_best.move, Discard):
        instead = words.style.the(next_best.move.card)
    gain = best.points - next_best.points
    nearly = _nearly(gain)
    return f"{nearly} as {instead}" if nearly else f"{unsigned_points(gain)} better than {instead}"


def _nearly(gain: float) -> str | None:
    """ "as good" or "about as good", where the values do not tell two choices apart."""
    return "as good" if gain < _AS_GOOD else "about as good" if gain < _NEARLY else None


def unsigned_points(points: float) -> str:
    """ "1.4 points", "1 point", "12 points"; of what is below zero, how much."""
    rounded = round(abs(points), 1) if abs(points) < 10 else round(abs(points))
    number = f"{rounded:.1f}".removesuffix(".0")
    return f"{number} point{'' if number == '1' else 's'}"


def _sentence(head: str, why: Sequence[str]) -> str:
    return f"{head[0].upper()}{head[1:]}{': ' if why else ''}{'; '.join(why)}."
