// What a log says happened, read at once and without a single proof: for the table that a page
// draws before anybody has asked for a verdict, and never for a verdict.
//
// Rule 1: it takes each entry for its author's: the player who owes it. It verifies no signature, no
//         proof and no hash. The rules of the game still apply, because they make the positions.
// Rule 2: the verifier's own deck is not touched: this one keeps bytes, and decrypts only the cards
//         that a disclosed seed opens.
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
    this.received = [[], []]; // of each seat: {at, share}, its place in the deck and the other's share
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

  // What follows puts no new card into a hand, or is only there to be verified.
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

  // The cards that came to each seat, as far as the seeds tell. Both together give the order of the
  // whole deck, which takes some milliseconds; one alone decrypts card by card, in twenty times that.
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

// Elements are decoded only where they are needed.
const readDeck = ({ deck }) => pieces(deck, 64).map((bytes) =>
  pair(new Element(undefined, bytes.subarray(0, 32)), new Element(undefined, bytes.subarray(32))));

// {told, match}, as the verifier finds them, of the first *count* entries. *breathe*: awaited between
// entries, and between hands.
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
