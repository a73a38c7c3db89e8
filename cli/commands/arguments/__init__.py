"""The arguments of every command, as `--help`, the man page and the shell completion show them.

play      practice, host, join, resume; rules
logs      verify, replay, export, analyse; tally, link
home      logs, stats, archive; friends, doctor, id; demo
options   the options that several commands have, and how typed values are read

# House rules
#
# 1. A command is a function in one of these groups, a line in that group's `declare`, and a module
#    cli.commands.NAME, whose run_NAME does it with what argparse has read. That module may import
#    whatever it needs: it is imported only to run.
# 2. So nothing else of ours is imported here: every `--help` loads the whole package.
# 3. share/ is made from here; after a change run .ci/regenerate.
"""

from __future__ import annotations

from cli.commands.arguments import home, logs, play
from cli.commands.arguments.options import AddCommand


def declare(command: AddCommand) -> None:
    """Declare every command, in the order in which shells offer them."""
    for group in (play, logs, home):
        group.declare(command)
