"""What nearly every folder asks of a refusal: its stable code."""

import pytest


def code_of(kind, call, *given, **more):
    """Return the code of the error of this kind that the call must raise."""
    with pytest.raises(kind) as caught:
        call(*given, **more)
    return caught.value.code
