// Reads a typed score sheet, in the only form in which the program writes one (proto/NOTATION.md),
// into the same steps as a log. Nobody signed it, so only the rules are applied: they turn the
// moves into positions.
import { Hand } from "../verifier/src/hand.js";
import { Replay } from "../verifier/src/replay.js";
import { readRules } from "../verifier/src/rule_text.js";
import { Score } from "../verifier/src/score.js";

const ROLES = ["host", "guest"];
const HEAD = ["dealer", "upcard", "knock-card", "first"];
const cardOf = (text) => "cdhs".indexOf(text[1]) * 13 + "A23456789TJQK".indexOf(text[0]);
const cardsIn = (text) => (text.match(/[A2-9TJQK][cdhs]/g) ?? []).map(cardOf);

// Return {told, match}, like skim.js.
export function readSheet(text) {
  const rules = readRules(/^\[Rules "(.*)"\]$/m.exec(text)?.[1] ?? "standard");
  const match = new TypedMatch(rules);
  match.begins = Number(/^hand (\d+)/m.exec(text)?.[1] ?? 1);
  const lines = text.slice(text.search(/^hand /m)).split("\n");
  for (const line of lines) {
    const [first, ...rest] = line.split(" ");
    if (ROLES.includes(first)) match.line(ROLES.indexOf(first), rest.join(" "));
    else if (HEAD.includes(first)) match[first](...rest);
  }
  return { told: match.story.told(match), match };
}

class TypedMatch {
  constructor(rules) {
    this.rules = rules;
    this.begins = 1; // the number of the first hand; if it isn't 1, the score isn't known
    this.score = undefined; // the match's score, once the first hand has begun
    this.story = new Replay();
    this.hands = []; // {number, dealer, deck: {disclosed}}, as in the verifier
    this.hand = null;
    this.entries = 0;
  }

  get inPlay() {
    return this.hand instanceof Hand && this.hand.phase !== "over";
  }

  // -- one method for each first word of a line

  dealer(whose) {
    const dealer = ROLES.indexOf(whose);
    const number = this.hands.length + 1;
    this.score ??= new Score(this.rules);
    this.hand = { number, dealer, first: this.score.firstPlayer(dealer) };
    this.hands.push({ number, dealer, deck: { disclosed: [null, null] } });
    this.add("deal_commit", dealer);
  }

  upcard(card) {
    this.begin(undefined, cardOf(card));
  }

  "knock-card"(card) {
    this.knockCard = cardOf(card);
  }

  first(whose) {
    this.hand.first = ROLES.indexOf(whose);
    this.begin(this.knockCard, undefined);
  }

  begin(knockCard, upcard) {
    const { number, dealer, first } = this.hand;
    this.add("deal_shares", dealer, {}, () => {
      this.hand = new Hand(this.rules, { number, dealer, first, knockCard });
      this.hand.begin(upcard);
    });
  }

  // Read the cards that a player was dealt, or a whole turn.
  line(seat, words) {
    if (/^[?A2-9TJQK]/.test(words)) {
      this.hands.at(-1).deck.disclosed[seat] = words === "?" ? null : cardsIn(words);
      return;
    }
    for (const each of words.split(/ (?=d |t |-|big-gin|shows|resigns|(?<!t \d+ )lay )/)) this.turn(seat, each);
  }

  // Make one part of a turn: "d 8c", "t 3 lay 8s9sTs", "-7d knock 8c8d8h / 6s".
  turn(seat, words) {
    const { hand } = this;
    const [word, second] = words.split(" ");
    const shown = groupsIn(words);
    const count = Number(second);
    const thrown = cardOf(word.slice(1));
    switch (word) {
      case "pass": return this.add("pass", seat, {}, () => hand.pass());
      case "resigns": return this.add("resign", seat, {}, () => this.score.resign(seat));
      case "d": return this.draw(seat, second === "?" ? null : cardOf(second));
      case "lay": return this.add("lay", seat, shown, () => hand.lay(shown));
      case "shows": return this.add("spread", seat, shown, () => hand.spread(shown));
      case "big-gin": return this.knock(seat, { ...shown, discard: null });
      case "t":
        if (!count) return this.add("take_upcard", seat, {}, () => hand.takeUpcard());
        return this.add("take_discards", seat, { count, lay: shown }, () => hand.takeDiscards(count, shown));
      default: // a dash and the discard
        if (second) return this.knock(seat, { ...shown, discard: thrown, cards: [...shown.cards, thrown] });
        return this.add("discard", seat, { card: thrown }, () => hand.discard(thrown));
    }
  }

  knock(seat, message) {
    this.add("knock", seat, message, () => this.hand.declareKnock(message));
  }

  draw(seat, card) {
    this.hands.at(-1).deck.disclosed[seat]?.push(card);
    this.add("draw_stock", seat, {}, () => {
      this.hand.drawStock();
      this.hand.player = 1 - seat; // the player who would give the share
    });
    this.add("share", 1 - seat, {}, () => {
      this.hand.player = seat;
      this.hand.share();
    });
  }

  add(kind, seat, message = {}, make = () => {}) {
    const before = this.story.before(this);
    make();
    if (before.hand && this.hand.phase === "over") this.score.addHand(this.hand);
    this.story.add(before, this, { entry: this.entries++, seat, kind, message });
  }
}

// Return {melds, adds, layoffs, cards} from the words of a move, as in "lay 8s9sTs, 5c@2 / KdKh".
// An add and a lay-off look the same.
function groupsIn(words) {
  const [named, left = ""] = words.replace(/^(-\S+ (knock|gin)|t \d+ lay|lay|big-gin|shows) ?/, "").split("/");
  const parts = named.split(",").map((part) => part.trim()).filter(Boolean);
  const adds = parts.filter((part) => part.includes("@")).map((part) => ({ card: cardOf(part), meld: Number(part.slice(3)) - 1 }));
  const melds = parts.filter((part) => !part.includes("@")).map(cardsIn);
  const cards = [...melds.flat(), ...adds.map(({ card }) => card), ...cardsIn(left)];
  return { melds, adds, layoffs: adds, cards };
}
