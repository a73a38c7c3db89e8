"""The analysis of a player's choices in a match: what to do better, then the totals, then the
costliest choices. For each of these, it says what was played, what would have been better and why,
and what the opponent really held. The short form has the most important parts on one screen.

Rule 1: if no fact (ginpeer.adviser) distinguishes two choices, the reason says so.
Rule 2: a reason states only what the player could see. `hindsight` states what the player couldn't.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from cli.text.advice import (
    AS_GOOD,
    NAMED,
    OFTEN,
    AdvicePhrases,
    cards_that_help,
    draws_again,
    lowering_cards,
    melding_cards,
    no_more_draws,
    only_of_unseen,
    plays_on,
    signed_points,
)
from cli.text.board import limit_line, upcard_line
from cli.text.grammar import at_start, capital, inside, ordinal, plural, score
from cli.text.score_sheet import by_name
from ginpeer.adviser.advise import (
    Advice,
    DiscardFacts,
    Facts,
    KnockFacts,
    SpreadFacts,
    StockFacts,
    TakeFacts,
)
from ginpeer.adviser.levels import BEST
from ginpeer.analysis.decisions import (
    Analysis,
    Decision,
    DecisionKind,
    DrawnCard,
    KindTotal,
    Lesson,
    LessonTotal,
    Mistake,
)
from ginpeer.analysis.report import HiddenInfo, hidden_info_of
from ginpeer.record import Record
from ginpeer.rules.cards import Card, cards_of, popcount
from ginpeer.rules.hand import Phase
from ginpeer.rules.match import Match, View
from ginpeer.rules.moves import Discard, DrawStock, Knock, Move, Pass, Spread, TakeUpcard
from ginpeer.rules.parameters import KnockLimit

_BY_A_CARD = (KnockLimit.UPCARD, KnockLimit.SECOND_DECK)
MISTAKES_SHOWN = 10  # how many to list one by one, unless all are requested
_TAUGHT = 3  # lessons that come first; nobody remembers more
_WORTH = 2.0  # points that a second or third lesson must have cost
_AGAINST = 2  # clauses against the choice that was made
_FOR = 1  # clauses for the best choice


def analysis_lines(
    record: Record, found: Analysis, teller: AdvicePhrases, *, every: bool = False
) -> list[str]:
    """Return a whole analysis. *every*: list all mistakes, not just the ten costliest."""
    lines = [*_summary_and_lessons(found, teller, reasons=True)]
    if found.decisions:
        lines += [
            "",
            "By kind of choice:",
            *(f"  {_kind(total)}" for total in found.kinds() if total.choices),
        ]
        lines += [f"  {line}" for line in _drawn(found, teller)]
    if every and len(found.hands) > 1:
        lines += ["", "By hand:"]
        lines += [
            f"  Hand {hand.number}: your play cost you {signed_points(hand.loss)}; "
            f"{_luck(hand.luck)}."
            for hand in found.hands
            if hand.known and not hand.too_long
        ]
    shown = found.mistakes if every else found.mistakes[:MISTAKES_SHOWN]
    if shown:
        left = len(found.mistakes) - len(shown)
        more = f" ({left} more with --all)" if left else ""
        lines += ["", f"Your costliest choices{more}:"]
    for at, mistake in enumerate(shown, 1):
        lines.append(f"  {at}. {_choice(record, teller, mistake)}")
        lines.append(f"     {_position(mistake.decision.view, teller)}")
        lines.append(f"     {mistake_reasons(teller, mistake)}")
        truth = hidden_info_of(record, mistake)
        if truth is not None:
            lines.append(f"     {hindsight(teller, mistake, truth)}")
    return lines


def short_analysis_lines(record: Record, found: Analysis, teller: AdvicePhrases) -> list[str]:
    """Return what fits on one screen: lessons without reasons, and the costliest choice."""
    lines = [*_summary_and_lessons(found, teller, reasons=False)]
    for mistake in found.mistakes[:1]:
        lines += ["", "Your costliest choice:", f"  {_choice(record, teller, mistake)}"]
        lines.append(f"  {mistake_reasons(teller, mistake)}")
    return lines


def judge_line(who: str) -> str:
    """Say where the points come from. *who*: the player or players whose choices are judged."""
    return (
        f"The points come from this version's level {BEST} bot, adjusted for how such choices turn "
        f"out when it plays itself. It sees only what {who} saw, not cards disclosed later."
    )


def result_line(match: Match, names: tuple[str, str]) -> str:
    """Return who won a finished match: "You won 104 to 62 in 5 hands.", "Ann won 100 to 48, because
    you resigned in hand 2." """
    settlement, hands = match.settlement(), len(match.results)
    winner, totals = settlement.winner, settlement.totals
    how = f" in {plural(hands, 'hand')}"
    if winner is None:
        return f"Nobody won the match: {by_name(totals, names)}{how}."
    if match.resigned is not None:  # the last hand has no result, but its choices count
        how = f", because {inside(names[match.resigned])} resigned in hand {hands + 1}"
    return f"{at_start(names[winner])} won {score(totals[winner], totals[1 - winner])}{how}."


