"""Everything a user of the program can see, written to files so that two versions can be compared.

    python -m tests.goldens FOLDER             # write the corpus of this checkout
    python -m tests.goldens FOLDER --compare   # make it again, and show the differences

A changed sentence is then a diff to read, instead of thirty failing tests. The corpus doesn't say
what is right: commit an intended difference with the new ``sums.txt`` (``python -m tests.goldens
--sums``), which has one hash per file; the suite checks a sample of those. With ``--only help/``,
each of these commands covers only the files whose names begin with ``help/``.

logs       about 200 matches: the golden logs, and others played in the toy group
forms      what each command prints about a log
homes      what the lists and statistics of a home show
sessions   what a terminal receives while a player types
wire       help, invites, replies, and the simulator's traces under fixed seeds
"""
