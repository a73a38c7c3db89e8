// One hand as the rules see it: the pile, the stock, the turns, what both players know, and how the
// hand ends. (PROTOCOL 8.2 to 8.7, 8.11)
//
// A Hand knows no ciphertexts. `phase` and `player` say what is awaited, and from whom. The match
// checks them first (7.1, 6 and 7), so a method is called only when its message is allowed. A
// method refuses before it changes anything.
import { deadwoodOf, fitsOn, isMeld, limitBy, mahjongPoints, SPADES, suitOf } from "./melds.js";
import { refuse } from "./bytes.js";


export class Hand {
  // *first*: the player who plays first. *knockCard*: the card of the second deck, or undefined.
  constructor(rules, { number, dealer, first, knockCard }) {
    this.rules = rules;
    this.number = number;
    this.dealer = dealer;
    this.first = first;
    this.knockCard = knockCard;
    this.wraps = rules["runs-wrap"] === "yes";
    this.isMahjong = rules.mahjong === "yes";
    this.pile = [];
    this.upcard = undefined;
    this.stock = 31;
    this.sizes = [10, 10];
    this.seen = [new Set(), new Set()]; // taken from the pile and still held (8.3)
    this.table = []; // melds; `laid` has each player's cards in them
    this.laid = [[], []];
    this.pileTurns = 0; // turns in a row that began with the pile
    this.knock = null;
    this.result = null;
  }

  // Begin the play after the deal. *upcard*: undefined with a second deck.
  begin(upcard) {
    this.upcard = upcard;
    if (upcard === undefined) {
      this.stock = 32;
      this.await("draw", this.first, true);
    } else {
      this.pile.push(upcard);
      if (this.rules.opening === "either-pile") this.await("draw", this.first);
      else this.await("upcard", this.first);
    }
  }

  await(phase, player, fromStock = false) {
    this.phase = phase;
    this.player = player;
    this.fromStock = fromStock; // the next draw must be from the stock (8.4)
  }

  get other() {
    return 1 - this.player;
  }

  // -- the beginning of a turn

  pass() {
    if (this.phase === "last-chance") this.end({ result: "void" });
    else if (this.player === this.dealer) this.await("draw", this.first, true);
    else this.await("upcard", this.dealer);
  }

  beginTurn(fromPile, taken = null) {
    this.turn = { fromPile, taken, top: this.pile.at(-1) };
    this.pileTurns = fromPile ? this.pileTurns + 1 : 0;
  }

  drawStock() {
    this.beginTurn(false);
    this.stock -= 1;
    this.sizes[this.player] += 1;
    this.phase = "share";
  }

  share() {
    this.phase = "discard";
  }

  // Take the top card of the pile, and return it.
  takeUpcard() {
    if (this.fromStock) refuse("wrong-phase");
    const card = this.pile.at(-1);
    this.beginTurn(true, card);
    this.take(1);
    this.phase = "discard";
    return card;
  }

  take(count) {
    const cards = this.pile.splice(this.pile.length - count);
    this.sizes[this.player] += count;
    cards.forEach((card) => this.seen[this.player].add(card));
  }

  // Take cards from the pile, and return them, the lowest first.
  takeDiscards(count, lay) {
    const named = this.checkNamed(lay);
    if (this.fromStock) refuse("wrong-phase");
    if (count > this.pile.length) refuse("pile-too-small");
    const cards = this.pile.slice(this.pile.length - count);
    if (!named.includes(cards[0])) refuse("lowest-not-laid");
    const laying = this.checkLay(lay, named, this.sizes[this.player] + count, null, cards);
    this.beginTurn(true);
    this.take(count);
    this.phase = "discard";
    this.putOnTable(laying);
    return cards;
  }

  // -- melds on the table, in Mahjong gin

  lay(lay) {
    this.putOnTable(this.checkLay(lay, this.checkNamed(lay), this.sizes[this.player], this.turn.taken, []));
  }

