"""The mental-poker deck: deal, draw, riffle, open, audit (PROTOCOL 6).

proofs      when proofs are verified: at once, or those of many entries together; sums that get
            faster once seeds are disclosed
state       what everybody sees: the 52 cards as points, the deck, and the place of each proof
secrets     one player's hand seed and everything derived from it; coin tosses of both players
prover      what a player computes and proves for each message that changes the deck
verifier    checks of those messages
audit       a second way to the same verdict, from disclosed seeds

The paper behind the card encoding is Barnett and Smart, "Mental Poker Revisited" (2003);
the shuffle argument is in protocol.crypto.shuffle.
"""
