"""Our side of a match: secrets, choices, what we owe. Yields effects, does no I/O."""
