"""Our side of a match: secrets, choices, and what we owe. A seat yields effects and does no I/O.

seat      the effects (persist, send, show, close), the comparison of two logs, and Seat
"""