  // Return the cards that a lay names. They must be the cards that it opens, each once.
  checkNamed({ cards, melds, adds }) {
    if (!this.isMahjong) refuse("not-mahjong");
    const named = [...melds.flatMap((meld) => [...meld]), ...adds.map((add) => add.card)];
    if (new Set(named).size < named.length) refuse("card-used-twice");
    if (named.length !== cards.length || !named.every((card) => cards.includes(card))) refuse("wrong-cards");
    if (melds.length > 17 || melds.some((meld) => !meld.length)) refuse("unreadable-move");
    return named;
  }

  // Check a lay. Return the table after it, and the cards that it names. *taken*: cards of the pile
  // that the same entry takes.
  checkLay({ melds, adds }, named, size, justTaken, taken) {
    if (named.some((card) => this.isElsewhere(card) && !taken.includes(card))) refuse("card-not-held");
    if (!melds.every((meld) => isMeld([...meld], this.wraps))) refuse("not-a-meld");
    const table = [...this.table, ...melds.map((meld) => [...meld])];
    for (const { card, meld } of adds) {
      if (!table[meld] || !fitsOn(card, table[meld], this.wraps)) refuse("add-does-not-fit");
      table[meld] = [...table[meld], card];
    }
    const leavesOne = justTaken !== null && size - named.length === 1;
    if (leavesOne && !table.some((meld) => meld.includes(justTaken))) refuse("just-taken");
    return { table, named };
  }

  putOnTable({ table, named }) {
    this.table = table;
    this.laid[this.player].push(...named);
    this.part(named);
    if (this.sizes[this.player] === 0) this.emptied();
  }

  part(cards) {
    this.sizes[this.player] -= cards.length;
    cards.forEach((card) => this.seen[this.player].delete(card));
  }

  emptied() {
    this.knock = { knocker: this.player };
    this.await("spread", this.other);
  }

  // -- the end of a turn

  discard(card) {
    if (card === this.turn.taken) refuse("just-taken");
    if (this.isElsewhere(card)) refuse("card-not-held");
    this.part([card]);
    this.pile.push(card);
    if (this.sizes[this.player] === 0) this.emptied();
    else if (this.stock === 2) {
      const isLastChance = this.rules.wall === "last-discard" && !this.turn.fromPile;
      if (isLastChance) this.await("last-chance", this.other);
      else this.end({ result: "void" });
    } else if (this.pileTurns >= this.rules["swap-limit"]) this.end({ result: "void" });
    else this.await("draw", this.other);
  }

  // Return the card that sets the limit of this turn's knock, or the upcard if the limit is a
  // number. (8.5, 8.7)
  get limitCard() {
    const limit = this.rules["knock-limit"];
    if (limit === "second-deck") return this.knockCard;
    return limit === "floating" ? this.turn.top : this.upcard;
  }

  declareKnock({ cards, discard, melds }) {
    const arranged = this.arrange(cards, melds, discard === null ? [] : [discard]);
    const deadwood = deadwoodOf(arranged.rest, this.rules["ace-pips"]);
    if (this.isMahjong) refuse("no-knocking");
    if (discard === null) {
      if (this.rules["big-gin"] === "none") refuse("no-big-gin");
      if (arranged.rest.length) refuse("no-discard");
    }
    this.checkShown(cards, melds);
    if (discard !== null) {
      if (discard === this.turn.taken) refuse("just-taken");
      const set = this.rules["knock-limit"];
      const limit = Number.isInteger(set) ? set : limitBy(this.limitCard, this.rules["ace-limit"]);
      if (deadwood > limit) refuse("knock-over-limit");
    }
    const shown = [...cards].filter((card) => card !== discard);
    if (discard !== null) {
      this.part([discard]);
      this.pile.push(discard);
    }
    this.knock = { knocker: this.player, isBig: discard === null, deadwood, shown, melds: arranged.melds };
    this.await("spread", this.other);
  }

