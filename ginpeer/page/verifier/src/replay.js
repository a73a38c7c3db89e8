// Records what happened, step by step, as far as the log alone shows it: who did what, and what the
// table looked like afterwards. Only admitted entries are recorded. (PROTOCOL 3, 6.8, 8; the keys
// are those of proto/steps.schema.json, with numbers instead of words)
//
// If the log discloses the seed of a hand, a player's hidden cards are known throughout that hand.
// Otherwise they are known once they are shown.
import { ascending, limitBy } from "./melds.js";


const list = (bytes) => (bytes ? [...bytes] : undefined);
// Return the parts of a message that a step reports, as plain values.
const said = (message) => ({
  ...message.rules && { rules: message.rules },
  ...message.cards && { cards: list(message.cards) },
  ...message.melds && { melds: message.melds.map(list), adds: message.adds, layoffs: message.layoffs },
  ...message.seeds && { seeds: message.seeds.length },
  ...message.count && { count: message.count, ...said(message.lay) },
});

export class Replay {
  constructor() {
    this.steps = []; // {entry, share, seat, kind, hand, card, says, position, standing}
    this.open = [null, null]; // what each player has shown in this hand
  }

  // Return the state of the match before an entry.
  before({ score, hands, inPlay, hand }) {
    return {
      number: score && !score.isDecided ? hands.length : 0,
      hand: inPlay ? hand : null,
      pile: inPlay ? [...hand.pile] : [],
      table: inPlay ? hand.table : [],
      results: score?.hands.length,
      phase: inPlay ? hand.phase : null,
    };
  }

  // Add an entry that was admitted.
  add({ number, hand, pile, table, results, phase }, match, { entry, seat, kind, message }) {
    const last = this.steps.at(-1);
    if (kind === "share") {
      Object.assign(last, { share: entry, position: this.position(hand) });
      return;
    }
    const step = { entry, share: null, seat, kind, hand: number, card: null, before: phase, says: said(message), position: null };
    if (match.hands.length === 1 && (kind === "accept" || kind === "cut_reveal")) step.says.dealer = match.hand.dealer;
    if (kind === "deal_shares") {
      this.open = [null, null];
      this.shown = match.hand.upcard;
      step.position = this.position(match.hand);
    } else if (hand) {
      if (message.count) step.says.taken = pile.slice(-message.count);
      this.move(step, message, pile.at(-1), hand.isMahjong);
      step.says.table = table.map(list);
      step.position = this.position(hand);
    } else if (number && last?.hand === number && last.position?.phase === "over") step.position = last.position;
    if (match.score && match.score.hands.length > results) {
      step.standing = match.score.standing;
      step.result = match.score.hands.at(-1);
    }
    this.steps.push(step);
  }

  move(step, { card, cards, discard, melds, layoffs = [] }, top, isMahjong) {
    const { kind, seat } = step;
    const without = (...used) => [...cards].filter((each) => !used.includes(each));
    if (kind === "discard") this.shown = step.card = card;
    if (kind === "take_upcard") step.card = top;
    if (kind === "knock") {
      step.card = discard;
      const loose = without(discard, ...melds.flatMap(list));
      this.open[seat] = { cards: ascending(without(discard)), melds: melds.map(list), loose, laidOff: [] };
    }
    if (kind === "spread") {
      const loose = without(...melds.flatMap(list), ...layoffs.map((laid) => laid.card));
      this.open[seat] = { cards: ascending(cards), laidOff: layoffs };
      if (!isMahjong) Object.assign(this.open[seat], { melds: melds.map(list), loose });
    }
  }

  position(hand) {
    const { rules, isMahjong, phase } = hand;
    if (isMahjong && hand.knock) this.open[hand.knock.knocker] = { cards: [], laidOff: [] };
    const set = rules["knock-limit"];
    const card = { upcard: hand.upcard, floating: this.shown, "second-deck": hand.knockCard }[set];
    return {
      phase: { spread: "lay-off", share: "discard" }[phase] ?? (phase === "draw" && hand.fromStock ? "first-draw" : phase),
      toMove: phase === "over" ? null : phase === "share" ? hand.other : hand.player,
      limit: isMahjong ? null : Number.isInteger(set) ? set : limitBy(card, rules["ace-limit"]),
      limitCard: card ?? hand.upcard,
      knockCard: hand.knockCard ?? null,
      isLaidOpen: Boolean(hand.knock),
      pile: [...hand.pile],
      stock: hand.stock,
      table: hand.table.map((meld) => ({
        cards: [...meld],
        by: hand.laid.map((laid) => ascending(meld.filter((each) => laid.includes(each)))),
      })),
      hands: [0, 1].map((seat) => ({
        count: hand.sizes[seat],
        cards: null,
        isDisclosed: false,
        seen: ascending(hand.seen[seat]),
        melds: null,
        loose: null,
        laidOff: [],
        ...this.open[seat],
      })),
    };
  }

  // Return {opening, hands, closing, cut}, with the cards that the seeds disclose.
  told({ hands, cutCards = null }) {
    const known = hands.map(({ deck }) => deck.disclosed);
    const at = this.steps.findIndex((step) => step.hand);
    const first = at < 0 ? this.steps.length : at;
    const numbers = [...new Set(this.steps.map((step) => step.hand).filter(Boolean))];
    return {
      opening: this.steps.slice(0, first),
      hands: numbers.map((number) => {
        const steps = this.steps.filter((step) => step.hand === number);
        [0, 1].forEach((seat) => knowing(steps, seat, known[number - 1][seat]));
        return { number, dealer: hands[number - 1].dealer, isKnown: known[number - 1].map(Boolean), steps };
      }),
      closing: this.steps.slice(first).filter((step) => !step.hand),
      cut: cutCards,
    };
  }
}

// Fill in the cards of a seat at each step. *received*: the ten cards that the seat was dealt, and
// those that it drew; null if they are unknown.
function knowing(steps, seat, received) {
  if (!received) return;
  let held = null;
  let draws = 10;
  for (const step of steps) {
    const { kind, card, says, position } = step;
    if (!position) continue;
    held ??= received.slice(0, 10);
    if (step.seat === seat) {
      if (step.share !== null) {
        const drawn = received[draws++];
        if (drawn === null) return; // only in a typed match: from here on, the hand is unknown
        held = [...held, (step.card = drawn)];
      }
      if (kind === "take_upcard") held = [...held, card];
      if (kind === "take_discards") held = [...held, ...says.taken];
      if (kind === "discard" || kind === "knock") held = held.filter((each) => each !== card);
      if (kind === "lay" || kind === "take_discards") held = held.filter((each) => !says.cards.includes(each));
    }
    Object.assign(position.hands[seat], { cards: ascending(held), isDisclosed: true });
  }
}
