"""Gin rummy between two peers."""

__version__ = "1.6.0"
