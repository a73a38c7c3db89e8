"""Everything that two peers who don't trust each other need to share a deck and a log
(proto/PROTOCOL.md).

crypto     groups, proofs, keys
deck       the mental-poker deck
messages   the content of entries
entry      entries, signed and chained, and their encoding
frames     the frames that peers exchange, and their encoding
codes      errors with a stable code, and the codes that convict a signer
wire       protoc's generated code
"""
