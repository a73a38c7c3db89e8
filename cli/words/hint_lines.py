"""The lines of a hint: what is best, how much better than the next, why; what the others lack."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from cli.words.advice import AdvicePhrases
from cli.words.cards import Style
from ginpeer.adviser import Advice
from ginpeer.rules import Discard, Knock

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
