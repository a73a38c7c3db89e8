// The cards of one hand as ciphertexts: the deal, the riffles, what is opened. (PROTOCOL 6.3 to 6.7)
//
// Every proof is asked here. What a player does that follows from the own seed is noted besides,
// for the audit (6.8).
import {
  BASE, cardOf, cardPoints, ciphertexts, element, elements, IDENTITY, openDeck, pair, Sum,
} from "./group.js";
import { equal, range, refuse } from "./bytes.js";
import { checkEqualLogarithms, checkPossession } from "./proofs.js";
import { handKey, seedCommitment, shuffleOf, tossCommitment, tossHalf } from "./secrets.js";
import { shuffleSum } from "./shuffle.js";
import { Transcript } from "./hashes.js";
import { weight } from "./batch.js";

const UPCARD_PLACE = 20;

export class Deck {
  // *expect(code, sum)*: notes that the sum must be O, or the entry at hand is refused.
  constructor(dealer, hasUpcard, expect) {
    this.dealer = dealer;
    this.hasUpcard = hasUpcard;
    this.expect = expect;
    this.keys = [null, null];
    this.joint = null;
    this.deck = null;
    this.hands = [[], []];
    this.counts = { proofs: 0, shuffles: 0 };
    // By seat, for the audit.
    this.commitments = [null, null];
    this.tossCommitment = null; // the dealer's
    this.tosses = [null, null];
    this.done = [0, 1].map(() => ({ shuffles: [], shares: [], openings: [] }));
    this.received = [[], []]; // from the deck, each locked by its owner's key alone
    this.disclosed = [null, null]; // what cards those are, where the seed is known
  }

  // -- the deal

  takeKey(place, seat, key, possession) {
    const Y = element(key.length === 32 ? key : refuse("bad-encoding")).prepared();
    checkPossession(Transcript.at("possession", place), Y, possession);
    this.counts.proofs += 1;
    this.keys[seat] = Y;
    if (this.keys[1 - seat]) {
      this.joint = Y.plus(this.keys[1 - seat]);
      if (this.joint.isIdentity) refuse("bad-proof");
    }
  }

  shuffleDeck(place, seat, { deck, argument }) {
    const before = this.deck ?? openDeck();
    const after = ciphertexts(deck, 52);
    this.shuffled(place, seat, "deal-shuffle", this.joint, before, after, argument);
    this.deck = after;
  }

  shuffled(place, seat, label, key, before, after, argument) {
    this.expect("bad-proof", shuffleSum(Transcript.at("shuffle", place), key, before, after, argument));
    this.counts.shuffles += 1;
    this.done[seat].shuffles.push({ label, key, before, after });
  }

  // The places of which *seat* gives shares in the deal: the cards of the other, and the upcard.
  placesSharedBy(seat) {
    const first = seat === this.dealer ? 0 : 1;
    return [...range(10).map((i) => first + 2 * i), ...(this.hasUpcard ? [UPCARD_PLACE] : [])];
  }

  dealShares(place, seat, message) {
    const places = this.placesSharedBy(seat);
    const bases = places.map((i) => this.deck[i].c1);
    const images = elements(message.shares, places.length);
    this.shared(place, seat, bases, images, message.proof);
    range(10).forEach((i) => {
      const { c1, c2 } = this.deck[places[i]];
      this.receive(1 - seat, pair(c1, c2.minus(images[i])));
    });
    if (this.hasUpcard) (this.upcardShares ??= []).push(images[10]);
  }

  receive(seat, locked) {
    this.hands[seat].push(locked);
    this.received[seat].push(locked);
  }

  // By 6.3; undefined with a second deck.
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

  // *seat* gives a share for the next card of the stock, which the other has drawn.
  shareStock(place, seat, { share, proof }) {
    const { c1, c2 } = this.deck[this.next];
    const [image] = elements(share, 1);
    this.shared(place, seat, [c1], [image], proof);
    this.next += 1;
    this.receive(1 - seat, pair(c1, c2.minus(image)));
  }

  // 6.5: an open card enters a hand.
  takeOpen(seat, cards) {
    const locked = (card) => pair(BASE, cardPoints()[card].plus(this.keys[seat]));
    this.hands[seat] = [...this.hands[seat], ...cards.map(locked)];
  }

  // 6.6. *cards*: of the pile, that enter the hand in the same entry.
  riffle(place, seat, { hand, argument }, cards = []) {
    this.takeOpen(seat, cards);
    const before = this.hands[seat];
    if (before.length === 1) {
      if (hand.length || argument.length) refuse("bad-length");
      return;
    }
    const after = ciphertexts(hand, before.length);
    this.shuffled(place, seat, "riffle", this.keys[seat], before, after, argument);
    this.hands[seat] = after;
  }

  // 6.7. *leaves*: the places that leave the hand.
  open(place, seat, places, cards, proof, leaves) {
    const hand = this.hands[seat];
    if (places.some((i) => i >= hand.length)) refuse("bad-proof");
    const bases = places.map((i) => hand[i].c1);
    const images = places.map((i, k) => hand[i].c2.minus(cardPoints()[cards[k]]));
    checkEqualLogarithms(Transcript.at("opening", place), this.keys[seat], bases, images, proof);
    this.counts.proofs += 1;
    bases.forEach((base, k) => this.done[seat].openings.push({ base, image: images[k] }));
    this.hands[seat] = hand.filter((_, i) => !leaves.includes(i));
  }

  // -- the audit (6.8)

  // The seed of *seat* in hand *number*, against all that the player did in it; the cards that came
  // to the player, should all of *expect* hold. Where something
  // had to be one thing byte for byte it is the same to ask whether group elements are equal, for
  // both sides are canonical; so the differences, each times a random weight, must add up to O.
  audit(table, number, seat, seed, expect) {
    if (!equal(seedCommitment(table, number, seat, seed), this.commitments[seat])) refuse("seed-mismatch");
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
    // A card that was opened is c2 - x·c1 = M, which is x·c1 = image, like a share.
    const sum = new Sum();
    for (const { base, image } of [...shares, ...openings]) {
      const z = weight();
      sum.add(z, image).add(-z * x, base);
    }
    expect("audit-failed", sum);
    return this.received[seat].map(({ c1, c2 }) => cardOf(c2.minus(c1.times(x))));
  }

  // Lets go of what can be decoded again, once the hand is over and many are.
  forget() {
    for (const { shuffles, shares } of this.done) {
      for (const { before, after } of shuffles) for (const { c1, c2 } of [...before, ...after]) [c1, c2].forEach(drop);
      for (const { base, image } of shares) [base, image].forEach(drop);
    }
  }
}

const drop = (read) => read !== BASE && read !== IDENTITY && read.forget();