def _summary_and_lessons(found: Analysis, teller: AdvicePhrases, *, reasons: bool) -> Iterator[str]:
    yield f"{play_cost(found)}; {_luck(found.luck)}."
    yield from _left_out(found)
    lessons = lesson_lines(found, teller, reasons=reasons)
    if lessons:
        yield from ("", "What to do better:")
        yield from (f"  {at}. {line}" for at, line in enumerate(lessons, 1))
    elif found.decisions:
        yield "No choice cost you half a point or more."


def lesson_lines(found: Analysis, teller: AdvicePhrases, *, reasons: bool) -> list[str]:
    """Return what to do better, the costliest lesson first. *reasons*: say why."""
    return [_taught(teller, total, reasons=reasons) for total in _lessons_to_teach(found)]


def _lessons_to_teach(found: Analysis) -> list[LessonTotal]:
    """Return the costliest lessons that have a reason; if none has, the lesson without one."""
    lessons = found.lessons()
    reasoned = [total for total in lessons if total.lesson is not Lesson.CLOSER_LOOK] or lessons
    worth = [total for total in reasoned[1:] if total.loss >= _WORTH]
    return [*reasoned[:1], *worth][:_TAUGHT]


def play_cost(found: Analysis) -> str:
    """Return "Your play cost you 23 points over 8 hands", without a full stop."""
    return f"Your play cost you {signed_points(found.loss)} over {plural(found.valued, 'hand')}"


def _luck(luck: float) -> str:
    verb = "cost" if round(luck, 1) < 0 else "brought"
    return f"luck of the draw (not counting the deals) {verb} you {signed_points(abs(luck))}"


def _left_out(found: Analysis) -> Iterator[str]:
    for hand in found.hands:
        if not hand.known:
            yield f"Hand {hand.number} is left out, because your cards aren't known."
        elif hand.too_long:
            yield f"Hand {hand.number} is left out, because it has too many moves."


def _taught(teller: AdvicePhrases, total: LessonTotal, *, reasons: bool) -> str:
    costliest = total.mistakes[0]
    made = past_action(teller, costliest) + instead_of(teller, costliest)
    where = f"in hand {costliest.decision.hand}"
    why = f"; {lesson_reason(teller, costliest)}" if reasons else ""
    told, cost = lesson_advice(teller, costliest), signed_points(total.loss)
    if len(total.mistakes) == 1:
        return f"{told}: {where} you {made}, which cost {cost}{why}."
    count = len(total.mistakes)
    return f"{told}: {count} choices cost {cost}, the worst {where}, where you {made}{why}."


_KINDS = {
    DecisionKind.DRAW: "Draws",
    DecisionKind.THROW: "Discards",
    DecisionKind.KNOCK: "Knocks, made or missed",
    DecisionKind.ANSWER: "Answers to a knock",
}


def _kind(total: KindTotal) -> str:
    mistakes = plural(total.mistakes, "mistake") if total.mistakes else "no mistakes"
    return (
        f"{_KINDS[total.kind]}: {plural(total.choices, 'choice')}, {mistakes}, "
        f"{signed_points(total.loss)} lost."
    )


