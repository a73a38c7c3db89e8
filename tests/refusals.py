"""Get the stable code of a refusal. Tests in nearly every folder need this."""

import pytest


def code_of(kind, call, *given, **more):
    """Return the code of the error of this kind, which the call must raise."""
    with pytest.raises(kind) as caught:
        call(*given, **more)
    return caught.value.code
