"""A match without a table, network or reactor."""

from types import SimpleNamespace

from twisted.internet.task import Clock


class FakeMatch(SimpleNamespace):
    """The parts of a match that a host or guest uses. ``told``: the lines shown to our player."""

    def __init__(self, **more):
        self.told = []
        self.reactor = Clock()
        self.command, self.way_to_leave = "ginpeer", "type quit"
        self.only = self.table = None
        self.after = SimpleNamespace(is_over=False)
        self.presenter = SimpleNamespace(info=self.told.append)
        super().__init__(**more)
