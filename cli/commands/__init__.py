"""A module for each command of `ginpeer`, imported only when it runs.

arguments      what may be typed after each of them; the list of all
named          the home and the logs that a command line names
typed_match, typed_rules   addresses, options and rules, as they are typed
"""
