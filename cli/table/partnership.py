"""The other table of a partnership: how it stands, and whether it may see ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ginpeer.net.session import SessionOver
from protocol.frames import Consent


class Partnership(Protocol):
    """Answers the command `tally`."""

    def standing(self) -> Sequence[str]:
        """Return in lines how both tables stand, and whether ours is shown."""

    def share(self, on: bool, /) -> Sequence[str]:
        """Let the other table see the log of this one, or stop it; return in lines what that means.
        Raises SessionOver, or a ValueError with code and sentence."""

    def heard(self, word: Consent, /) -> Sequence[str]:
        """Note what the other player consents to; return the news in lines."""


class _Alone:
    """A table without a partnership, as in practice."""

    def standing(self) -> Sequence[str]:
        return ("There is no other table here.",)

    def share(self, on: bool) -> Sequence[str]:
        raise SessionOver("There is no other table here.")

    def heard(self, word: Consent) -> Sequence[str]:
        return ()


ALONE: Partnership = _Alone()
