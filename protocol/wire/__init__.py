"""Generated protobuf code; only protocol/codec imports it."""
