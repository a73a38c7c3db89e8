"""Gin rummy between two peers."""

__version__ = "0.1.0"
