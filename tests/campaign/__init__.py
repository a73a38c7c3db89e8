"""Long runs, each with its own command. A short part of each runs with the test suite."""
