"""What a seed decides before a match begins: who plays, by which rules, and what fails.

Each match has only some kinds of fault (swarm testing: a fault that is always present can hide what
another one alone would show), each at its own rate.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from protocol.messages import Disclosure
from tests.simulator.world import World

RULES = (
    *("standard hands=1", "standard hands=1", "standard hands=2", "standard target=15"),
    *("oklahoma knock-limit=second-deck hands=1", "mahjong target=1"),
    "standard wall=last-discard hands=1",
)

KINDS = ("honest", "honest", "honest", "honest", "old copy", "garbling liar", "signing liar")
"""Kinds of match: two honest players; a home replaced by an older copy; a peer that sends anything
but signs only what is legal; a peer that signs anything."""

FAULTS = (
    *("cut", "half-open", "kill", "power", "both at once", "fuse", "disk", "slow network"),
    *("sleep", "wall clock"),
)


@dataclass
class Plan:
    """The plan of one match."""

    kind: str
    rules: RuleSet
    disclosure: Disclosure
    faults: tuple[str, ...]
    pause: float
    """Seconds between two faults, on average."""
    storm: float
    """Seconds until the faults stop."""
    thinking: float
    is_random: bool
    liar: str | None = None
    chats: float = 0.05
    pauses: float = 0.02
    leaves: float = 0.01
    resigns: float = 0.0
    declines: float = 0.05
    blunders: float = 0.02
    lie_rate: float = 0.0
    is_stormy: bool = field(default=True, init=False)


def plan_for(world: World, kind: str | None = None) -> Plan:
    """Return the plan that this world's seed decides. *kind*: the kind of match, if not random."""
    rng = world.random_for("plan")
    kind = kind or rng.choice(KINDS)
    faults = tuple(fault for fault in FAULTS if rng.random() < 0.45)
    lies = "liar" in kind
    return Plan(
        kind=kind,
        rules=parse_ruleset(rng.choice(RULES)),
        disclosure=rng.choice((*[Disclosure.AFTER_MATCH] * 3, Disclosure.NEVER)),
        faults=faults or ("cut",),
        pause=rng.choice((0.3, 1.0, 3.0, 8.0)),
        storm=rng.choice((30.0, 90.0, 240.0)),
        thinking=rng.choice((0.05, 0.5, 3.0, 20.0)),
        is_random=rng.random() < 0.3,
        liar=rng.choice(("host", "guest")) if lies else None,
        resigns=0.01 if rng.random() < 0.1 else 0.0,
        lie_rate=rng.choice((0.05, 0.15, 0.3)) if lies else 0.0,
    )
