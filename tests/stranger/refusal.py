"""The reasons to refuse an entry (PROTOCOL 7.1)."""


class Refusal(Exception):
    """An entry is refused with this code from PROTOCOL 11.1."""

    def __init__(self, code: str):
        super().__init__(code)
        self.code = code


def require(condition: bool, code: str) -> None:
    """Refuse with this code unless the condition holds."""
    if not condition:
        raise Refusal(code)
