"""What a table knows of the other one of a partnership: how it stands, and who may see ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ginpeer.net.session import SessionOver
from protocol.frames import Consent


class Partnership(Protocol):
    """What stands behind the word `tally`."""

    def standing(self) -> Sequence[str]:
        """How both tables stand, and whether ours is shown, in lines."""

    def share(self, on: bool, /) -> Sequence[str]:
        """Our player lets the other table see the log of this one, or does not any more; what that
        means. Raises SessionOver, or a ValueError with code and sentence."""

    def heard(self, word: Consent, /) -> Sequence[str]:
        """What the other player says of that; what is news of it."""


class _Alone:
    """A table that belongs to no partnership, as in practice."""

    def standing(self) -> Sequence[str]:
        return ("There is no other table here.",)

    def share(self, on: bool) -> Sequence[str]:
        raise SessionOver("There is no other table here.")

    def heard(self, word: Consent) -> Sequence[str]:
        return ()


ALONE: Partnership = _Alone()
