// The match: what is awaited from whom, and what an allowed entry changes. (PROTOCOL 3.3, 6, 8;
// checks 7 to 9 of 7.1)
import { equal, Refusal, refuse } from "./bytes.js";
import { Deck } from "./deck.js";
import { Hand } from "./hand.js";
import { readRules, writeRules } from "./rule_text.js";
import { Score } from "./score.js";
import { cutCards, cutCommitment, knockCard, lowerCut, tossCommitment } from "./secrets.js";

const HOST = 0;
const GUEST = 1;
const DEALERS = ["deal-1", "deal-3", "deal-5"];
const SEEDS_IN_ENTRY = 300;

// How many hands keep their points decoded for an audit after the match. Each takes about 250 kB.
const HANDS_KEPT = 40;

// The entries that are allowed in each phase, except `resign`. (3.3)
const ALLOWED = {
  offer: ["offer"],
  accept: ["accept"],
  "cut-commit": ["cut_commit"],
  "cut-value": ["cut_value"],
  "cut-reveal": ["cut_reveal"],
  "deal-1": ["deal_commit"],
  "deal-2": ["deal_key"],
  "deal-3": ["deal_deck"],
  "deal-4": ["deal_shuffle"],
  "deal-5": ["deal_shares"],
  upcard: ["pass", "take_upcard"],
  draw: ["draw_stock", "take_upcard", "take_discards"],
  share: ["share"],
  discard: ["lay", "discard", "knock"],
  "last-chance": ["pass", "take_upcard"],
  spread: ["spread"],
  settle: ["settle"],
  disclose: ["disclose"],
};
const MAY_RESIGN = [
  "deal-1", "deal-2", "deal-3", "deal-4", "deal-5", "upcard", "draw", "share", "discard", "last-chance",
];

export class Match {
  // *listener*: *handOver* is called when a hand ends, *audited* when a seed has been audited, and
  // *expect* to record a sum that must be O. *breathe* is awaited between seeds, because auditing
  // one takes long. *DeckOf*: the class that keeps the cards of a hand.
  constructor(listener, DeckOf = /** @type {any} */ (Deck)) {
    this.listener = listener;
    this.DeckOf = DeckOf;
    this.players = [null, null]; // {name, key}
    this.phase = "offer";
    /** @type {any} */
    this.hand = undefined; // {number, dealer} during the deal, then a Hand
    this.debtor = HOST;
    this.disclosed = [0, 0];
    this.ruleText = undefined; // these three are set by the offer
    this.rules = undefined;
    this.disclosure = undefined;
    this.hands = []; // {number, dealer, deck, moves}; the last may be in play
  }

  // Return the seat that owes the next entry, or null at the end.
  get owes() {
    if (this.phase === "end") return null;
    return this.inPlay ? this.hand.player : this.debtor;
  }

  get awaited() {
    return this.inPlay ? this.hand.phase : this.phase;
  }

  get inPlay() {
    return this.phase === "play";
  }

  allows(kind) {
    const { awaited } = this;
    return (ALLOWED[awaited] ?? []).includes(kind) || (kind === "resign" && MAY_RESIGN.includes(awaited));
  }

  // Apply an entry. The caller has checked that *kind* is allowed and that *seat* owes it.
  async apply(seat, kind, message, place) {
    place = { ...place, hand: this.hand?.number, seat };
    if (this.inPlay || kind === "resign") this.hands.at(-1).moves += 1;
    await this[kind](message, seat, place);
    if (this.inPlay && this.hand.phase === "over") this.endHand();
  }

  await(phase, debtor) {
    this.phase = phase;
    this.debtor = debtor;
  }

  // -- before the first hand

  offer({ rules, disclosure, started, name, key }) {
    const read = readRules(rules);
    if (!read) throw new Refusal("rules-unsupported", false);
    if (writeRules(read) !== rules) refuse("rules-not-canonical");
    Object.assign(this, { ruleText: rules, rules: read, disclosure, started: Number(started) });
    this.players[HOST] = { name, key };
    this.await("accept", GUEST);
  }

