"""Gin rummy between two peers."""

__version__ = "1.3.0"
