"""The page of a match: its bytes, and its behaviour in a browser."""
