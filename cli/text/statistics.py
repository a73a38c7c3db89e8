"""The statistics of many matches, as lines that can be read aloud: every number comes with a
word."""

from __future__ import annotations

from collections.abc import Iterator

from cli.text.grammar import plural, score
from ginpeer.names import NO_KNOWN_NAMES, KnownNames, safe
from ginpeer.statistics import Average, Counts, Summary
from ginpeer.statistics.summary import ANOTHERS, COPY, PRACTISED

Section = tuple[str, list[str]]
"""A heading and its lines."""

_WHY = {
    "not-begun": "no hand was started",
    ANOTHERS: "your key didn't play",
    COPY: "the same match is stored twice",
    PRACTISED: "you took back a move",
}


def statistics_title(summary: Summary, friend: str | None) -> str:
    """Return the title. *friend*: our name for the only friend whose matches count, if any."""
    if friend is not None:
        return f"Your matches with {friend}"
    return "Your matches"


def statistics_sections(summary: Summary, known: KnownNames = NO_KNOWN_NAMES) -> list[Section]:
    """Return all statistics in sections. *known*: our player's names for others."""
    found: list[Section] = []
    if summary.people.matches:
        found.append(("With people", list(count_lines(summary.people))))
    if len(summary.opponents) > 1:
        most = sorted(summary.opponents.values(), key=lambda one: -one.counts.matches)
        lines = [f"{known.one(one.key, one.name)}: {counts_in_short(one.counts)}" for one in most]
        found.append(("By opponent", lines))
    if len(summary.by_rules) > 1:
        rules = sorted(summary.by_rules.items(), key=lambda each: -each[1].matches)
        found.append(
            ("By rules", [f"{safe(text)}: {counts_in_short(counts)}" for text, counts in rules])
        )
    if summary.bots.matches:
        found.append(("Against the bot", list(count_lines(summary.bots))))
    found.append(("What was counted", list(_what_counts(summary))))
    return found


def counts_in_short(counts: Counts) -> str:
    """Return the main numbers: "3 matches, 2 won, 1 lost; 12 hands; points 140 to 96." """
    return (
        f"{plural(counts.matches, 'match', 'matches')}, {_won(counts)}; "
        f"{plural(counts.hands, 'hand')}; "
        f"points {score(counts.points, counts.points_against)}."
    )


def count_lines(counts: Counts) -> Iterator[str]:
    """Yield a line for everything that was counted."""
    yield f"{plural(counts.matches, 'match', 'matches')}: {_won(counts)}."
    if counts.resigned or counts.resigned_against:
        yield f"Resigned: {counts.resigned} by you, {counts.resigned_against} by your opponent."
    yield (
        f"{plural(counts.hands, 'hand')}: {counts.hands_won} won, {counts.hands_lost} lost"
        f"{_nobody(counts.hands_drawn)}."
    )
    yield f"Gin: {_both(counts.gins, counts.gins_against)}."
    if counts.big_gins or counts.big_gins_against:
        yield f"Big gin: {_both(counts.big_gins, counts.big_gins_against)}."
    if counts.knocks or counts.knocks_against:
        yield (
            f"Knocks: {counts.knocks} of yours, of which {counts.undercuts_against} "
            f"{_was(counts.undercuts_against)} undercut; {counts.knocks_against} against you, of "
            f"which you undercut {counts.undercuts}."
        )
    yield from _averages(counts)
    yield f"Points from hands: {score(counts.points, counts.points_against)}."
    yield f"With all bonuses: {score(counts.totals, counts.totals_against)}."
    yield _streaks(counts)


def _averages(counts: Counts) -> Iterator[str]:
    if counts.knock_deadwood.of:
        yield f"Your deadwood when you knock: {average(counts.knock_deadwood)} on average."
    if counts.caught_deadwood.of:
        yield (
            "Your deadwood when your opponent ends the hand: "
            f"{average(counts.caught_deadwood)} on average, after laying off."
        )
    if counts.turn.of:
        yield f"When you end a hand, it takes you {average(counts.turn)} turns on average."
    if counts.turn_against.of:
        yield f"When your opponent does, it takes them {average(counts.turn_against)} turns."


def average(of: Average) -> str:
    """Return an average to the nearest tenth, such as "4.3"; "0.0" if there is nothing to
    average."""
    tenths = (20 * of.sum + of.of) // (2 * of.of) if of.of else 0
    return f"{tenths // 10}.{tenths % 10}"


def _won(counts: Counts) -> str:
    return f"{counts.won} won, {counts.lost} lost{_nobody(counts.drawn)}"


def _nobody(count: int) -> str:
    return f", {count} without a winner" if count else ""


def _both(ours: int, theirs: int) -> str:
    return f"{ours} of yours, {theirs} against you"


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def _streaks(counts: Counts) -> str:
    streak = counts.streak
    now = ""
    if streak.now:
        now = f"; now {abs(streak.now)} {'won' if streak.now > 0 else 'lost'}"
    return f"Longest streaks: {streak.won} won, {streak.lost} lost{now}."


def _what_counts(summary: Summary) -> Iterator[str]:
    counted = summary.people.matches + summary.bots.matches
    yield (
        f"Counted: {plural(counted, 'match', 'matches')} with a valid and complete log, as ginpeer "
        "verify would say."
    )
    unfinished = summary.unfinished
    if unfinished.matches:
        yield (
            "Not counted: "
            f"{plural(unfinished.matches, 'unfinished match', 'unfinished matches')} with "
            f"{plural(unfinished.hands, 'hand')}."
        )
    if summary.left_out:
        logs = summary.logs_left_out
        why = "; ".join(
            f"{count} because {_WHY[code]} ({code})" if code in _WHY else f"{count} {code}"
            for code, count in sorted(summary.left_out.items())
        )
        yield f"{plural(logs, 'log', 'logs')} left out: {why}."
