// The cards of one hand as ciphertexts: the deal, the riffles and the openings. (PROTOCOL 6.3 to 6.7)
//
// Every proof is verified here, after the whole message has been read: a field in an invalid form
// is refused first (7.5). Whatever a player derives from their own seed is also recorded for the
// audit (6.8).
import {
  BASE, cardOf, cardPoints, ciphertexts, element, elements, IDENTITY, openDeck, pair, Sum,
} from "./group.js";
import { equal, range, refuse } from "./bytes.js";
import { checkEqualLogarithms, checkPossession, readProof } from "./proofs.js";
import { handKey, seedCommitment, shuffleOf, tossCommitment, tossHalf } from "./secrets.js";
import { readArgument, shuffleSum } from "./shuffle.js";
import { Transcript } from "./hashes.js";
import { weight } from "./batch.js";

const UPCARD_PLACE = 20;

export class Deck {
  // *expect(code, sum)*: records that the sum must be O. Otherwise the current entry is refused.
  constructor(dealer, hasUpcard, expect) {
    this.dealer = dealer;
    this.hasUpcard = hasUpcard;
    this.expect = expect;
    this.keys = [null, null];
    this.joint = null;
    this.deck = null;
    this.hands = [[], []];
    this.upcardShares = [];
    this.counts = { proofs: 0, shuffles: 0 };
    // The audit needs these, by seat.
    this.commitments = [null, null];
    this.tossCommitment = null; // the dealer's
    this.tosses = [null, null];
    this.done = [0, 1].map(() => ({ shuffles: [], shares: [], openings: [] }));
    this.received = [[], []]; // cards from the deck, each under its owner's key alone
    this.disclosed = [null, null]; // what those cards are, if the seed is known
  }

  // -- the deal

  dealKey(place, seat, message) {
    this.takeKey(place, seat, readKey(message));
  }

  dealDeck(place, seat, message) {
    const shuffle = readShuffle(message.deck, message.argument, 52);
    this.takeKey(place, seat, readKey(message));
    this.shuffleDeck(place, seat, shuffle);
  }

  dealShuffle(place, seat, message) {
    const shuffle = readShuffle(message.deck, message.argument, 52);
    const shares = this.readShares(seat, message);
    this.shuffleDeck(place, seat, shuffle);
    this.giveShares(place, seat, shares);
  }

  dealShares(place, seat, message) {
    this.giveShares(place, seat, this.readShares(seat, message));
  }

  takeKey(place, seat, { key, possession }) {
    const Y = key.prepared();
    checkPossession(Transcript.at("possession", place), Y, possession);
    this.counts.proofs += 1;
    this.keys[seat] = Y;
    if (this.keys[1 - seat]) {
      this.joint = Y.plus(this.keys[1 - seat]);
      if (this.joint.isIdentity) refuse("bad-proof");
    }
  }

  shuffleDeck(place, seat, { after, argument }) {
    const before = this.deck ?? openDeck();
    this.shuffled(place, seat, "deal-shuffle", this.joint, before, after, argument);
    this.deck = after;
  }

  shuffled(place, seat, label, key, before, after, argument) {
    this.expect("bad-proof", shuffleSum(Transcript.at("shuffle", place), key, before, after, argument));
    this.counts.shuffles += 1;
    this.done[seat].shuffles.push({ label, key, before, after });
  }

  // Return the places of the cards for which *seat* gives shares in the deal: the other player's
  // cards, and the upcard.
  placesSharedBy(seat) {
    const first = seat === this.dealer ? 0 : 1;
    return [...range(10).map((i) => first + 2 * i), ...(this.hasUpcard ? [UPCARD_PLACE] : [])];
  }

  readShares(seat, { shares, proof }) {
    return { images: elements(shares, this.placesSharedBy(seat).length), proof: readProof(proof) };
  }

  giveShares(place, seat, { images, proof }) {
    const places = this.placesSharedBy(seat);
    const bases = places.map((i) => this.deck[i].c1);
    this.shared(place, seat, bases, images, proof);
    range(10).forEach((i) => {
      const { c1, c2 } = this.deck[places[i]];
      this.receive(1 - seat, pair(c1, c2.minus(images[i])));
    });
    if (this.hasUpcard) this.upcardShares.push(images[10]);
  }

  receive(seat, locked) {
    this.hands[seat].push(locked);
    this.received[seat].push(locked);
  }

  // Return the upcard (6.3), or undefined with a second deck.
  openUpcard() {
    this.next = this.hasUpcard ? UPCARD_PLACE + 1 : UPCARD_PLACE;
    if (!this.hasUpcard) return undefined;
    const [a, b] = this.upcardShares;
    return cardOf(this.deck[UPCARD_PLACE].c2.minus(a).minus(b)) ?? refuse("bad-proof");
  }

  shared(place, seat, bases, images, proof) {
    checkEqualLogarithms(Transcript.at("share", place), this.keys[seat], bases, images, proof);
    this.counts.proofs += 1;
    bases.forEach((base, i) => this.done[seat].shares.push({ base, image: images[i] }));
  }

  // -- the play

