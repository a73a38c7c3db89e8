"""A player that sees what its seat sees and nothing more.

play     how it plays: from a View to a move
mahjong  how it plays Mahjong gin
at_level how it plays at one of the adviser's levels
reading  what the table tells about the cards that cannot be seen
"""

from ginpeer.bot.play import choose

__all__ = ["choose"]