def _drawn(found: Analysis, teller: AdvicePhrases) -> Iterator[str]:
    if not found.draws:
        return
    best = max(found.draws, key=lambda draw: draw.luck)
    worst = min(found.draws, key=lambda draw: draw.luck)
    told = f"the best was {_card(best, teller)}, the worst {_card(worst, teller)}"
    if best is worst:
        told = f"it was {_card(best, teller)}"
    cards = plural(len(found.draws), "card")
    together = f"together {_beside_mean(found.luck)}; " if len(found.draws) > 1 else ""
    yield f"Luck of the draw: {cards} from the stock; {together}{told}."


def _beside_mean(value: float) -> str:
    return f"{signed_points(abs(value))} {'above' if value >= 0 else 'below'} average"


def _card(draw: DrawnCard, teller: AdvicePhrases) -> str:
    return f"{teller.style.the(draw.card)} in hand {draw.hand}, {_beside_mean(draw.luck)}"


# --- single mistakes ---------------------------------------------------------------------


def _choice(record: Record, teller: AdvicePhrases, mistake: Mistake) -> str:
    return f"{place_of(record, mistake.decision)}: {choice_made(teller, mistake)}"


def choice_made(teller: AdvicePhrases, mistake: Mistake) -> str:
    decision = mistake.decision
    made = past_action(teller, mistake)
    better = teller.instead(mistake.best, mistake.played)
    played, best = mistake.played.move, mistake.best.move
    if isinstance(played, Knock) and isinstance(best, Discard) and played.discard != best.card:
        better += " without a knock"
    return f"you {made}; {better} was worth {signed_points(decision.loss)} more."


def place_of(record: Record, decision: Decision) -> str:
    """Say where a decision was made: the hand, the turn (except in answer to a knock), and in a
    typed match the line."""
    line, turn = record.line_of(decision.entry), record.step_of(decision.entry).own_turn
    place = f"Hand {decision.hand}"
    if decision.kind is not DecisionKind.ANSWER:
        place += f", your {ordinal(turn)} turn"
    return place if line is None else f"{place}, line {line}"


def _position(view: View, teller: AdvicePhrases) -> str:
    hand, style = view.hand, teller.style
    told = f"You held {style.hand(view.cards, hand.rules)}."
    if hand.phase is Phase.LAY_OFF and hand.knock is not None:
        dead, other = hand.knock.deadwood, at_start(teller.other)
        melds = style.melds(hand.knock.melds)
        if not dead:
            big = "big " if hand.knock.discard is None else ""
            return f"{told} {other} went {big}gin: melds {melds}."
        left = style.deadwood(dead, hand.rules)
        return f"{told} {other} knocked: melds {melds}; deadwood {left}."
    taken = hand.known_held(1 - view.seat)
    seen = f" {at_start(teller.other)} had taken {style.cards(cards_of(taken))}." if taken else ""
    # upcard_line gives a limit for one turn, and a limit for the whole match needs no mention.
    limit = limit_line(hand, style) if hand.rules.knock_limit in _BY_A_CARD else None
    line = " ".join(filter(None, (upcard_line(hand, style), limit)))
    return f"{told} {capital(line)}{seen}"


def past_action(teller: AdvicePhrases, mistake: Mistake) -> str:
    """Return what was played, to follow "you": "discarded K♠", "knocked with 4, discarding 9♣"."""
    style, move, upcard = teller.style, mistake.played.move, mistake.decision.view.hand.upcard
    match move:
        case Discard():
            return f"discarded {style.the(move.card)}"
        case TakeUpcard() if upcard is not None:
            return f"took {style.the(upcard)}"
        case DrawStock() if upcard is not None:
            return f"left {style.the(upcard)} and drew from the stock"
        case Pass() if upcard is not None:
            return f"passed {style.the(upcard)}"
        case Knock(discard=None):
            return "went big gin"
        case Knock(discard=Card() as card) if not move.deadwood:
            return f"went gin, discarding {style.the(card)}"
        case Knock(discard=Card() as card):
            return f"knocked with {teller.pips(move.deadwood)}, discarding {style.the(card)}"
        case Spread():
            return f"answered the knock with {teller.pips(move.deadwood)}"
    return "drew from the stock" if isinstance(move, DrawStock) else "passed"


