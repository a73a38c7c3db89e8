"""What two distrusting peers need to share a deck and a log."""
