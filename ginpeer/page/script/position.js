// Says in words what the table shows at one step. The page copies this text, and
// `ginpeer export LOG --step h3s20` writes the same (cli/text/position.py).
import { deadwoodOf, mahjongPoints } from "../verifier/src/melds.js";
import { arranged, costliestFirst, inRow, sign, signs } from "./cards.js";
import { atStart, number, plural } from "./narration.js";

// Return what is visible of a hand. If its cards are known: {melds, loose, count, added}, where
// *added* are the cards laid off on each meld. Otherwise {hidden, seen}: how many cards are hidden,
// and those that everybody saw the player take. *eyes*: the only seat whose cards are shown, or -1.
/** @returns {any} */
export function visibleHand({ rules }, position, seat, eyes) {
  const { cards, count, seen, melds, loose } = position.hands[seat];
  if (!cards) return { hidden: count - seen.length, seen };
  if (eyes >= 0 && eyes !== seat && !isOpen(position, seat)) return { hidden: cards.length, seen: [] };
  if (!melds) return { added: [], ...arranged(cards, rules) };
  const { laidOff } = position.hands[1 - seat];
  return {
    melds: melds.map(inRow),
    loose: costliestFirst(loose, rules),
    count: rules.mahjong === "yes" ? mahjongPoints(loose) : deadwoodOf(loose, rules["ace-pips"]),
    added: melds.map((_, i) => laidOff.filter(({ meld }) => meld === i).map(({ card }) => card)),
  };
}

// Return whether this seat's cards lie face up on the table.
function isOpen({ phase, toMove, isLaidOpen }, seat) {
  return phase === "over" ? isLaidOpen : phase === "lay-off" && toMove !== seat;
}

export const noCards = (hand) => (hand ? "The cards are being shuffled and dealt." : "No cards have been dealt yet.");

// Return who laid the cards of a meld on the table.
export const laidBy = ({ by }, names) => (by.every((laid) => laid.length) ? "both" : names[by[0].length ? 0 : 1]);

// Return what is written beside a player's name: who deals, and who must do something.
export function tags({ hand, position, isResigned }, seat) {
  const turn = position?.phase === "lay-off" ? "to spread" : "to play";
  const plays = position?.toMove === seat && !isResigned;
  return [...(hand?.dealer === seat ? ["dealer"] : []), ...(plays ? [turn] : [])];
}

export function limitInWords({ limit }) {
  if (limit === null) return "";
  return limit ? `; knock with ${limit} or less` : "; only gin ends the hand";
}

// *step*: one of stepsIn (view.js). *sentences*: what happened. *verdict*: the page's banner, or "".
export function positionInWords(view, step, eyes, sentences, verdict) {
  const { names } = view;
  const { title, at, of, hand, position, points } = step;
  const lines = [
    ...(verdict ? [verdict] : []), `Gin rummy, ${names.join(" and ")}. ${title}, step ${at} of ${of}:`, ...sentences, "",
  ];
  for (const [seat, name] of names.entries()) {
    const has = points ? [`${number(points[seat])} ${points[seat] === 1 ? "point" : "points"}`] : [];
    const head = [atStart(name), ...tags(step, seat), ...has].join(", ");
    lines.push(position ? `${head}: ${held(view, position, seat, eyes)}.` : `${head}.`);
  }
  lines.push(...(position ? onTable(view, step) : [noCards(hand)]), "");
  return lines.join("\n");
}

function held({ rules, ...view }, position, seat, eyes) {
  const { hidden, seen, melds, loose, count, added } = visibleHand({ rules, ...view }, position, seat, eyes);
  if (!melds) return `${plural(hidden + seen.length, "card")}, ${seen.length ? `including ${signs(seen)} from the pile` : "hidden"}`;
  const told = melds.map((meld, i) => signs(meld) + (added[i]?.length ? ` with ${signs(added[i])} laid off` : "")).join(", ");
  const left = rules.mahjong === "yes"
    ? `${loose.length ? `loose ${signs(loose)}` : "no loose cards"}; ${plural([...melds.flat(), ...loose].length, "card")}, counting ${count}`
    : loose.length ? `deadwood ${signs(loose)} (${count})` : "no deadwood";
  return `${told || "no melds"}; ${left}`;
}

function onTable({ names }, { hand, position }) {
  const { table, pile, stock } = position;
  const melds = table.map((meld) => `${signs(inRow(meld.cards))} (${laidBy(meld, names)})`);
  return [
    ...(melds.length ? [`Melds on the table: ${melds.join(", ")}.`] : []),
    pile.length ? `Discards, from the top: ${signs([...pile].reverse())}.` : "No discards.",
    ...(hand && hand.knockCard !== null ? [`The knock card: ${sign(hand.knockCard)}.`] : []),
    `In the stock: ${plural(stock, "card")}${limitInWords(position)}.`,
  ];
}