  accept({ rules, name, key }) {
    if (rules !== this.ruleText) refuse("rules-differ");
    this.players[GUEST] = { name, key };
    const agreed = { host: HOST, guest: GUEST }[this.rules["first-dealer"]];
    if (agreed === undefined) this.await("cut-commit", HOST);
    else this.firstDealer(agreed);
  }

  cut_commit({ commitment }) {
    this.cut = { commitment };
    this.await("cut-value", GUEST);
  }

  cut_value({ value }) {
    this.cut.guest = value;
    this.await("cut-reveal", HOST);
  }

  cut_reveal({ value }, seat, { table }) {
    if (!equal(cutCommitment(table, value), this.cut.commitment)) refuse("cut-mismatch");
    this.cutCards = cutCards(table, value, this.cut.guest);
    this.firstDealer(lowerCut(table, value, this.cut.guest));
  }

  firstDealer(seat) {
    this.first = seat;
    this.score = new Score(this.rules);
    this.nextDeal();
  }

  // -- the deal

  nextDeal() {
    const number = this.hands.length + 1;
    const dealer = this.score.nextDealer(this.first);
    const hasUpcard = this.rules["knock-limit"] !== "second-deck";
    this.deck = new this.DeckOf(dealer, hasUpcard, (code, sum) => this.listener.expect(code, sum));
    this.hand = { number, dealer };
    this.hands.push({ number, dealer, deck: this.deck, moves: 0 });
    this.await("deal-1", dealer);
  }

  deal(step) {
    const { dealer } = this.hand;
    const phase = `deal-${step}`;
    this.await(phase, DEALERS.includes(phase) ? dealer : 1 - dealer);
  }

  checkToss(toss) {
    if ((toss.length === 32) === this.deck.hasUpcard) refuse("wrong-toss");
  }

  deal_commit({ commitment, toss }, seat) {
    this.checkToss(toss);
    this.deck.commitments[seat] = commitment;
    if (toss.length) this.deck.tossCommitment = toss;
    this.deal(2);
  }

  deal_key(message, seat, place) {
    const { commitment, toss } = message;
    this.checkToss(toss);
    this.deck.dealKey(place, seat, message);
    this.deck.commitments[seat] = commitment;
    if (toss.length) this.deck.tosses[seat] = toss;
    this.deal(3);
  }

  deal_deck(message, seat, place) {
    const { toss } = message;
    this.checkToss(toss);
    const { deck } = this;
    if (toss.length && !equal(tossCommitment(place.table, place.hand, toss), deck.tossCommitment)) {
      refuse("toss-mismatch");
    }
    deck.dealDeck(place, seat, message);
    if (toss.length) {
      deck.tosses[seat] = toss;
      this.knockCard = knockCard(place.table, place.hand, toss, deck.tosses[1 - seat]);
    }
    this.deal(4);
  }

  deal_shuffle(message, seat, place) {
    this.deck.dealShuffle(place, seat, message);
    this.deal(5);
  }

  deal_shares(message, seat, place) {
    this.deck.dealShares(place, seat, message);
    const upcard = this.deck.openUpcard();
    const { number, dealer } = this.hand;
    const first = this.score.firstPlayer(dealer);
    this.hand = new Hand(this.rules, { number, dealer, first, knockCard: this.knockCard });
    this.hand.begin(upcard);
    this.phase = "play";
  }

  // -- the play: rules first, then proofs (7.1, 8 and 9)

  pass() {
    this.hand.pass();
  }

  take_upcard(message, seat) {
    this.deck.takeOpen(seat, [this.hand.takeUpcard()]);
  }

  draw_stock(message, seat) {
    this.hand.drawStock();
    this.hand.player = 1 - seat; // the player who gives the share
  }

