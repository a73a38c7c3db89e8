"""Gin rummy between two peers."""
