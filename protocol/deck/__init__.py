"""The mental-poker deck: deal, draw, riffle, open, audit (PROTOCOL 6).

points      the 52 cards as group elements
context     the data to which every proof is bound
secrets     one player's hand seed, and everything derived from it
cut, toss   the cut for deal, and the knock card of a second deck
state       the deck as everybody sees it
prover      what a player computes and proves for each message that changes it
verifier    the check of each of those messages
reading     what a player's own ciphertexts contain
audit       a second way to the same verdict, from disclosed seeds

The paper behind the card encoding is Barnett and Smart, "Mental Poker Revisited" (2003);
the shuffle argument is in protocol.crypto.shuffle.
"""
