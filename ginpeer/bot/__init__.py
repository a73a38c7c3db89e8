"""A player that sees what its seat sees and nothing more; how it plays is said in ``play``."""

from ginpeer.bot.play import choose

__all__ = ["choose"]
