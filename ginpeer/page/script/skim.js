// Reads what happened from a log, quickly and without verifying any proof. A page draws its table
// from this before anybody asks for a verdict. A verdict is never based on it.
//
// Rule 1: each entry is taken to be by the player who owes it. No signature, proof or hash is
//         verified. The rules of the game still apply, because they determine the positions.
// Rule 2: the verifier's own deck isn't used. The deck here keeps bytes, and decrypts only the
//         cards that a disclosed seed opens.
import { pieces } from "../verifier/src/bytes.js";
import { cardOf, Element, element, openDeck, pair } from "../verifier/src/group.js";
import { records } from "../verifier/src/log.js";
import { Match } from "../verifier/src/match.js";
import { decodeBody } from "../verifier/src/protobuf.js";
import { Replay } from "../verifier/src/replay.js";
import { handKey, shuffleOf } from "../verifier/src/secrets.js";

const UPCARD_PLACE = 20;

class UncheckedDeck {
  constructor(dealer, hasUpcard) {
    this.dealer = dealer;
    this.hasUpcard = hasUpcard;
    this.next = hasUpcard ? UPCARD_PLACE + 1 : UPCARD_PLACE;
    this.commitments = [null, null];
    this.tosses = [null, null];
    this.disclosed = [null, null];
    this.counts = {};
    this.seeds = [null, null];
    this.received = [[], []]; // by seat: {at, share}, a card's place and the opponent's share
    this.upcardShares = [];
  }

  dealDeck(place, seat, message) {
    this.shuffled = readDeck(message);
  }

  dealShuffle(place, seat, message) {
    this.deck = readDeck(message);
    this.dealShares(place, seat, message);
  }

  dealShares(place, seat, { shares }) {
    const first = seat === this.dealer ? 0 : 1;
    pieces(shares, 32).forEach((share, i) => {
      if (i === 10) this.upcardShares.push(share);
      else this.received[1 - seat].push({ at: first + 2 * i, share });
    });
  }

  openUpcard() {
    if (!this.hasUpcard) return undefined;
    const [a, b] = this.upcardShares.map(element);
    return cardOf(this.deck[UPCARD_PLACE].c2.minus(a).minus(b));
  }

  shareStock(place, seat, { share }) {
    this.received[1 - seat].push({ at: this.next++, share });
  }

  // These messages bring no hidden card into a hand, or matter only to the verifier.
  dealKey() {}
  takeOpen() {}
  riffleAndOpen() {}
  open() {}
  checkSeed() {}
  forget() {}

  audit(table, number, seat, seed) {
    this.seeds[seat] = seed;
    return null;
  }

  // Decrypt the cards that each seat received, as far as the seeds disclose them. Both seeds give
  // the order of the whole deck, which takes some milliseconds. With only one seed, each card must
  // be decrypted, which takes twenty times as long.
  openDisclosed() {
    const keys = this.seeds.map((seed) => seed && handKey(seed));
    const order = keys[0] && keys[1] ? this.orderBy(keys[0].key.plus(keys[1].key)) : null;
    this.disclosed = keys.map((known, seat) => known && this.received[seat].map(({ at, share }) => {
      if (order) return order[at];
      const { c1, c2 } = this.deck[at];
      return cardOf(c2.minus(element(share)).minus(c1.times(known.x)));
    }));
  }

  orderBy(joint) {
    const { dealer, seeds, shuffled } = this;
    const first = shuffleOf(seeds[dealer], "deal-shuffle", joint, openDeck()).permutation;
    return shuffleOf(seeds[1 - dealer], "deal-shuffle", joint, shuffled).permutation.map((at) => first[at]);
  }
}

// Return the deck of a message. Its elements are decoded only when they are needed.
const readDeck = ({ deck }) => pieces(deck, 64).map((bytes) =>
  pair(new Element(undefined, bytes.subarray(0, 32)), new Element(undefined, bytes.subarray(32))));

// Return {told, match}, like the verifier, for the first *count* entries. *breathe*: awaited
// between entries, and between hands.
export async function skim(bytes, count, breathe) {
  const idle = () => {};
  const match = new Match({ handOver: idle, audited: idle, breathe: idle, expect: idle }, UncheckedDeck);
  const story = new Replay();
  let number = 0;
  for (const { record } of records(bytes)) {
    if (!record || number === count) break;
    const { kind, message, table, sequence, previous } = decodeBody(record.subarray(0, -64));
    const seat = match.owes;
    const before = story.before(match);
    await match.apply(seat, kind, message, { table, sequence, previous });
    story.add(before, match, { entry: number, seat, kind, message });
    number += 1;
    await breathe();
  }
  for (const { deck } of match.hands) {
    deck.openDisclosed();
    await breathe();
  }
  return { told: story.told(match), match };
}
