"""Gin rummy between two peers."""

__version__ = "1.5.0"
