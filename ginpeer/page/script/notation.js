// Writes the hands of a match in the notation of proto/NOTATION.md, as in the page's move list.
import { ascending, rankOf, suitOf } from "../verifier/src/melds.js";

const ROLES = ["host", "guest"];
const text = (card) => "A23456789TJQK"[rankOf(card)] + "cdhs"[suitOf(card)];
const set = (cards) => ascending(cards).map(text).join("");
const known = (card) => (card === null ? "?" : text(card));
const both = ([host, guest]) => `host ${host} guest ${guest}`;
const pair = (points) => points.join(":");
const role = (seat) => ROLES[seat] ?? "nobody";

// Return the notation from the first hand on, with a line feed after each line. *mark*: the word
// after each hand's number if the log isn't valid to its end.
export function notation(told, score, mark) {
  const hands = told.hands.map((hand) => [...handLines(hand, score, mark), ""].join("\n"));
  if (score?.isDecided) hands.push([...accountLines(score), ""].join("\n"));
  return hands.join("\n");
}

function* handLines({ number, dealer, steps }, score, mark) {
  yield `hand ${number}${mark && ` ${mark}`}`;
  yield `dealer ${ROLES[dealer]}`;
  const deal = steps.find((step) => step.kind === "deal_shares")?.position;
  if (deal) {
    for (const [seat, { cards }] of deal.hands.entries()) yield `${ROLES[seat]} ${cards ? bySuits(cards) : "?"}`;
    if (deal.knockCard === null) yield `upcard ${text(deal.pile[0])}`;
    else yield* [`knock-card ${text(deal.knockCard)}`, `first ${ROLES[deal.toMove]}`];
  }
  let turn = null;
  for (const step of steps) {
    const words = MOVES[step.kind]?.(step);
    if (turn && (!words || turn.seat !== step.seat || step.kind === "resign")) {
      yield `${ROLES[turn.seat]} ${turn.words.join(" ")}`;
      turn = null;
    }
    if (!words) continue;
    turn ??= { seat: step.seat, words: [] };
    turn.words.push(words);
  }
  if (turn) yield `${ROLES[turn.seat]} ${turn.words.join(" ")}`;
  const end = steps.find((step) => step.standing);
  if (end) yield* [resultLine(end.result), scoreLine(end.standing, end.result, score)];
}

const bySuits = (cards) => [0, 1, 2, 3].map((suit) => set(cards.filter((card) => suitOf(card) === suit)))
  .filter(Boolean).join(" ");

const MOVES = {
  pass: () => "pass",
  draw_stock: ({ card }) => `d ${known(card)}`,
  take_upcard: ({ card }) => `t ${text(card)}`,
  discard: ({ card }) => `-${text(card)}`,
  take_discards: ({ says }) => `t ${says.count} ${MOVES.lay({ says })}`,
  lay: ({ says }) => `lay ${groups(says.melds, says.adds, [])}`,
  knock({ card, says: { cards, melds } }) {
    const deadwood = cards.filter((each) => each !== card && !melds.flat().includes(each));
    if (card === null) return `big-gin ${groups(melds, [], [])}`;
    return `-${text(card)} ${deadwood.length ? "knock" : "gin"} ${groups(melds, [], deadwood)}`.trim();
  },
  spread({ says: { cards, melds, layoffs } }) {
    const used = [...melds.flat(), ...layoffs.map(({ card }) => card)];
    return `shows ${groups(melds, layoffs, cards.filter((each) => !used.includes(each)))}`.trim();
  },
  resign: () => "resigns",
};

// Return the melds, then the cards added to melds, which are numbered from 1, then the remaining
// cards after a slash.
function groups(melds, laid, left) {
  const named = [...melds.map(set), ...laid.map(({ card, meld }) => `${text(card)}@${meld + 1}`)].join(", ");
  return `${named}${left.length ? ` / ${set(left)}` : ""}`.trim();
}

function resultLine({ result, winner, points, otherPoints, doubled, knocker, deadwood }) {
  if (result === "void") return "result void";
  const left = deadwood[1 - knocker];
  const against = result === "mahjong" ? `the other ${otherPoints}, left ${left}` : `${deadwood[knocker]} against ${left}`;
  return `result ${result} ${role(winner)} ${points}, ${against}${doubled ? ", doubled" : ""}`;
}

// Return the points in the game so far, the points in each column if there are several, and the
// games won if the match has several games.
function scoreLine({ number, columns, won }, result, { hands, rules }) {
  const played = hands.filter((hand) => hand.game === number && hand.number <= result.number);
  const points = (seat) => played.reduce((sum, hand) => sum + pointsOf(hand, seat), 0);
  const each = columns.length > 1 ? `, columns ${columns.map((column) => pair(column.points)).join(" ")}` : "";
  const games = rules["best-of"] > 1 || rules["multi-match"] !== "none" ? `, games ${pair(won)}` : "";
  return `score ${both([points(0), points(1)])}${each}${games}`;
}

export const pointsOf = ({ winner, points, otherPoints }, seat) => (winner === seat ? points : otherPoints);

function* accountLines({ games, totals, winner, stake }) {
  for (const [i, game] of games.entries()) {
    for (const [at, { points, lines }] of game.columns.entries()) {
      const [host, guest] = lines.map(({ shutout, gameBonus, boxes, total }, seat) =>
        `${[points[seat], shutout, gameBonus, boxes].join(" + ")} = ${total}`);
      yield `column ${i + 1}.${at + 1} host ${host}, guest ${guest}`;
    }
  }
  yield `total ${both(totals)}`;
  yield `winner ${role(winner)}`;
  const [debtor, payment] = stake;
  if (debtor !== null) yield `owes ${role(debtor)} ${payment}`;
}
