"""The statistics of many matches, as lines that can be read aloud."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from cli.text.grammar import number, plural, score
from ginpeer.names import NO_KNOWN_NAMES, KnownNames, safe
from ginpeer.statistics.page import MIN_PLOTTED, Section
from ginpeer.statistics.summary import (
    COPY,
    NOT_OURS,
    PRACTISED,
    Average,
    ChoiceCounts,
    Counts,
    KindCount,
    Summary,
)

FEW = 20  # a figure based on fewer matches or hands than this says little
JUDGED = 30  # latest matches to judge: older mistakes say less about how you play now
_PRACTISED = 3  # mistakes of a kind; with fewer, we don't advise what to practise
_LEADS = 8  # values of the running sum that a line lists

_NOT_COUNTED = {
    "not-begun": ("match in which no hand was started", "matches in which no hand was started"),
    NOT_OURS: ("match in which your key didn't play", "matches in which your key didn't play"),
    COPY: ("duplicate copy of a match", "duplicate copies of matches"),
    PRACTISED: ("match in which you took back a move", "matches in which you took back a move"),
}


def statistics_sections(
    summary: Summary,
    known: KnownNames = NO_KNOWN_NAMES,
    choices: Sequence[ChoiceCounts] = (),
    friend: str | None = None,
) -> list[Section]:
    """Return all sections. *choices*: what our player chose in each of the latest matches with
    people. *friend*: the friend's display name, if only matches with one friend were asked for."""
    found: list[Section] = []
    if summary.people.matches:
        found.append(_section(f"With {friend or 'people'}", summary.people))
    if choices:
        found.append(Section("Your mistakes", lines=tuple(_mistakes(choices, friend))))
    if len(summary.opponents) > 1:
        most = sorted(summary.opponents.values(), key=lambda one: -one.counts.matches)
        lines = [
            f"{known.display_one(one.key, one.name)}: {counts_in_short(one.counts)}" for one in most
        ]
        found.append(Section("By opponent", lines=tuple(lines)))
    if len(summary.by_rules) > 1:
        rules = sorted(summary.by_rules.items(), key=lambda each: -each[1].matches)
        lines = [f"{safe(text)}: {counts_in_short(counts)}" for text, counts in rules]
        found.append(Section("By rules", lines=tuple(lines)))
    if summary.bots.matches:
        found.append(_section("Against the bot", summary.bots))
    found.append(Section("What was counted", lines=tuple(_what_counts(summary))))
    return found


def _section(heading: str, counts: Counts) -> Section:
    averages = counts.turn, counts.turn_against, counts.knock_deadwood, counts.caught_deadwood
    cases = (counts.matches, counts.hands, *(each.of for each in averages))
    lead = counts.totals - counts.totals_against
    figures = (
        ("Matches won", f"{counts.won} of {counts.matches}"),
        ("Hands won", f"{counts.hands_won} of {counts.hands}"),
        ("Lead in points", number(lead)),
    )
    lines = (*_other_lines(counts), *_caution(cases))
    return Section(heading, figures, counts, tuple(_rows(counts)), lines)


def section_lines(section: Section) -> Iterator[str]:
    yield f"{section.heading}:"
    for name, value in section.figures:
        yield f"  {name}: {value}."
    if section.counts is not None and len(section.counts.margins) >= MIN_PLOTTED:
        yield f"  {_running_sum(section.counts.margins)}"
    said = dict(section.figures)
    for name, ours, theirs in section.rows:
        if name not in said:
            yield f"  {name}: you {ours}, opponent {theirs}."
    for line in section.lines:
        yield f"  {line}"


