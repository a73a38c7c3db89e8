"""A computer player that sees only what its seat sees.

play     choose a move from a View, at the best level or a weaker one
mahjong  choose a move in Mahjong gin
"""

from ginpeer.bot.play import choose

__all__ = ["choose"]
