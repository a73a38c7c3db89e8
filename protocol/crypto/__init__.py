"""Groups, transcripts, proofs and keys: pure functions, no input or output.

group        ristretto255, by group_sodium or group_pure
hashing      hash bytes to elements and scalars
transcript   the public data to which a proof is bound (Fiat-Shamir)
commitment   Pedersen commitments to vectors
elgamal      masked cards
expansion    derive scalars from secrets
dleq         equality of discrete logarithms
shuffle      the shuffle argument
identity     Ed25519 keys and signatures
errors       why a received value is refused
"""