  // Verify the share of *seat* for the next card of the stock, which the other player has drawn.
  shareStock(place, seat, { share, proof }) {
    const { c1, c2 } = this.deck[this.next];
    const [image] = elements(share, 1);
    this.shared(place, seat, [c1], [image], readProof(proof));
    this.next += 1;
    this.receive(1 - seat, pair(c1, c2.minus(image)));
  }

  // Add open cards to a hand. (6.5)
  takeOpen(seat, cards) {
    const locked = (card) => pair(BASE, cardPoints()[card].plus(this.keys[seat]));
    this.hands[seat] = [...this.hands[seat], ...cards.map(locked)];
  }

  // Verify the riffle and the opening of a discard, a knock or a lay (6.6, 6.7). *leaves*: the
  // places of the cards that leave the hand.
  riffleAndOpen(place, seat, { hand, argument, opening }, places, cards, leaves) {
    const before = this.hands[seat];
    const proof = readOpening(before, places, opening);
    if (before.length > 1) {
      const shuffle = readShuffle(hand, argument, before.length);
      this.shuffled(place, seat, "riffle", this.keys[seat], before, shuffle.after, shuffle.argument);
      this.hands[seat] = shuffle.after;
    } else if (hand.length || argument.length) refuse("bad-length");
    this.opened(place, seat, places, cards, proof);
    this.hands[seat] = this.hands[seat].filter((_, i) => !leaves.includes(i));
  }

  // Verify the opening of the whole hand, in its order. (6.7)
  open(place, seat, { cards, opening }) {
    const places = [...cards.keys()];
    this.opened(place, seat, places, cards, readOpening(this.hands[seat], places, opening));
  }

  opened(place, seat, places, cards, proof) {
    const hand = this.hands[seat];
    const bases = places.map((i) => hand[i].c1);
    const images = places.map((i, k) => hand[i].c2.minus(cardPoints()[cards[k]]));
    checkEqualLogarithms(Transcript.at("opening", place), this.keys[seat], bases, images, proof);
    this.counts.proofs += 1;
    bases.forEach((base, k) => this.done[seat].openings.push({ base, image: images[k] }));
  }

  // -- the audit (6.8)

  // Check a seed against its commitment. All seeds of an entry are checked before any of them is
  // audited. (7.5)
  checkSeed(table, number, seat, seed) {
    if (!equal(seedCommitment(table, number, seat, seed), this.commitments[seat])) refuse("seed-mismatch");
  }

  // Audit everything that *seat* did in hand *number* against the seed. Return the cards that the
  // player received, which are correct if all sums given to *expect* are O. PROTOCOL requires values
  // to be equal byte for byte. It is equivalent to compare group elements, because both sides are
  // canonical. So the differences, each times a random weight, must add up to O.
  audit(table, number, seat, seed, expect) {
    const half = tossHalf(seed);
    const isDealer = seat === this.dealer;
    if (isDealer && this.tossCommitment && !equal(tossCommitment(table, number, half), this.tossCommitment)) {
      refuse("audit-failed");
    }
    if (this.tosses[seat] && !equal(half, this.tosses[seat])) refuse("audit-failed");
    if (!this.keys[seat]) return [];
    const { x, key } = handKey(seed);
    if (!equal(key.bytes, this.keys[seat].bytes)) refuse("audit-failed");
    const { shuffles, shares, openings } = this.done[seat];
    for (const { label, key: shuffleKey, before, after } of shuffles) {
      const { permutation, blindings } = shuffleOf(seed, label, shuffleKey, before);
      const sum = new Sum();
      after.forEach(({ c1, c2 }, i) => {
        const from = before[permutation[i]];
        const [z1, z2] = [weight(), weight()];
        sum.add(z1, c1).add(-z1, from.c1).add(-z1 * blindings[i], BASE);
        sum.add(z2, c2).add(-z2, from.c2).add(-z2 * blindings[i], shuffleKey);
      });
      expect("audit-failed", sum);
    }
    // An opened card satisfies c2 - x·c1 = M, that is, x·c1 = image, like a share.
    const sum = new Sum();
    for (const { base, image } of [...shares, ...openings]) {
      const z = weight();
      sum.add(z, image).add(-z * x, base);
    }
    expect("audit-failed", sum);
    return this.received[seat].map(({ c1, c2 }) => cardOf(c2.minus(c1.times(x))));
  }

  // Drop the decoded form of the elements, which can be decoded again. Called at the end of a hand,
  // if the match already has many hands.
  forget() {
    for (const { shuffles, shares } of this.done) {
      for (const { before, after } of shuffles) for (const { c1, c2 } of [...before, ...after]) [c1, c2].forEach(drop);
      for (const { base, image } of shares) [base, image].forEach(drop);
    }
  }
}

const readKey = ({ key, possession }) => ({
  key: element(key.length === 32 ? key : refuse("bad-encoding")),
  possession: readProof(possession),
});

const readShuffle = (cards, argument, count) => ({
  after: ciphertexts(cards, count),
  argument: readArgument(argument, count),
});

const readOpening = (hand, places, opening) =>
  places.some((i) => i >= hand.length) ? refuse("bad-proof") : readProof(opening);

const drop = (read) => read !== BASE && read !== IDENTITY && read.forget();