def instead_of(teller: AdvicePhrases, mistake: Mistake) -> str:
    """Return " instead of Q♥", to follow `past_action`; "" if that already implies it."""
    played, best = mistake.played.move, mistake.best.move
    facts = mistake.best.facts
    match best:
        case Discard() if isinstance(played, Knock) and isinstance(facts, DiscardFacts):
            return f", instead of {'playing on' if plays_on(facts.after) else 'just discarding'}"
        case Discard() if isinstance(played, Discard):
            return f" instead of {teller.style.the(best.card)}"
        case Knock() if not isinstance(played, Knock):
            ends = f"knocking with {teller.pips(best.deadwood)}" if best.deadwood else "going gin"
            return f" instead of {ends}"
    return ""


def mistake_reasons(teller: AdvicePhrases, mistake: Mistake) -> str:
    """Return, in sentences, the reasons against the choice that was made and for the best one."""
    against = list(islice(teller.drawbacks(mistake.played, mistake.best), _AGAINST))
    best = mistake.best.facts
    # The drawbacks already compare what follows each discard, so add only reasons about the card.
    found = teller.of_card(best) if isinstance(best, DiscardFacts) else teller.reasons(best)
    knocked = isinstance(mistake.played.move, Knock) and isinstance(best, DiscardFacts)
    reasons = [] if knocked else list(islice(found, _FOR))
    told = [f"Why: {'; '.join(against)}."] if against else []
    if reasons:
        doing = teller.instead(mistake.best, mistake.played)
        told.append(f"{capital(doing)}: {'; '.join(reasons)}.")
    return " ".join(told) or f"Why: {_NOTHING}."


def value_line(teller: AdvicePhrases, decision: Decision, best: Advice) -> str:
    worth = f"Value: {signed_points(decision.played.points)}"
    if not decision.loss:
        return f"{worth}, the best choice."
    better = teller.instead(best, decision.played)
    if decision.loss < AS_GOOD:
        return f"{worth}; {better} was as good."
    return f"{worth}; {better} was worth {signed_points(decision.loss)} more."


# --- lessons -----------------------------------------------------------------------------


def lesson_advice(teller: AdvicePhrases, mistake: Mistake) -> str:
    took, take = mistake.played.facts, mistake.best.facts
    if isinstance(take, TakeFacts) and not take.melds and not take.knocks:
        higher = "higher loose" if take.deadwood < take.before else "less useful"
        return f"Take the upcard if it can replace a {higher} card"
    if isinstance(took, TakeFacts) and took.melds:
        return "Leave an upcard that doesn't help much"
    return _ADVICE[mistake.lesson].format(other=teller.them)


_ADVICE = {
    Lesson.TAKE: "Take the upcard if it makes a meld or lets you knock",
    Lesson.LEAVE: "Leave an upcard that makes no meld",
    Lesson.KEEP_MELD: "Keep melds together",
    Lesson.DO_NOT_FEED: "Don't discard what {other} can use",
    Lesson.THROW_HIGH: "Discard high loose cards sooner",
    Lesson.KEEP_NEAR: "Keep the cards that can still make melds",
    Lesson.GO_GIN: "Look for gin before you discard",
    Lesson.KNOCK: "Knock sooner",
    Lesson.WAIT: "Wait before you knock",
    Lesson.KNOCK_BETTER: "Look for the best way to knock",
    Lesson.LAY_OFF: "Look for everything you can meld or lay off before you answer a knock",
    Lesson.CLOSER_LOOK: "Take your time over close choices",
}


def lesson_reason(teller: AdvicePhrases, mistake: Mistake) -> str:
    return _reason(teller, mistake) or _NOTHING


