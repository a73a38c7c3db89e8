"""Yes and no: which lines answer an offer, and which have to do with a pause."""

from __future__ import annotations

from cli.table.commands import Ask, Command, Say, SortBy, Try, Words
from ginpeer.net.session import Session, SessionOver
from protocol.frames import Pause

YES, NO = Ask("yes"), Ask("no")
CONSENTS = (YES, Ask("accept"))
DECLINES = (NO, Ask("decline"))
_PAUSE = Ask("pause")


def needs_turn(command: Command) -> bool:
    """Whether only a player whose move is due can mean this."""
    return not isinstance(command, Ask | Say | SortBy | Words | Try) or command == Ask("resign")


def answers_offer(command: Command) -> bool:
    """Whether this is an answer to an offer, or a move, which has to wait for it."""
    return command in (*CONSENTS, *DECLINES) or needs_turn(command)


def is_of_pause(command: Command, session: Session | None) -> bool:
    """Whether this line asks for a pause, answers the other player's question for one, or takes our
    own back. Enter alone does none of it, and neither does what accepts a match."""
    if command == _PAUSE:
        return True
    if session is None:
        return False
    return (session.pause_offered and command in (YES, NO)) or (
        session.pause_wanted and command == NO
    )


def speak_of_pause(command: Command, session: Session | None) -> Pause | None:
    """Do what the line says of a pause; the word that we have said, None where we have agreed.

    Raises NoPause and SessionOver.
    """
    if session is None:
        raise SessionOver("Nobody sits at the table with you yet.")
    offered = session.pause_offered
    if command != NO:
        session.pause()
        return None if offered else Pause.ASK
    session.no_pause()
    return Pause.DECLINE if offered else Pause.WITHDRAW
