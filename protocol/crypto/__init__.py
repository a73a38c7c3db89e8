"""Groups, transcripts, proofs and keys: pure functions, no input or output."""