def _reason(teller: AdvicePhrases, mistake: Mistake) -> str:
    """Return the reason if a fact distinguishes the two choices; otherwise ""."""
    the, named = teller.style.the, teller.named
    match mistake.lesson, mistake.played.facts, mistake.best.facts:
        case Lesson.TAKE, _, TakeFacts() as best:
            return _take(teller, best)
        case Lesson.LEAVE, TakeFacts() as did, best:
            return _leave(teller, did, best)
        case Lesson.KEEP_MELD, DiscardFacts() as did, _:
            broken = f"breaking it added {did.broken} to your deadwood"
            return f"{the(did.card)} was in a meld, and {broken}"
        case Lesson.DO_NOT_FEED, DiscardFacts() as did, DiscardFacts() as best:
            return _not_feed(teller, did, best)
        case Lesson.THROW_HIGH, DiscardFacts(), DiscardFacts() as best:
            counts = f"{the(best.card)} counts {best.pips}"
            if not best.outs:
                return f"{counts}, and no unseen card makes a meld with it"
            only = "only " if popcount(best.outs) <= NAMED else ""
            return f"{counts}, and could meld {only}with {named(best.outs)}"
        case Lesson.KEEP_NEAR, DiscardFacts() as did, DiscardFacts() as best:
            return _keep_near(teller, did, best)
        case Lesson.GO_GIN, _, _:
            return "all the other cards were melded"
        case Lesson.KNOCK, DiscardFacts() as did, KnockFacts() as best if best.undercut >= OFTEN:
            if not draws_again(did.after):
                return f"the {no_more_draws(best, 'was')}"
            return f"{only_of_unseen(did.after)} would have made gin"
        case Lesson.KNOCK, _, KnockFacts() as best:
            return f"{_undercut(best)}, with {plural(best.stock, 'card')} left in the stock"
        case Lesson.WAIT, KnockFacts() as did, best:
            return _wait(did, best)
        case Lesson.KNOCK_BETTER, KnockFacts() as did, KnockFacts() as best:
            return _knock_better(teller, did, best, mistake.best.move)
        case Lesson.LAY_OFF, SpreadFacts() as did, _:
            return f"{did.least} was possible"
    return ""


_NOTHING = "no single card or number explains it; several small differences add up"


def _take(teller: AdvicePhrases, take: TakeFacts) -> str:
    card, counts = teller.style.the(take.card), ""
    if take.knocks:
        ends = f"knock with {take.deadwood}" if take.deadwood else "go gin"
        return f"with {card} you could {ends} at once"
    if take.deadwood < take.before:
        counts = f"lowers your deadwood from {take.before} to {take.deadwood}"
    if take.melds:
        melds = f"{card} melds with {teller.named(take.melds)}"
        return f"{melds}, and {counts}" if counts else melds
    if take.throw is None:
        return ""
    spare = teller.style.the(take.throw)
    if not counts:
        return f"{card} could have replaced {spare}"
    return f"taking {card} and discarding {spare} {counts}"


def _leave(teller: AdvicePhrases, did: TakeFacts, best: Facts) -> str:
    stock = f"; from the stock, {cards_that_help(best)}" if isinstance(best, StockFacts) else ""
    if did.melds:
        told = f"with {teller.style.the(did.card)} your deadwood is {did.deadwood}"
        return f"{told}, and without it {did.before}{stock}"
    return f"{teller.style.the(did.card)} made no meld, and {teller.them} saw you take it{stock}"


def _not_feed(teller: AdvicePhrases, did: DiscardFacts, best: DiscardFacts) -> str:
    card, safer, other = teller.style.the(did.card), teller.style.the(best.card), teller.them
    if did.sure:
        return f"{other} had taken {teller.named(did.sure[0])}, which meld with {card}"
    if did.wants:
        them = "it" if popcount(did.wants) == 1 else "them"
        return f"{other} had taken {teller.named(did.wants)}, and {card} goes with {them}"
    told = f"{other} could meld {card} in {plural(len(did.melds), 'way')}"
    because = f"{told}; {safer} was safer, because {other}"
    if best.threw:
        return f"{because} had discarded {teller.named(best.threw)}"
    if best.shuns:
        return f"{because} hadn't taken {teller.named(best.shuns)}"
    return f"{told}, and {safer} in {len(best.melds) or 'none'}"


def _keep_near(teller: AdvicePhrases, did: DiscardFacts, best: DiscardFacts) -> str:
    card, kept = teller.style.the(did.card), teller.style.the(best.card)
    if best.after.gin > did.after.gin:
        return teller.more_cards("gin", best, did, card)
    if popcount(did.outs) > popcount(best.outs):
        outs = f"{kept} only with {teller.named(best.outs)}" if best.outs else f"{kept} couldn't"
        return f"{card} could still meld with {teller.named(did.outs)}, but {outs}"
    more, few = melding_cards(best.after), did.after.melds
    if best.after.melds <= few:
        more, few = lowering_cards(best.after), did.after.better
    return f"{more} if you discard {kept}, and {few or 'none'} if you discard {card}"


