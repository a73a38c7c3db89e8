"""Bytes to frozen messages and back; the only importer of protobuf.

entries  the bodies of entries
frames   what is said beside the log
"""
