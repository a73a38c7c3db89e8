"""Sentences about an offer, about what comes between two matches of one sitting, and about showing
the log to the other table of a partnership. Its scores are in cli.text.tally, which imports much
more."""

from __future__ import annotations

from cli.text.grammar import at_start, inside, listed
from cli.text.rules import parameter_differences
from ginpeer.net.close_reasons import SAID
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.seat.seat import Options
from protocol import messages as m


def to_play_again(name: str, word: str, command: str, *, hosts: bool) -> str:
    """Say how to play *name* again. *word*: their name in a command. *hosts*: whether we hosted."""
    if hosts:
        return f"To play {inside(name)} again, type {command} host {word}."
    theirs = f"once {inside(name)} has typed ginpeer host and your name"
    return f"To play again, type {command} join {word} {theirs}."


def by_name(sentence: str, name: str) -> str:
    """Put our name for the other player into the sentence that says how a session ended. The other
    player's own words stay unchanged. Unicode isolates are removed from *name*, because the caller
    adds its own."""
    ours, said, theirs = sentence.partition(SAID)
    name = name.translate(dict.fromkeys((0x2066, 0x2069)))
    ours = ours.replace("The other player ", f"{name} ").replace("Your opponent ", f"{name} ")
    ours = ours.replace("your opponent's turn", f"{inside(name)}'s turn")
    return f"{ours}{said}{theirs}"


# --- to a host --------------------------------------------------------------------------

_OTHER_RULES = "For other rules, type propose and the rules, as in: propose oklahoma target=150."
_TO_LEAVE = "To leave, type quit."


def another(name: str, rules: RuleSet) -> str:
    return f"Another match with {inside(name)} (rules: {rules})? {_OTHER_RULES}"


def offer_again(name: str, rules: RuleSet, resume: str | None) -> str:
    """Ask whether to repeat an offer. *resume*: the command for an unfinished match, if any."""
    leave = _TO_LEAVE
    if resume is not None:
        leave = f"To continue the unfinished match instead, type quit, and then {resume}."
    return f"Offer {inside(name)} the match again (rules: {rules})? {_OTHER_RULES} {leave}"


def suggested(name: str, wish: RuleSet, rules: RuleSet | None) -> str:
    """Say which rules a guest suggests. *rules*: what we would offer instead, if anything."""
    told, these, otherwise = suggestion(name, wish), "these rules", "nothing for now"
    if rules is not None:
        told, these = f"{name} suggests other rules: {wish}.", "them"
        otherwise = f"{rules} instead"
    read = f"To read {these}, type rules."
    return f"{told} {read} To play by them, type yes. To offer {otherwise}, type no. {_TO_LEAVE}"


def suggestion(name: str, wish: RuleSet) -> str:
    return f"{name} suggests {wish}."


def offer_these(name: str, rules: RuleSet) -> str:
    return f"Offer {name} a match (rules: {rules})?"


# --- in practice ------------------------------------------------------------------------


def practise_again(level: int, *, before: int, best: int, why: str) -> str:
    """Ask about another practice match. *before*: the bot's last level. *best*: the highest level.
    *why*: the reason for the level."""
    if level != before:
        return f"Again? The bot will play at level {level}{why}."
    if not why and level in (1, best):
        why = ", its best" if level == best else ", its lowest"
    return f"Again? The bot stays at level {level}{why}."


# --- to a guest -------------------------------------------------------------------------

MAY_PROPOSE = (
    "To propose other rules, type propose and the rules, as in: propose oklahoma target=150."
)
TO_WITHDRAW = "To withdraw your proposal, type no."


def may_offer(name: str, *, bot: bool, asks: bool = True) -> str:
    """Say what a guest can do after a match. *bot*: whether a bot plays for the host. *asks*:
    whether our player is asked about offers; False if they have typed the only rules to accept."""
    told = f"If {inside(name)} offers another match, you will be asked. Type quit to leave."
    if not asks:
        told = (
            f"If {inside(name)} offers another match with the rules you typed, it starts at once. "
            "Any other offer is declined. Type quit to leave."
        )
    return told if bot else f"{told} {MAY_PROPOSE}"


