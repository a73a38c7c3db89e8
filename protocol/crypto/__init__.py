"""Groups, transcripts, proofs and keys: pure functions, no input or output.

group        ristretto255, by group_sodium or group_pure
hashing      transcripts (Fiat-Shamir), scalars from secrets, elements from bytes
elgamal      masked cards
dleq         equality of discrete logarithms
shuffle      the shuffle argument, and Pedersen commitments to vectors
identity     Ed25519 keys and signatures
"""
