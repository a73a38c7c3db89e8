"""Convert bytes to frozen messages and back; no other package imports protobuf.

entries  the bodies of entries
frames   the frames that peers exchange
"""
