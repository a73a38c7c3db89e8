"""The arguments of every command, as `--help`, the man page and the shell completion show them.

play      practice, host, join, resume; rules
logs      verify, replay, export, analyse; tally, link
home      logs, stats, archive; friends, doctor, id; demo
options   the options that several commands share, and how the text of arguments is read

House rules

1. A command consists of a call in the `declare` of one of these groups, the text of its arguments,
   and a function run_NAME in cli.commands (cli.main.body_of), which does the work. Its module may
   import whatever it needs, because it is imported only when the command runs.
2. So this package imports nothing else of ours: every `--help` loads all of it.
3. share/ is generated from this package; after a change, run .ci/regenerate.
"""
