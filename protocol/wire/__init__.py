"""Generated protobuf code; only protocol/entry.py and protocol/frames.py import it."""