  share(message, seat, place) {
    this.deck.shareStock(place, seat, message);
    this.hand.player = 1 - seat;
    this.hand.share();
  }

  take_discards({ count, lay }, seat, place) {
    this.deck.takeOpen(seat, this.hand.takeDiscards(count, lay));
    this.putDown(lay, seat, place);
  }

  lay(lay, seat, place) {
    this.hand.lay(lay);
    this.putDown(lay, seat, place);
  }

  putDown(lay, seat, place) {
    const places = [...lay.positions];
    this.deck.riffleAndOpen(place, seat, lay, places, lay.cards, places);
  }

  discard(message, seat, place) {
    this.hand.discard(message.card);
    const places = [message.position];
    this.deck.riffleAndOpen(place, seat, message, places, [message.card], places);
  }

  knock(message, seat, place) {
    this.hand.declareKnock(message);
    const { cards, discard } = message;
    const leaves = discard === null ? [] : [cards.indexOf(discard)];
    this.deck.riffleAndOpen(place, seat, message, [...cards.keys()], cards, leaves);
  }

  spread(message, seat, place) {
    this.hand.spread(message);
    this.deck.open(place, seat, message);
  }

  resign(message, seat) {
    this.score.resign(seat);
    this.afterHand();
  }

  // -- after a hand

  endHand() {
    this.score.addHand(this.hand);
    this.afterHand();
  }

  afterHand() {
    this.phase = "between";
    this.listener.handOver(this.hands.at(-1));
    if (this.hands.length > HANDS_KEPT) this.deck.forget();
    this.knockCard = undefined;
    if (this.disclosure === 2) {
      const number = this.hands.length;
      this.beginDisclosing((seat) => (this.deck.commitments[seat] ? [number] : []));
    } else this.afterDisclosing();
  }

  // Deal the next hand or, if the match is decided, await the settlement.
  afterDisclosing() {
    if (this.score.isDecided) this.await("settle", HOST);
    else this.nextDeal();
  }

  settle({ hands, host_total, guest_total, winner }, seat) {
    const [host, guest] = this.score.totals;
    const right = [this.hands.length, host, guest, this.score.winner ?? 2];
    if ([hands, host_total, guest_total, winner].some((value, i) => value !== right[i])) refuse("wrong-score");
    if (seat === HOST) this.await("settle", GUEST);
    else if (this.disclosure === 1) {
      this.beginDisclosing((who) =>
        this.hands.filter(({ deck }) => deck.commitments[who]).map(({ number }) => number),
      );
    } else this.phase = "end";
  }

  // *owed(seat)*: the numbers of the hands whose seeds the seat owes.
  beginDisclosing(owed) {
    this.owed = [owed(HOST), owed(GUEST)];
    this.awaitSeeds();
  }

  awaitSeeds() {
    const seat = this.owed.findIndex((numbers) => numbers.length);
    if (seat >= 0) this.await("disclose", seat);
    else if (this.disclosure === 1) this.phase = "end";
    else this.afterDisclosing();
  }

  async disclose({ seeds }, seat, { table }) {
    const numbers = this.owed[seat].slice(0, SEEDS_IN_ENTRY);
    if (seeds.length !== numbers.length) refuse("wrong-seed-count");
    numbers.forEach((number, i) => this.hands[number - 1].deck.checkSeed(table, number, seat, seeds[i]));
    const told = [];
    for (const [i, number] of numbers.entries()) {
      const { deck } = this.hands[number - 1];
      const cards = deck.audit(table, number, seat, seeds[i], (code, sum) => this.listener.expect(code, sum));
      told.push(() => (deck.disclosed[seat] = cards));
      this.listener.audited(number, seat);
      await this.listener.breathe();
    }
    told.forEach((each) => each());
    this.disclosed[seat] += numbers.length;
    this.owed[seat] = this.owed[seat].slice(numbers.length);
    this.awaitSeeds();
  }
}
