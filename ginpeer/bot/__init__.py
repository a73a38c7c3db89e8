"""A player that sees what its seat sees and nothing more.

play     how it plays: from a View to a move
mahjong  how it plays Mahjong gin
reading  what the table tells about the cards that cannot be seen
"""

from ginpeer.bot.play import choose

__all__ = ["choose"]
