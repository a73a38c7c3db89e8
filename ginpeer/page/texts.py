"""What a page says in words. Everything here is plain text; names in it are made harmless already
(ginpeer.names.shown), and the page escapes all of it once more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HandTexts:
    """One hand in words."""

    dealt: tuple[str, ...]
    """Whose cards the deal has brought, as far as they are known."""
    result: str
    """How it ended; where it stopped, if it is not over."""


@dataclass(frozen=True, slots=True)
class PageTexts:
    """A match in words."""

    names: tuple[str, str]
    """Of host and guest, as they stand in sentences."""
    verdict: str
    """What the log is found to be, in a line."""
    reasons: tuple[str, ...]
    """Why it is not found valid, and who owes what."""
    rules: str
    """What is played, by the name of its rules."""
    begun: str | None
    """When, as the host's clock claims."""
    cards: tuple[str, ...]
    """Of each player, whether the cards are shown, and why or why not."""
    proven: tuple[str, str]
    """What the log proves, and what it does not."""
    steps: Mapping[int, tuple[str, ...]]
    """What is told of a step, by the number of its entry; nothing of those that tell nothing."""
    hands: tuple[HandTexts, ...]
    account: tuple[str, ...]
    """The account of the match, or how it stands."""
