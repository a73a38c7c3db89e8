"""Our side of a match: secrets, choices, what we owe. Yields effects, does no I/O.

seat         Seat: what came in and what is chosen, to effects
effects      what a seat wants done: persist, send, show, close
sync_pending  which of two logs of one match has more of it
capacity     how much of a match one log can hold
"""
