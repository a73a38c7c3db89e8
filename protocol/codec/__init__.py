"""Bytes to frozen messages and back; the only importer of protobuf."""