  // Check how a hand is shown, from the message alone. Return its melds and the remaining cards.
  // *used*: cards that are discarded or laid off.
  arrange(cards, melds, used) {
    if (cards.length !== this.sizes[this.player] || new Set(cards).size < cards.length) refuse("wrong-hand");
    const named = [...melds.flatMap((meld) => [...meld]), ...used];
    if (new Set(named).size < named.length) refuse("card-used-twice");
    if (!named.every((card) => cards.includes(card))) refuse("card-not-held");
    const parts = [melds, used].some((list) => list.length > 10);
    if (parts || melds.some((meld) => !meld.length)) refuse("unreadable-move");
    return { melds: melds.map((meld) => [...meld]), rest: [...cards].filter((card) => !named.includes(card)) };
  }

  // Check a shown hand against what both players know. (8.3)
  checkShown(cards, melds) {
    if (!melds.every((meld) => isMeld([...meld], this.wraps))) refuse("not-a-meld");
    if ([...cards].some((card) => this.isElsewhere(card))) refuse("card-not-held");
    if ([...this.seen[this.player]].some((card) => !cards.includes(card))) refuse("card-missing");
  }

  // Return whether the card is known to be elsewhere than in the player's hand. (8.3)
  isElsewhere(card) {
    return (
      this.pile.includes(card) ||
      this.seen[this.other].has(card) ||
      (this.knock?.shown ?? []).includes(card) ||
      this.table.some((meld) => meld.includes(card))
    );
  }

  // -- the answer, and the score

  spread({ cards, melds, layoffs }) {
    const { rest } = this.arrange(cards, melds, layoffs.map((layoff) => layoff.card));
    if (this.isMahjong && (melds.length || layoffs.length)) refuse("too-late");
    this.checkShown(cards, melds);
    if (this.isMahjong) return this.scoreMahjong(rest);
    if (layoffs.length && this.knock.deadwood === 0) refuse("layoff-on-gin");
    const laid = this.knock.melds.map((meld) => [...meld]);
    for (const { card, meld } of layoffs) {
      if (!laid[meld] || !fitsOn(card, laid[meld], this.wraps)) refuse("layoff-does-not-fit");
      laid[meld].push(card);
    }
    return this.scoreKnock(deadwoodOf(rest, this.rules["ace-pips"]));
  }

  scoreKnock(defended) {
    const { knocker, isBig, deadwood } = this.knock;
    const defender = 1 - knocker;
    const { rules } = this;
    const difference = Math.abs(defended - deadwood);
    let outcome;
    if (isBig) outcome = ["big-gin", knocker, rules["big-gin"] + defended];
    else if (deadwood === 0) outcome = ["gin", knocker, rules["gin-bonus"] + defended];
    else if (deadwood < defended) outcome = ["knock", knocker, difference];
    else if (deadwood > defended || rules.tie === "undercut") {
      outcome = ["undercut", defender, rules["undercut-bonus"] + difference];
    } else if (rules.tie === "no-bonus") outcome = ["undercut", defender, 0];
    else outcome = ["tie", null, 0];
    const [result, winner, points] = outcome;
    this.end({
      result,
      winner,
      points: [points, 0],
      knocker,
      deadwood: knocker === 0 ? [deadwood, defended] : [defended, deadwood],
    });
  }

  scoreMahjong(left) {
    const winner = this.knock.knocker;
    const laid = this.laid.map(mahjongPoints);
    const deadwood = mahjongPoints(left);
    this.end({
      result: "mahjong",
      winner,
      points: [laid[winner] + this.rules["gin-bonus"], laid[1 - winner] - deadwood],
      knocker: winner,
      deadwood: winner === 0 ? [0, deadwood] : [deadwood, 0],
    });
  }

  // *points*: the winner's, and the other player's.
  end({ result, winner = null, points = [0, 0], knocker = null, deadwood = null }) {
    const doubles = result !== "void" && this.rules["spades-double"] === "yes";
    const doubled = doubles && suitOf(this.limitCard) === SPADES;
    const [points1, points2] = points.map((p) => (doubled ? 2 * p : p));
    this.result = { result, winner, points: points1, otherPoints: points2, doubled, knocker, deadwood };
    this.phase = "over";
  }
}
