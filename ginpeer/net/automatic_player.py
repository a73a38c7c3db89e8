"""A player for bots and tests: a function from a seat's view to a move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ginpeer.net.interfaces import CloseReason, PeerInfo
from ginpeer.net.session import Session
from ginpeer.referee.referee import Admitted
from ginpeer.rules.view import View
from protocol import messages as m
from protocol.frames import Consent, Pause


class AutomaticPlayer:
    """Accepts whatever is offered, plays what *choose* says, and agrees to every pause. Its moves
    leave on the time grid, which hides how long *choose* took (ginpeer/net/time_grid.py)."""

    def __init__(self, session: Session, choose: Callable[[View], Any]) -> None:
        self._session = session
        self._choose = choose

    def connected(self, peer: PeerInfo) -> None:
        """Nothing to do."""

    def show(self, event: Admitted) -> None:
        """Ignore it: the view that comes with each choice holds all that it may know."""

    def consider(self, offer: m.Offer) -> None:
        self._session.accept()

    def choose(self, view: View) -> None:
        self._session.play_in_time(self._choose(view))

    def chat(self, text: str) -> None:
        """It does not talk."""

    def pause(self, word: Pause) -> None:
        """Agree to a pause."""
        if word is Pause.ASK:
            self._session.pause()

    def proposed(self, rules: str) -> None:
        """Ignore it: the bot offers what it was told to."""

    def consent(self, word: Consent) -> None:
        """Ignore it: only a person consents."""

    def closed(self, reason: CloseReason) -> None:
        """Nothing to do."""