def _wait(did: KnockFacts, best: Facts) -> str:
    told = [_undercut(did)] if did.undercut >= OFTEN else []
    if isinstance(best, DiscardFacts) and draws_again(best.after):
        after = best.after
        if after.gin:
            told.append(f"{plural(after.gin, 'unseen card')} could have made gin")
        else:
            stock = plural(after.stock, "card")
            told.append(f"{cards_that_help(after)}, with {stock} in the stock")
    return ", and ".join(told)


def _knock_better(teller: AdvicePhrases, did: KnockFacts, best: KnockFacts, better: Move) -> str:
    if did.gin and isinstance(better, Knock) and better.discard is None:
        more = (teller.rules.big_gin or 0) > teller.rules.gin_bonus
        return "big gin scores more than gin" if more else ""
    if best.deadwood < did.deadwood:
        return f"a knock with {best.deadwood} was possible"
    if popcount(best.layoffs) < popcount(did.layoffs):
        fit, less = (teller.named(facts.layoffs) for facts in (did, best))
        only = "only " if best.layoffs else ""
        return f"{fit} could be laid off, but {only}{less} on the better knock"
    if best.undercut < did.undercut:
        return f"{_undercut(did)}, and the better knock {_how_often(best)}"
    return ""


def _undercut(facts: KnockFacts) -> str:
    how_often = f"undercut {_how_often(facts)}" if facts.undercut else "hardly ever undercut"
    return f"a knock with {facts.deadwood} at that point is {how_often}"


def _how_often(facts: KnockFacts) -> str:
    if not facts.undercut:
        return "hardly ever"
    return f"about {facts.undercut} times in 100" if facts.undercut > 1 else "about one time in 100"


# --- hindsight ---------------------------------------------------------------------------


def hindsight(teller: AdvicePhrases, mistake: Mistake, truth: HiddenInfo) -> str:
    """Return, in sentences, what the opponent held and what that meant for the choice."""
    played, best = mistake.played.move, mistake.best.move
    held = teller.style.hand(truth.held, teller.rules)
    said = [f"{at_start(teller.them)} actually held {held}."]
    if truth.knock is not None:
        who = "you" if truth.knock >= 0 else teller.them
        knock = "The knock" if isinstance(played, Knock) else "A knock would have"
        said.append(f"{knock} brought {who} {signed_points(abs(truth.knock))}.")
    if isinstance(played, Discard) and isinstance(best, Discard):
        said += _thrown(teller, played.card, best.card, truth)
    many = truth.gone and 2 * popcount(truth.gone) >= popcount(truth.wanted)
    if many and _could_draw(mistake):
        said.append(_not_in_the_stock(teller, played, truth))
    return " ".join(said)


def _could_draw(mistake: Mistake) -> bool:
    """Return whether the player could still draw from the stock, now or after the discard."""
    for facts in (mistake.played.facts, mistake.best.facts):
        if isinstance(facts, DiscardFacts):
            return draws_again(facts.after)
        if isinstance(facts, StockFacts):
            return plays_on(facts)
    return True


def _not_in_the_stock(teller: AdvicePhrases, played: Move, truth: HiddenInfo) -> str:
    gone = teller.style.cards(cards_of(truth.gone))
    count, wanted = popcount(truth.gone), popcount(truth.wanted)
    held, then = f"{teller.them} held", "At that point"
    if isinstance(played, Discard):  # which cards are kept: see HiddenInfo.wanted
        then = f"Without {teller.style.the(played.card)}"
    elif isinstance(played, Knock):
        then = "Playing on"
    if count == wanted:
        cards = "one card" if wanted == 1 else "cards"
        missed = f"the {cards} that you could have melded couldn't come from the stock"
        return f"{then}, {missed}: {held} {gone}."
    return f"{then}, you could have melded {wanted} unseen cards; {held} {count} of them: {gone}."


def _thrown(teller: AdvicePhrases, played: Card, best: Card, truth: HiddenInfo) -> Iterator[str]:
    style = teller.style
    thrown = (played, truth.meld_played, "made"), (best, truth.meld_best, "would have made")
    for card, meld, made in thrown:
        if meld:
            cards = style.cards(cards_of(meld))
            yield f"{style.at_start(card)} {made} a meld there, with {cards}."
