"""Everything that two distrusting peers need to share a deck and a log (proto/PROTOCOL.md).

crypto            groups, proofs, keys
deck              the mental-poker deck
messages, entry   the content of entries; entries, signed and chained
frames            the frames that peers exchange
codes             the stable codes of entries, logs and goodbyes
codec, wire       their one encoding; protoc's generated code
"""