def no_offer_yet(name: str, *, answers: bool, may_propose: bool) -> str:
    """Say that no offer has come. *answers*: whether the host has our proposal to answer."""
    waits = "answered your proposal" if answers else "offered another match"
    other = f" {MAY_PROPOSE}" if may_propose else ""
    return f"{at_start(name)} hasn't {waits} yet.{other} {_TO_LEAVE}"


def propose_these(name: str, rules: RuleSet, *, declines: bool) -> str:
    """Ask whether to propose these rules. *declines*: whether that declines an open offer."""
    instead = " instead of accepting this offer" if declines else ""
    return f"Propose a match to {name} (rules: {rules}){instead}?"


# --- about an offer, to its guest -------------------------------------------------------

_DISCLOSURES = {
    m.Disclosure.AFTER_MATCH: "When the match ends, both players reveal all their cards, so anyone "
    "with the log can check every deal.",
    m.Disclosure.AFTER_HAND: "When a hand ends, both players reveal their cards, so anyone with "
    "the log can check its deal.",
    m.Disclosure.NEVER: "Neither player ever reveals their hidden cards. The log still proves "
    "every card that was shown.",
}


def offer_lines(offer: m.Offer, *, first: bool = True) -> list[str]:
    """Say which parameters of a named rule set an offer changes, and when the seeds are disclosed.
    *first*: this is the players' first match; in later ones, say only what is unusual."""
    return [*_changed(offer.rules), *disclosure_lines(offer, first=first)]


def disclosure_lines(offer: m.Offer, *, first: bool) -> list[str]:
    """Say when the seeds are disclosed. *first*: as in `offer_lines`."""
    usual = offer.disclosure is m.Disclosure.AFTER_MATCH
    return [] if usual and not first else [_DISCLOSURES[offer.disclosure]]


def _changed(text: str) -> list[str]:
    names = " ".join(word for word in text.split() if "=" not in word)
    try:
        usual = parse_ruleset(names)
    except RulesError:
        return []  # the names contradict each other unless a parameter decides
    differs = [_difference(*each) for each in parameter_differences(parse_ruleset(text), usual)]
    return [f"These are the {names} rules, but with {listed(differs)}."] if differs else []


def _difference(key: str, value: str, usual: str) -> str:
    if value == "none":
        return f"no {key}"
    return f"{key}={value}" if usual == "none" else f"{key}={value} instead of {usual}"


def why_declined(wanted: Options, offer: m.Offer) -> str | None:
    """Say how an offer differs from the only match that a guest accepts; None if it doesn't. Both
    players read the sentence."""
    offered = parse_ruleset(offer.rules)
    differs = [
        f"{key}={theirs}, not {ours}"
        for key, ours, theirs in parameter_differences(wanted.rules, offered)
    ]
    if offer.disclosure is not wanted.disclosure:
        differs.append(f"disclose={offer.disclosure.word}, not {wanted.disclosure.word}")
    if not differs:
        return None
    return f"The rules must be {wanted.rules}, but the offer has {'; '.join(differs)}."


# --- the tables of a partnership --------------------------------------------------------

WHAT_IS_SHOWN = (
    "The players at the other table see the log up to the last finished hand, but nothing after it."
)
LINK_ENDED = "The link to the other table is no longer running. This is its last result."
NO_RESULT = "The link to the other table has no result yet."
NOTHING_SHOWN = "Nobody else sees this table's log. To share it, both of you type tally on."


def no_link(command: str) -> str:
    return (
        "No other table is linked. To link two, one player at each table has to run "
        f"{command} link in a second window; {command} link --help explains how."
    )


def both_consent(name: str) -> str:
    return (
        f"The other table can see this one: you and {inside(name)} have agreed. To stop that, type "
        "tally off."
    )


def asks_consent(name: str) -> str:
    return (
        f"{name} agrees to let the other table of your partnership see this one after each hand. "
        "If you agree too, type tally on."
    )
