"""A match without a table, network or reactor."""

from types import SimpleNamespace

from twisted.internet.task import Clock


class FakeMatch(SimpleNamespace):
    """What a host or a guest asks of its match. ``told``: what our player reads."""

    def __init__(self, **more):
        self.told = []
        self.reactor = Clock()
        self.command, self.way_to_leave = "ginpeer", "type quit"
        self.only = self.table = None
        self.after = SimpleNamespace(is_over=False)
        self.presenter = SimpleNamespace(info=self.told.append)
        super().__init__(**more)
