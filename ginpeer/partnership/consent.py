"""Whether the log of a table may be shown to another one: what both of its players have said.

# Rule 1: it takes both. Whoever has said nothing on this connection has not consented.
# Rule 2: our player's word holds for this sitting with this friend: it is said again when the two
#         meet again, and forgotten when somebody else comes. The other player's word is that of the
#         other program, which does the same.
"""

from __future__ import annotations

from protocol.frames import Consent


class SharingConsent:
    """The words of both players. ``ours`` and ``theirs`` say who consents; ``peer`` is the key of
    the other one, once there was one."""

    def __init__(self) -> None:
        self.ours = False
        self.theirs = False
        self.peer: bytes | None = None

    @property
    def both(self) -> bool:
        """Whether the log may be shown."""
        return self.ours and self.theirs

    def meet(self, peer: bytes) -> bool:
        """A connection with the player of this key begins; whether it is the one who was there
        before."""
        self.theirs = False
        same = peer == self.peer
        self.ours = self.ours and same
        self.peer = peer
        return same

    def say(self, word: Consent) -> None:
        """Our player's word."""
        self.ours = word is Consent.GIVE

    def hear(self, word: Consent) -> None:
        """The other player's."""
        self.theirs = word is Consent.GIVE
