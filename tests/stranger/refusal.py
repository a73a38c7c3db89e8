"""Why an entry is refused (PROTOCOL 7.1)."""


class Refusal(Exception):
    """Has the code of 7.1. `convicts` tells class B (True) from class A; then `culprit` is set."""

    def __init__(self, code: str, convicts: bool = True):
        super().__init__(code)
        self.code = code
        self.convicts = convicts
        self.culprit: int | None = None


def require(condition: bool, code: str, convicts: bool = True) -> None:
    """Refuse with this code unless the condition holds."""
    if not condition:
        raise Refusal(code, convicts)
