"""Run the command line as a separate process."""

from __future__ import annotations

import os
import subprocess

from tests.cli.started import COMMAND, run


def ginpeer(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the real command in a process without a terminal."""
    return run(
        [*COMMAND, *map(str, arguments)],
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )
