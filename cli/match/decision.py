"""Decide what follows the end of a session. host_match and join_match carry it out.

#   why the session ended                               what follows
#   the guest only lacked the end of an old match,      WAIT for another guest
#   and this host waits for anybody
#   the match is finished, and both players stay        NEXT_MATCH
#   the match is finished, and one player leaves        END
#   the guest declined the offer, and both stay         NEXT_MATCH: another offer follows
#   the connection is lost                              RESUME, once the other player is back
#   the host resumes a stored match instead             RESUME
#   a player left or paused, or broke the rules, or     END
#   this program failed
#
# Rule 1: once our player has left, or wants to, every session ends in END.
# Rule 2: a wait ends when the other player begins a new session, or else with the last word
# (cli.match.aftermath): our player stops waiting, patience runs out, or the host can't be reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from ginpeer.net.interfaces import CloseReason
from ginpeer.net.waiting import AT_ONCE, LOST


class Next(Enum):
    """What a host or a guest does when a session has ended."""

    WAIT = auto()
    """Wait for any guest, because nothing was played with this one."""
    RESUME = auto()
    """Keep the match, and wait for the other player to come back to it."""
    NEXT_MATCH = auto()
    """Clear the table, and wait for the other player to come back for another match."""
    END = auto()
    """Say how it ended, and end the program."""


@dataclass(frozen=True, slots=True)
class MatchState:
    """What is known when a session has ended."""

    has_left: bool = False
    """Whether our player has left, or wants to."""
    only_lacked_end: bool = False
    """Whether this guest came only for the end of an old match, and we wait for any guest."""
    peer_stays: bool = False
    """Whether the other side has announced that it stays for another match."""
    offers_again: bool = False
    """Whether another offer follows one that was declined."""
    patient: bool = True
    """Whether we wait for a player who is lost."""
    can_resume: bool = False
    """Whether our seat would let the other player come back to this match."""


def decide(closed: CloseReason, state: MatchState) -> Next:
    """Return what follows a session that ended for this reason."""
    if state.has_left:
        return Next.END
    if state.only_lacked_end and closed.failure in (None, "A"):
        return Next.WAIT
    stays = closed.code == "finished" or (closed.code == "declined" and state.offers_again)
    if state.peer_stays and stays:
        return Next.NEXT_MATCH
    if closed.code in LOST and state.can_resume and (state.patient or closed.code in AT_ONCE):
        return Next.RESUME
    return Next.END
