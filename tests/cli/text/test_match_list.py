"""How a list of matches describes each of them."""

from pathlib import Path

from cli.text.match_list import status_text
from ginpeer.match_store.listing import ListedMatch
from ginpeer.match_store.match_status import DecidedMatch, FinishedMatch
from ginpeer.store import StoredMatch
from protocol.messages import Settle, Winner


def test_the_list_shows_the_winner_if_any_and_the_practice_level(transcript):
    stored = StoredMatch("1" * 16, Path("1.ginlog"), 0, "111111")
    ended = [DecidedMatch(("Ada", "Ben"), winner) for winner in (0, 1, None)]
    listed = [ListedMatch(stored, None, status) for status in ended]
    practised = [
        ListedMatch(stored, 0, DecidedMatch(("Ada", "Bot"), 1), level) for level in (3, None)
    ]
    drawn = FinishedMatch(("Ada", "Ben"), Settle(9, 90, 100, Winner.NOBODY))
    practised.append(ListedMatch(stored, 0, DecidedMatch(("Ada", "Bot"), 0)))
    transcript(map(status_text, [*listed, *practised, ListedMatch(stored, 1, drawn)]))
