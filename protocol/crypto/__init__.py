"""Groups, transcripts, proofs and keys: pure functions, no input or output.

group        ristretto255, by group_sodium or group_pure
hashing      to elements and scalars
transcript   what a proof is bound to (Fiat-Shamir)
commitment   Pedersen commitments to vectors
elgamal      masked cards
expansion    scalars from secrets
dleq         equality of discrete logarithms
shuffle      the shuffle argument
identity     Ed25519 keys and signatures
errors       what does not hold
"""
