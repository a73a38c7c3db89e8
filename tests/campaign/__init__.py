"""Long runs, each with a command of its own; a short part of each runs with the suite."""
