"""The page of a match: its bytes without a browser, and what it does in one."""
