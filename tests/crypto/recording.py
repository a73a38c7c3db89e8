"""A transcript that remembers its input."""

from protocol.crypto.hashing import Transcript


class Recording(Transcript):
    """A transcript that remembers its fields, in order."""

    __slots__ = ("said",)

    def __init__(self, label):
        super().__init__(label)
        self.said = []

    def append(self, label, data):
        self.said.append((label, data))
        super().append(label, data)
