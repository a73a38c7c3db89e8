"""What a guest is asked before it plays: which rules are offered, in words."""

from __future__ import annotations

from cli.text.rules import parameter_differences
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options
from protocol import messages as m

_DISCLOSURES = {
    m.Disclosure.AFTER_MATCH: "After the match both players open their hand seeds: then whoever "
    "has the log can see all hands and check the deals once more.",
    m.Disclosure.AFTER_HAND: "After each hand both players open their seeds of it: then whoever "
    "has the log can see both hands and check the deal once more.",
    m.Disclosure.NEVER: "The hand seeds are never opened: nobody sees more of the other's cards "
    "than the game shows, and the log still proves every card that was shown.",
}


def offer_lines(offer: m.Offer) -> list[str]:
    """Return what a player should know about an offer besides its rules: which parameters of a
    named rule set were changed, and when the seeds are disclosed. The referee has admitted it."""
    return [*_changed(offer.rules), _DISCLOSURES[offer.disclosure]]


def _changed(text: str) -> list[str]:
    names = " ".join(word for word in text.split() if "=" not in word)
    differs = [
        f"{key}={theirs}"
        for key, _, theirs in parameter_differences(parse_ruleset(text), parse_ruleset(names))
    ]
    return [f"In the {names} rules: {', '.join(differs)}."] if differs else []


def unlike(wanted: Options, offer: m.Offer) -> str | None:
    """Say to both players why a guest that wants exactly this match declines the offer; None if
    the offer is what it wants."""
    offered = parse_ruleset(offer.rules)
    differs = [
        f"{key}={theirs} and not {ours}"
        for key, ours, theirs in parameter_differences(wanted.rules, offered)
    ]
    if offer.disclosure is not wanted.disclosure:
        differs.append(f"disclose {offer.disclosure.word} and not {wanted.disclosure.word}")
    if not differs:
        return None
    return f"Wanted are the rules {wanted.rules}; offered is {', '.join(differs)}."
