// Describes a match in words. Nothing here judges the match.
import { deadwoodOf, mahjongPoints, rankOf, SPADES, suitOf } from "../verifier/src/melds.js";
import { arranged, costliestFirst, inRow, listed, sign, signs } from "./cards.js";

export const number = (n) => (n < 0 ? `minus ${-n}` : String(n));
export const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
const are = (n) => `${plural(n, "card")} ${n === 1 ? "is" : "are"} left`;

// Capitalize a sentence that begins with the role of a player without a name.
export const atStart = (text) => text.replace(/^the (?=host|guest)/, "The ");

const shortened = (rules) => (rules.length > 500 ? `${rules.slice(0, 500)}...` : rules);

const melded = (melds) => melds.map((meld) => signs(inRow(meld))).join(", ") || "none";

// *names*: as in the page. *rules*: {parameter: value}. *score*: the match's score at its end, or
// null if it isn't known.
export class Teller {
  constructor(names, rules, score) {
    this.names = names;
    this.rules = rules;
    this.score = score;
    this.isMahjong = rules?.mahjong === "yes";
    this.isSeries = rules && (rules["best-of"] > 1 || Number.isInteger(rules["multi-match"]));
  }

  pips(cards) {
    return deadwoodOf(cards, this.rules["ace-pips"]);
  }

  costliest(cards) {
    return signs(costliestFirst(cards, this.rules)) || "none";
  }

  deadwood(cards) {
    return `${this.costliest(cards)} (${this.pips(cards)})`;
  }

  dealt(seat, cards) {
    const { melds, loose, count } = arranged(cards, this.rules);
    const rest = this.isMahjong
      ? `loose ${this.costliest(loose)}; ${plural(cards.length, "card")}, counting ${count}`
      : `deadwood ${this.deadwood(loose)}`;
    return `${this.names[seat]} is dealt: melds ${melded(melds)}; ${rest}.`;
  }

  both([host, guest]) {
    return `${this.names[0]} ${number(host)}, ${this.names[1]} ${number(guest)}`;
  }

  whoWon(seat) {
    return seat === null ? "nobody" : this.names[seat];
  }

  // Return the lines that describe a step. Some steps have none.
  step(step, cut) {
    const tell = TELLERS[step.kind];
    const lines = tell ? tell.call(this, step, this.names[step.seat], cut).map(atStart) : [];
    if (!step.standing) return lines;
    const goesOn = this.score && !step.standing.isDecided;
    return [...lines, atStart(this.result(step.result)), ...(goesOn ? [this.standing(step.standing)] : [])];
  }

  opening({ limit, limitCard, toMove, pile }) {
    const { rules } = this;
    const set = rules["knock-limit"];
    const doubles = rules["spades-double"] === "yes" && suitOf(limitCard) === SPADES;
    const words = limit ? `knock with ${limit} or less` : "only gin ends the hand";
    let says = `${this.isMahjong || set === 10 ? "" : `: ${words}`}${doubles ? "; the hand counts double" : ""}`;
    if (set === "floating") says = `: ${words}${doubles ? ", for double points," : ""} until the next discard`;
    if (set !== "second-deck") return `The upcard is ${sign(pile.at(-1))}${says}.`;
    return `The knock card, from the second deck, is ${sign(limitCard)}${says}. ${atStart(this.names[toMove])} draws first, from the stock.`;
  }

  laying({ says: { melds, adds, table }, position, seat }) {
    const who = this.names[seat];
    const lines = melds.length ? [`${who} lays ${melded(melds)}.`] : [];
    const open = [...table, ...melds].map((meld) => [...meld]);
    for (const { card, meld } of adds) {
      lines.push(`${who} adds ${sign(card)} to ${signs(inRow(open[meld]))}.`);
      open[meld].push(card);
    }
    if (position.phase === "lay-off") lines.push(`${who} goes gin, with no cards left.`);
    return lines;
  }

  result({ result, winner, points, otherPoints, doubled, knocker, deadwood }) {
    const { names } = this;
    if (result === "void") return "The hand is void: nobody scores.";
    const who = names[knocker];
    const against = `against ${deadwood[1 - knocker]}`;
    const twice = doubled ? ", doubled for spades" : "";
    if (result === "mahjong") {
      return `${who} goes gin ${against} and scores ${points}; ${names[1 - knocker]} scores ${number(otherPoints)}${twice}.`;
    }
    const gin = { gin: "gin", "big-gin": "big gin" }[result];
    const ends = gin ? `${who} goes ${gin} ${against}` : `${who} knocks with ${deadwood[knocker]} ${against}`;
    if (winner === null) return `${ends}: a tie, and nobody scores.`;
    const scores = `scores ${points}${twice}`;
    if (winner === knocker) return `${ends} and ${scores}.`;
    if (!points) return `${ends}: a tie, and ${names[winner]} wins the hand without points.`;
    return `${ends}: an undercut, and ${names[winner]} ${scores}.`;
  }

  standing(after) {
    const { rules } = this;
    const { number: game, hands, isOver, winner, totals, columns, won, credits } = after;
    if (this.isSeries && isOver) {
      const needed = (rules["best-of"] + 1) / 2;
      const so = Number.isInteger(rules["multi-match"])
        ? `All games so far: ${this.both(credits)}; the match goes to ${rules["multi-match"]}.`
        : `Games won: ${this.both(won)}; the first to ${needed} wins the match.`;
      return `Game ${game} to ${this.whoWon(winner)}: ${this.both(totals)}. ${so}`;
    }
    const of = Number.isInteger(rules.hands) ? ` of ${rules.hands}` : "";
    const score = `Score after ${hands}${of} ${(of ? rules.hands : hands) === 1 ? "hand" : "hands"}${this.isSeries ? ` of game ${game}` : ""}`;
    if (columns.length > 1) {
      const each = columns.map((column, i) => {
        const by = column.isOver ? `, won by ${this.whoWon(column.winner)}` : "";
        return `Column ${i + 1}: ${column.wins.some(Boolean) ? this.both(column.points) + by : "empty"}.`;
      });
      return `${score}. ${each.join(" ")} Each column goes to ${rules.target}.`;
    }
    if (rules.target === "none") return `${score}: ${this.both(columns[0].points)}.`;
    return `${score}: ${this.both(columns[0].points)}; the ${this.isSeries ? "game" : "match"} goes to ${rules.target}.`;
  }

  // Return who won a decided match, and what the stake amounts to. The account is a separate table.
  outcome() {
    const { names, rules, score } = this;
    const { winner, totals, resigned } = score;
    let won = `Nobody wins the match: ${this.both(totals)}`;
    if (winner !== null) {
      const inGames = rules["best-of"] > 1 && resigned === null;
      const counts = inGames ? [score.gamesWon(0), score.gamesWon(1)] : totals;
      won = `${names[winner]} wins the match, ${number(counts[winner])}${inGames ? " games" : ""} to ${number(counts[1 - winner])}`;
    }
    const isSingle = !this.isSeries && rules.columns === 1;
    return [`${won}${isSingle ? this.why(score.game.columns[0]) : ""}.`, ...(rules.stake ? [this.stake()] : [])];
  }

  to(column) {
    return `${column.isGivenUp ? "conceded to" : "won by"} ${this.whoWon(column.winner)}${this.why(column)}`;
  }

  // Explain why the player with fewer points from hands won, or return an empty string if the
  // winner had more.
  why({ winner, isGivenUp, points }) {
    if (winner === null || isGivenUp || points[1 - winner] <= points[winner]) return "";
    return `, because ${this.names[1 - winner]} led by exactly 50`;
  }

  stake() {
    const { names, score, rules } = this;
    const [debtor, payment] = score.stake;
    const begins = `The stake is ${rules.stake} a point;`;
    const margin = Math.abs(score.margin);
    if (debtor !== null) {
      return `${begins} ${names[debtor]} owes ${names[1 - debtor]} ${rules.stake} times ${margin}, which is ${payment}.`;
    }
    if (!margin) return `${begins} the totals are equal, and nobody owes anything.`;
    const winner = names[score.winner ?? 0];
    return `${begins} a player who resigns is owed nothing, so ${winner} owes nothing for the ${plural(margin, "point")}.`;
  }
}

// Return the name of the card that was offered: "the upcard" or, when the stock has run out, "the
// last discard".
const open = ({ before }) => (before === "last-chance" ? "the last discard" : "the upcard");

const TELLERS = {
  offer({ says: { rules } }) {
    return [`${this.names[0]} offers a match with these rules: ${shortened(rules)}.`];
  },
  accept({ says: { dealer } }, who) {
    return [`${who} accepts the match.`, ...(dealer === undefined ? [] : [`${this.names[dealer]} deals first, as the rules say.`])];
  },
  cut_reveal({ says: { dealer } }, who, [host, guest]) {
    const [a, b] = this.names;
    const equal = rankOf(host) === rankOf(guest) ? ", or the lower suit if the ranks are equal" : "";
    return [`${a} cuts ${sign(host)}, and ${b} cuts ${sign(guest)}. The lower card deals${equal}: ${this.names[dealer]} deals first.`];
  },
  deal_commit: (_, who) => [`${who} shuffles and deals.`],
  deal_shares({ position }) {
    return [this.opening(position)];
  },
  pass: (_, who) => [`${who} passes.`],
  take_upcard: (step, who) => [`${who} takes ${open(step)}, ${sign(step.card)}.`],
  draw_stock({ card, position }, who) {
    return [card === null ? `${who} draws from the stock; ${are(position.stock)} in it.` : `${who} draws ${sign(card)} from the stock.`];
  },
  discard({ card, position: { phase, toMove, stock } }, who) {
    const thrown = `${who} discards ${sign(card)}`;
    if (phase === "lay-off") return [`${thrown}, the last card, and goes gin.`];
    if (phase !== "last-chance") return [`${thrown}.`];
    return [`${thrown}.`, `${are(stock)} in the stock: ${this.names[toMove]} may take this card, or pass.`];
  },
  lay(step) {
    return this.laying(step);
  },
  take_discards(step, who) {
    const { count, taken } = step.says;
    return [`${who} takes the top ${count} cards of the pile: ${signs([...taken].reverse())}.`, ...this.laying(step)];
  },
  knock({ card, seat, says: { melds }, position }, who) {
    const { loose } = position.hands[seat];
    if (card === null) return [`${who} goes big gin: all eleven cards are melded.`, `Melds: ${melded(melds)}.`];
    const thrown = `${who} discards ${sign(card)} and`;
    if (!loose.length) return [`${thrown} goes gin.`, `Melds: ${melded(melds)}.`];
    return [`${thrown} knocks with ${this.pips(loose)}.`, `Melds: ${melded(melds)}; deadwood: ${this.deadwood(loose)}.`];
  },
  spread({ seat, says: { cards, melds, layoffs }, position }, who) {
    if (this.isMahjong) return [`${who} shows what is left: ${this.costliest(cards)}, counting ${mahjongPoints(cards)}.`];
    const lines = [`${who} spreads. Melds: ${melded(melds)}.`];
    const on = position.hands[1 - seat].melds;
    const laid = new Map();
    for (const { card, meld } of layoffs) laid.set(meld, [...(laid.get(meld) ?? []), sign(card)]);
    const groups = [...laid].map(([meld, cards]) => `${listed(cards)} on ${signs(inRow(on[meld]))}`);
    if (groups.length) lines.push(`${who} lays off ${groups.join(", ")}.`);
    return [...lines, `Deadwood: ${this.deadwood(position.hands[seat].loose)}.`];
  },
  resign: (_, who) => [`${who} resigns the match.`],
  settle({ seat }) {
    return seat === 0 ? this.outcome() : [];
  },
  disclose: ({ says }, who) => [`${who} discloses ${plural(says.seeds, "hand seed")}.`],
};
