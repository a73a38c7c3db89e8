"""Our side of a match: secrets, choices, and what we owe. A seat yields effects and does no I/O.

seat      Seat: turn received entries and chosen moves into effects
effects   what a seat wants done: persist, send, show, close
log_sync  compare two logs of one match: which has more entries, or where they differ
"""
