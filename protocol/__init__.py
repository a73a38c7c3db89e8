"""Everything that two peers who don't trust each other need to share a deck and a log
(proto/PROTOCOL.md).

crypto            groups, proofs, keys
deck              the mental-poker deck
messages, entry   the content of entries; entries, signed and chained
frames            the frames that peers exchange
codes             the stable codes of entries, logs and goodbyes
codec, wire       the encoding of messages and frames; protoc's generated code
"""
