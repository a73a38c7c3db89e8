"""The command line as a process of its own."""

from __future__ import annotations

import os
import subprocess

from tests.cli.started import COMMAND, run


def ginpeer(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """The real command in a process of its own, with no terminal anywhere."""
    return run(
        [*COMMAND, *map(str, arguments)],
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )
