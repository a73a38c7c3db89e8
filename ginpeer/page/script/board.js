// Draws the table at one step: both seats, and the cards between them.
import { rankOf, suitOf } from "../verifier/src/melds.js";
import { cardsInWords, inRow, meldInWords, RANKS } from "./cards.js";
import { draw, make } from "./dom.js";
import { laidBy, limitInWords, noCards, tags, visibleHand } from "./position.js";
import { minus } from "./view.js";

// Return a drawing of a suit. Its symbol is part of the page.
function drawing(which) {
  const svg = draw("svg", {});
  svg.append(draw("use", { href: `#s${which}` }));
  return svg;
}

const back = () => make("div", "card back");

// Return a row of cards in groups. The cards overlap as much as the width requires.
function row(label, parts, cls) {
  const made = make("div", `row ${cls}`, ...parts.map((part) => make("div", part.kind, ...part.cards)));
  const count = parts.reduce((sum, part) => sum + part.cards.length, 0);
  made.style.setProperty("--n", Math.max(count, 2));
  made.style.setProperty("--g", Math.max(parts.length, 1));
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  return made;
}

export class Board {
  // *eyes*: the only seat whose cards are shown, or -1 for both seats.
  constructor(view, step, eyes) {
    this.view = view;
    this.step = step;
    this.eyes = eyes;
    this.isMahjong = view.rules?.mahjong === "yes";
  }

  face(card, kind = "") {
    const suit = suitOf(card);
    const made = make("div", `card s${suit} ${kind}${card === this.step.card ? " moved" : ""}`);
    made.dataset.card = card;
    made.append(make("b", rankOf(card) === 9 ? "ten" : "", RANKS[rankOf(card)]), drawing(suit), drawing(suit));
    return made;
  }

  faces(cards, kind) {
    return cards.map((card) => this.face(card, kind));
  }

  // Return the row of a hand, and its count in words.
  hand(seat) {
    const name = this.view.names[seat];
    const visible = visibleHand(this.view, this.step.position, seat, this.eyes);
    if (visible.melds) return this.knownHand(name, visible);
    const { hidden, seen } = visible;
    const parts = [{ kind: "hidden", cards: Array.from({ length: hidden }, back) }];
    let label = `${name}: ${hidden} ${this.step.position.hands[seat].cards ? "cards, hidden from this view" : "unknown cards"}`;
    if (seen.length) {
      parts.push({ kind: "loose", cards: this.faces(seen) });
      label += `, and from the pile: ${cardsInWords(seen)}`;
    }
    return [row(label, parts.filter((part) => part.cards.length), "hand"), `${hidden + seen.length} cards`];
  }

  knownHand(name, { melds, loose, count, added }) {
    const parts = melds.map((meld, i) => (
      { kind: "meld", cards: [...this.faces(meld), ...this.faces(added[i] ?? [], "added")] }
    ));
    if (loose.length) parts.push({ kind: "loose", cards: this.faces(loose) });
    const told = melds.map((meld, i) =>
      `meld ${meldInWords(meld)}${added[i]?.length ? `, with ${cardsInWords(added[i])} laid off` : ""}`);
    if (loose.length) told.push(`${this.isMahjong ? "loose" : "deadwood"} ${cardsInWords(loose)}`);
    const counted = this.isMahjong ? `counts ${count}` : `deadwood ${count}`;
    return [row(`${name}: ${told.join("; ") || "no cards"}`, parts, "hand"), counted];
  }

  seat(who) {
    const { position, points } = this.step;
    const id = make("span", "id", make("bdi", "name", this.view.names[who]));
    id.append(...tags(this.step, who).map((tag) => make("span", tag === "dealer" ? "tag" : "tag turn", tag)));
    const [cards, counted] = position ? this.hand(who) : [null, null];
    const has = points && make("span", "points", make("b", "", minus(points[who])), points[who] === 1 ? " point" : " points");
    return make("div", "seat", make("div", "who", id, counted && make("span", "counted", counted), has), cards);
  }

  middle() {
    const made = make("div", "middle");
    const { position, hand } = this.step;
    if (!position) {
      made.append(make("p", "empty", noCards(hand)));
      return made;
    }
    const { table, stock, pile } = position;
    if (table.length) made.append(make("div", "table", ...table.map((meld) => this.tableMeld(meld))));
    const pack = make("div", "stock", back(), make("small", "", `stock ${stock}`));
    pack.firstChild.append(make("b", "", String(stock)));
    pack.firstChild.setAttribute("aria-hidden", "true");
    const label = pile.length ? `Discard pile, the top is ${cardsInWords(pile.slice(-1))}` : "No discards";
    const top = this.faces(pile.slice(-(this.isMahjong ? 24 : 9)));
    const count = pile.length ? `discards ${pile.length}` : "no discards";
    const discards = row(label, [{ kind: "pile", cards: top }], "discards");
    made.append(pack, make("div", "upcard", discards, make("small", "", count + limitInWords(position))));
    if (hand && hand.knockCard !== null) {
      made.append(make("div", "stock", this.face(hand.knockCard), make("small", "", "knock card")));
    }
    return made;
  }

  tableMeld(meld) {
    const who = laidBy(meld, this.view.names);
    const cards = inRow(meld.cards);
    const shown = row(`${meldInWords(cards)}, laid by ${who}`, [{ kind: "meld", cards: this.faces(cards) }], "");
    return make("div", "laid", shown, make("small", "", make("bdi", "", who)));
  }
}
