"""How a group of commands adds one of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable

AddCommand = Callable[..., argparse.ArgumentParser]
"""Makes the parser of a command from its name, what it does, and what stands below its options."""
