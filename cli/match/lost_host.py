"""A guest's host does not answer any more, at an address that has just served.

# Rule 1: so nothing has to be opened there, and nobody has to be told to. The way that both dial is
# open meanwhile, for a host that was cut off finds its guest by it; but the reply that it needs is
# handed to our player only when the host has not come back by itself.
# Rule 2: a program is told at once, as before: it can wait by itself.
"""

from __future__ import annotations

from collections.abc import Callable

from cli.match.one_match import OneMatch
from cli.text.connecting import (
    NOT_DIRECTLY,
    does_not_answer,
    may_have_moved,
    no_address_in,
    still_no_answer,
    stuck_guest,
)
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.invite import Invite
from ginpeer.net.own_addresses import leads_elsewhere
from ginpeer.net.reply import Reply

LATER = 60.0
"""Seconds after which our player hears of the reply, too."""


class LostHost:
    """What the guest's player is told of a host that cannot be reached, before it has sat at its
    table and after."""

    def __init__(self, match: OneMatch, *, has_met: bool = False, resumes: bool = False) -> None:
        """*has_met*: we look for the host where it was on an earlier day. *resumes*: to continue a
        match."""
        self.crossed: Callable[[], bool] = lambda: False
        """Whether it was by both dialling that the host was met."""
        self.invite: Invite | None = None
        """The invite that leads to the host."""
        self.same_port: Callable[[], bool | None] = lambda: None
        """Whether our router keeps one port for every connection, if that is known."""
        self._match = match
        self._leads: tuple[bool, bool] | None = None  # whether the codes lead out, as last said
        self._gone_from: PeerInfo | None = None  # the connection whose loss was told
        self._kept: Reply | None = None  # not told yet
        self._told_late = False
        self._resumes = resumes
        self._may_have_moved = has_met  # and our player hasn't been told

    def gone(self) -> None:
        """It does not answer: said once for each loss."""
        match, peer = self._match, self._served()
        if peer is None or peer is self._gone_from:
            return
        self._gone_from, self._kept, self._told_late = peer, None, False
        live = match.keeper.live
        goes_on = live is not None and live.agreed()
        match.voice.info(does_not_answer(match.other.name("The"), peer.address, goes_on=goes_on))

    def unreached(self, why: str, reply: Reply) -> None:
        """Both dial, and this is the reply that the host needs; without a reason: another one."""
        peer = self._served()
        if peer is None:
            told = NOT_DIRECTLY if why and self._match.console.interactive else why
            self._match.voice.unreached(told, str(reply))
            self._tell_moved()
            self._say_what_is_missing(reply)
            return
        self.gone()
        if self._told_late:
            self._match.voice.unreached("", str(reply))
            return
        if self._kept is None:
            self._match.reactor.callLater(LATER, self._late, peer)
        self._kept = reply

    def learned(self, why: str) -> None:
        """What is wrong, as far as it is guessed from the outside."""
        if self._served() is None:
            self._match.voice.info(why)

    def stuck(self) -> None:
        """Both have dialled for a while."""
        if self._served() is None:
            self._match.voice.info(stuck_guest(self.same_port()))

    def _say_what_is_missing(self, reply: Reply) -> None:
        """Say once, before anybody dials, what dialling can't fix."""
        invite = () if self.invite is None else self.invite.addresses
        leads = (any(map(leads_elsewhere, invite)), any(map(leads_elsewhere, reply.addresses)))
        if leads != self._leads:
            self._leads = leads
            known = no_address_in(invite=leads[0], reply=leads[1])
            if known is not None:
                self._match.voice.info(known)

    def _served(self) -> PeerInfo | None:
        """With whom we were connected at an address of the host's own."""
        match = self._match
        waits = match.ending.waits and match.console.interactive
        return match.other.peer if waits and not self.crossed() else None

    def _late(self, peer: PeerInfo) -> None:
        reply, match = self._kept, self._match
        if reply is not None and self._served() is peer:
            self._told_late = True
            told = still_no_answer(match.other.name("The"), peer.address)
            match.voice.unreached(told, str(reply))
            self._may_have_moved = True
            self._tell_moved()

    def _tell_moved(self) -> None:
        if self._may_have_moved:
            self._may_have_moved = False
            self._match.voice.info(may_have_moved(self._match.command, resumes=self._resumes))
