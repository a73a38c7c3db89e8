"""The analysis of a player's choices in a match: what to do better, then the totals, then the
costliest choices. The short form has the most important of these on one screen."""

from __future__ import annotations

from collections.abc import Iterator

from cli.text.advice import AS_GOOD, AdvicePhrases, signed_points
from cli.text.board import limit_line, upcard_line
from cli.text.grammar import at_start, capital, ordinal, plural, score
from cli.text.mistakes import (
    hindsight,
    instead_of,
    lesson_advice,
    lesson_reason,
    mistake_reasons,
    past_action,
)
from cli.text.score_sheet import by_name
from ginpeer.adviser.advise import Advice
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
from ginpeer.analysis.report import hidden_info_of
from ginpeer.record import Record
from ginpeer.rules import Discard, Knock, Phase, View, cards_of
from ginpeer.rules.match import Match
from ginpeer.rules.parameters import KnockLimit

_BY_A_CARD = (KnockLimit.UPCARD, KnockLimit.SECOND_DECK)
MISTAKES_SHOWN = 10  # how many to list one by one, unless all are requested
_TAUGHT = 3  # lessons that come first; nobody remembers more
_WORTH = 2.0  # points that a second or third lesson must have cost


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
        lines += _told(record, teller, at, mistake)
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
    """Return who won a finished match: "You won 104 to 62 in 5 hands." """
    settlement, hands = match.settlement(), plural(len(match.results), "hand")
    winner, totals = settlement.winner, settlement.totals
    if winner is None:
        return f"Nobody won the match: {by_name(totals, names)} in {hands}."
    return f"{at_start(names[winner])} won {score(totals[winner], totals[1 - winner])} in {hands}."


def _summary_and_lessons(found: Analysis, teller: AdvicePhrases, *, reasons: bool) -> Iterator[str]:
    yield analysis_summary(found)
    yield from _left_out(found)
    lessons = lesson_lines(found, teller, reasons=reasons)
    if lessons:
        yield from ("", "What to do better:")
        yield from (f"  {at}. {line}" for at, line in enumerate(lessons, 1))
    elif found.decisions:
        yield "No choice cost you half a point or more."


def lesson_lines(found: Analysis, teller: AdvicePhrases, *, reasons: bool) -> list[str]:
    """Return what to do better, the costliest lesson first. *reasons*: say why."""
    lessons = _lessons_to_teach(found)
    return [_taught(teller, total, reasons=reasons) for total in lessons]


def _lessons_to_teach(found: Analysis) -> list[LessonTotal]:
    """Return the costliest lessons with a reason; if there are none, the one without a reason."""
    lessons = found.lessons()
    reasoned = [total for total in lessons if total.lesson is not Lesson.CLOSER_LOOK] or lessons
    worth = [total for total in reasoned[1:] if total.loss >= _WORTH]
    return [*reasoned[:1], *worth][:_TAUGHT]


def analysis_summary(found: Analysis) -> str:
    return f"{play_cost(found)}; {_luck(found.luck)}."


def play_cost(found: Analysis) -> str:
    """Return "Your play cost you 23 points over 8 hands", without a full stop."""
    hands = plural(found.valued, "hand")
    return f"Your play cost you {signed_points(found.loss)} over {hands}"


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


def _told(record: Record, teller: AdvicePhrases, at: int, mistake: Mistake) -> Iterator[str]:
    yield f"  {at}. {_choice(record, teller, mistake)}"
    yield f"     {_position(mistake.decision.view, teller)}"
    yield f"     {mistake_reasons(teller, mistake)}"
    truth = hidden_info_of(record, mistake)
    if truth is not None:
        yield f"     {hindsight(teller, mistake, truth)}"


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
    """Return the hand, the turn unless a knock was answered, and the line if it was typed."""
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
    # A limit that is the same in every turn or hand needn't be repeated here.
    limit = limit_line(hand, style) if hand.rules.knock_limit in _BY_A_CARD else None
    line = " ".join(filter(None, (upcard_line(hand, style), limit)))
    return f"{told} {capital(line)}{seen}"


# --- for a replay ------------------------------------------------------------------------


def value_line(teller: AdvicePhrases, decision: Decision, best: Advice) -> str:
    worth = f"Value: {signed_points(decision.played.points)}"
    if not decision.loss:
        return f"{worth}, the best choice."
    better = teller.instead(best, decision.played)
    if decision.loss < AS_GOOD:
        return f"{worth}; {better} was as good."
    return f"{worth}; {better} was worth {signed_points(decision.loss)} more."
