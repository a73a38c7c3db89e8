"""The command line as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys


def ginpeer(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """The real command in a process of its own, with no terminal anywhere."""
    return subprocess.run(
        [sys.executable, "-m", "cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=60,
        env={**os.environ, **environment},
    )
