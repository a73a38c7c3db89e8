"""What may be typed after each command: what `--help` says of it, the man page and the completion.

play                  practice, host, join, resume; rules
one_log               verify, replay, export, analyse
several_tables        tally, link
stored_matches        logs, stats, archive
friends_and_key       friends, doctor, id; demo

shared_options        the options that several commands have
typed_values          how a typed value is read, and completed
command               how a group adds a command

# House rules
#
# 1. A command is a function in one of these groups, a line in that group's `declare`, and a module
#    cli.commands.NAME, whose run_NAME does it with what argparse has read. The module may import
#    whatever it needs: it is imported only to run.
# 2. So nothing of ours is imported here but what is in this package: every `--help` reads it whole.
# 3. share/ is made from here; after a change run .ci/regenerate.
"""

from __future__ import annotations

from cli.commands.arguments import friends_and_key, one_log, play, several_tables, stored_matches
from cli.commands.arguments.command import AddCommand


def declare(command: AddCommand) -> None:
    """Every command, in the order in which shells offer them."""
    for group in (play, one_log, several_tables, stored_matches, friends_and_key):
        group.declare(command)
