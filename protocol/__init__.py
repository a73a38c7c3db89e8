"""What two distrusting peers need to share a deck and a log (proto/PROTOCOL.md).

crypto            groups, proofs, keys
deck              the mental-poker deck
messages, entry   what the entries say; signed, in a chain
frames            what is said beside the log
codes             the stable codes of entries, logs and goodbyes
codec, wire       their one encoding; what protoc has generated
"""
