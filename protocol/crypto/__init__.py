"""Groups, transcripts, proofs and keys: pure functions, no input or output.

group        ristretto255, by group_sodium or group_pure
hashing      transcripts (Fiat-Shamir), scalars from secrets, elements from bytes
commitment   Pedersen commitments to vectors
known        faster arithmetic with elements whose logarithms are known
elgamal      masked cards
dleq         equality of discrete logarithms
shuffle      the shuffle argument
identity     Ed25519 keys and signatures
errors       why a received value is refused
"""
