"""Long runs, each with its own command. The test suite runs a short part of each."""
