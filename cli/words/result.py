"""The result of a hand as one sentence (RULES 7, 8)."""

from __future__ import annotations

from cli.words.grammar import does, inside, number, verb
from ginpeer.rules.parameters import AfterVoid
from ginpeer.rules.ruleset import STANDARD, RuleSet
from ginpeer.rules.score import HandResult, Outcome


def result_text(result: HandResult, names: tuple[str, str], rules: RuleSet = STANDARD) -> str:
    """A hand's result as one sentence; *names* as display_names or seen_by gives them."""
    if result.kind is Outcome.VOID or result.knocker is None:
        return f"The hand is void: nobody scores, and {_DEALS_NEXT[rules.after_void]}."
    knocker, against = names[result.knocker], f"against {result.defender_deadwood}"
    doubled = ", doubled for spades" if result.doubled else ""
    if result.kind is Outcome.MAHJONG:
        other = names[1 - result.knocker]
        return (
            f"{does(knocker, 'go')} gin {against} and {verb(knocker, 'score')} {result.points}; "
            f"{inside(other)} {verb(other, 'score')} {number(result.other_points)}{doubled}."
        )
    if result.kind in (Outcome.GIN, Outcome.BIG_GIN):
        ends = f"{does(knocker, 'go')} {result.kind.value} {against}"
    else:
        ends = f"{does(knocker, 'knock')} with {result.knocker_deadwood} {against}"
    if result.winner is None:
        return f"{ends}: a tie, and nobody scores."
    winner = names[result.winner]
    scores = f"{verb(winner, 'score')} {result.points}{doubled}"
    if result.winner == result.knocker:
        return f"{ends} and {scores}."
    if not result.points:
        return f"{ends}: a tie, and {inside(winner)} {verb(winner, 'win')} the hand without points."
    return f"{ends}: an undercut, and {inside(winner)} {scores}."


_DEALS_NEXT = {
    AfterVoid.SAME_DEALER: "the same player deals again",
    AfterVoid.ALTERNATES: "the other player deals next",
}