def _running_sum(margins: list[int]) -> str:
    """Return the running sum at evenly spaced matches, always including the last."""
    sums = list(accumulate(margins))
    count = min(_LEADS, len(sums))
    places = [len(sums) * at // count for at in range(1, count + 1)]
    each = ", ".join(f"{number(sums[place - 1])} after {place}" for place in places)
    return f"Your lead, match by match: {each}."


def _rows(counts: Counts) -> Iterator[tuple[str, str, str]]:
    def row(name: str, ours: int, theirs: int) -> tuple[str, str, str]:
        return name, str(ours), str(theirs)

    yield row("Matches won", counts.won, counts.lost)
    if counts.resigned or counts.resigned_against:
        yield row("Matches resigned", counts.resigned, counts.resigned_against)
    yield row("Hands won", counts.hands_won, counts.hands_lost)
    yield row("Gin", counts.gins, counts.gins_against)
    if counts.big_gins or counts.big_gins_against:
        yield row("Big gin", counts.big_gins, counts.big_gins_against)
    if counts.knocks or counts.knocks_against:
        yield row("Knocks", counts.knocks, counts.knocks_against)
        yield row("Undercuts", counts.undercuts, counts.undercuts_against)
    if counts.turn.of or counts.turn_against.of:
        ours, theirs = counts.turn, counts.turn_against
        yield "Turns to end a hand", _average_turn(ours), _average_turn(theirs)
    yield row("Points from hands", counts.points, counts.points_against)
    yield row("Points with bonuses", counts.totals, counts.totals_against)


def _mistakes(choices: Sequence[ChoiceCounts], friend: str | None) -> Iterator[str]:
    every = sum(choices, ChoiceCounts())
    many = len(choices)
    one, several = f"match with {friend or 'a person'}", f"matches with {friend or 'people'}"
    latest = one if many == 1 else f"{many} {several}"
    yield (
        f"In your latest {latest}, the bot judged your choices by the cards that you saw. It can "
        "be wrong."
    )
    yield f"Draws: {_wrong(every.draws, 'choice')}."
    yield f"Discards: {_wrong(every.discards, 'choice')}."
    if every.knocks.choices:
        yield f"Knocking too early: {_wrong(every.knocks, 'knock or gin', 'knocks and gins')}."
    if every.waits.choices:
        passed = "chance to knock that you let pass", "chances to knock that you let pass"
        yield f"Knocking too late: {_wrong(every.waits, *passed)}."
    kinds = {
        "choosing what to draw": every.draws,
        "choosing discards": every.discards,
        "knocking later": every.knocks,
        "knocking sooner": every.waits,
    }
    costliest = max(kinds, key=lambda name: kinds[name].hundredths)
    if kinds[costliest].mistakes < _PRACTISED:
        yield "There are too few mistakes yet to say what to practise."
    else:
        a_match = Average(kinds[costliest].hundredths, 100 * len(choices))
        yield f"Practise {costliest}: mistakes there cost you {average(a_match)} points a match."
    yield from _caution(kind.choices for kind in kinds.values())


def _wrong(count: KindCount, one: str, many: str | None = None) -> str:
    cost = f", at a cost of {average(Average(count.hundredths, 100))} points"
    return (
        f"{plural(count.mistakes, 'mistake')} in {plural(count.choices, one, many)}"
        f"{cost if count.mistakes else ''}"
    )


def _caution(cases: Iterable[int]) -> Iterator[str]:
    if any(0 < count < FEW for count in cases):
        yield f"Figures from fewer than {FEW} cases may just be luck."


def _average_turn(of: Average) -> str:
    return f"{average(of)} over {plural(of.of, 'hand')}" if of.of else "never"


def counts_in_short(counts: Counts) -> str:
    """Return the main numbers: "3 matches, 2 won, 1 lost; 12 hands; points 140 to 96." """
    ended = f"{counts.won} won, {counts.lost} lost"
    if counts.drawn:
        ended += f", {counts.drawn} without a winner"
    return (
        f"{plural(counts.matches, 'match', 'matches')}, {ended}; "
        f"{plural(counts.hands, 'hand')}; points {score(counts.points, counts.points_against)}."
    )


def _other_lines(counts: Counts) -> Iterator[str]:
    if counts.drawn:
        yield f"Matches without a winner: {counts.drawn}."
    if counts.hands_drawn:
        yield f"Hands without a winner: {counts.hands_drawn}."
    knock, caught, streak = counts.knock_deadwood, counts.caught_deadwood, counts.streak
    if knock.of:
        knocks = plural(knock.of, "knock")
        yield f"Your deadwood when you knock: {average(knock)} on average over {knocks}."
    if caught.of:
        yield (
            "Your deadwood when your opponent ends the hand: "
            f"{average(caught)} on average over {plural(caught.of, 'hand')}, after laying off."
        )
    now = f"; now {abs(streak.now)} {'won' if streak.now > 0 else 'lost'}" if streak.now else ""
    yield f"Longest streaks: {streak.won} won, {streak.lost} lost{now}."


def average(of: Average) -> str:
    """Return an average to the nearest tenth, "4.3"; "0.0" if nothing was counted."""
    tenths = (20 * of.sum + of.of) // (2 * of.of) if of.of else 0
    return f"{tenths // 10}.{tenths % 10}"


def _what_counts(summary: Summary) -> Iterator[str]:
    counted = summary.people.matches + summary.bots.matches
    yield (f"Counted: {plural(counted, 'match', 'matches')} with a valid and complete log.")
    unfinished = summary.unfinished
    if unfinished.matches:
        yield (
            "Not counted: "
            f"{plural(unfinished.matches, 'unfinished match', 'unfinished matches')} with "
            f"{plural(unfinished.hands, 'hand')}."
        )
    for code, count in sorted(summary.left_out.items()):
        failed = f"that didn't pass verification ({code})"
        one, many = _NOT_COUNTED.get(code, (f"log {failed}", f"logs {failed}"))
        yield f"Not counted: {plural(count, one, many)}."
