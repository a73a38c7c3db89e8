// Writes cards, which are numbers, as signs and in words, and arranges a hand that its player has
// not shown.
import { ascending, deadwoodOf, mahjongPoints, rankOf, suitOf } from "../verifier/src/melds.js";

export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const RANK_WORDS = ["ace", ...RANKS.slice(1, 10), "jack", "queen", "king"];
const SUITS = "♣♦♥♠";
const SUIT_WORDS = ["clubs", "diamonds", "hearts", "spades"];

export const sign = (card) => RANKS[rankOf(card)] + SUITS[suitOf(card)];
export const signs = (cards) => cards.map(sign).join(" ");

// Return the cards of a meld in order. A run around the corner begins at its low end, as in Q K A.
export function inRow(meld) {
  const cards = ascending(meld);
  const gap = cards.findIndex((card, i) => i && suitOf(card) === suitOf(cards[0]) && card !== cards[i - 1] + 1);
  return gap > 0 && suitOf(cards.at(-1)) === suitOf(cards[0]) ? [...cards.slice(gap), ...cards.slice(0, gap)] : cards;
}

export function costliestFirst(cards, rules) {
  const high = rules.mahjong === "yes" || rules["ace-pips"] > 1 ? 13 : 0;
  return [...cards].sort((a, b) => (rankOf(b) || high) - (rankOf(a) || high) || suitOf(a) - suitOf(b));
}

// -- in words

export const listed = (words) => [words.slice(0, -1).join(", "), ...words.slice(-1)].filter(Boolean).join(" and ");

const inOneWord = (card) => `${RANK_WORDS[rankOf(card)]} of ${SUIT_WORDS[suitOf(card)]}`;
export const cardsInWords = (cards) => cards.map(inOneWord).join(", ");

export function meldInWords(cards) {
  const [first] = cards;
  if (cards.every((card) => suitOf(card) === suitOf(first))) {
    return `${listed(cards.map((card) => RANK_WORDS[rankOf(card)]))} of ${SUIT_WORDS[suitOf(first)]}`;
  }
  return `${RANK_WORDS[rankOf(first)]} of ${listed(cards.map((card) => SUIT_WORDS[suitOf(card)]))}`;
}

// Return the sentence with its cards in words, for a screen reader.
export const inWords = (text) => text.replace(/(10|[2-9AJQK])([♣♦♥♠])/g, (_, rank, suit) =>
  `${RANK_WORDS[RANKS.indexOf(rank)]} of ${SUIT_WORDS[SUITS.indexOf(suit)]}`);

// -- arrangements

const MOST_WAYS = 72; // eleven cards never have more

// Return the arrangement with the least deadwood: {melds, loose, count}. In Mahjong gin, *count*
// includes the melds. If several are equally good, return the one that the program shows, too.
export function arranged(cards, rules) {
  const melds = bestMelds(ascending(cards), rules["runs-wrap"] === "yes", rules["ace-pips"]);
  const loose = cards.filter((card) => !melds.flat().includes(card));
  const count = rules.mahjong === "yes" ? mahjongPoints(cards) : deadwoodOf(loose, rules["ace-pips"]);
  return { melds: melds.map(inRow), loose: costliestFirst(loose, rules), count };
}

// Try every choice of sets. Then every sequence of three or more remaining cards is a run.
function bestMelds(cards, wraps, acePips) {
  let ways = [{ sets: [], rest: cards }];
  const melded = ({ sets, rest }) => deadwoodOf([...sets, ...runsIn(rest, wraps)].flat(), acePips);
  for (let rank = 0; rank < 13; rank++) {
    const held = cards.filter((card) => rankOf(card) === rank);
    if (held.length < 3) continue;
    const laid = [held, ...(held.length === 4 ? held.map((card) => held.filter((each) => each !== card)) : [])];
    ways = ways.flatMap((way) => [way, ...laid.map((set) => (
      { sets: [...way.sets, set], rest: way.rest.filter((card) => !set.includes(card)) }))]);
    if (ways.length > MOST_WAYS) ways = ways.sort((a, b) => melded(b) - melded(a)).slice(0, MOST_WAYS);
  }
  const most = Math.max(...ways.map(melded));
  const best = ways.filter((way) => melded(way) === most);
  return best.map(({ sets, rest }) => [...sets, ...runsIn(rest, wraps)].sort((a, b) => asNumber(a) - asNumber(b)))
    .reduce((a, b) => (comesFirst(b, a) ? b : a));
}

const asNumber = (meld) => meld.reduce((sum, card) => sum + 2 ** card, 0);

function comesFirst(melds, others) {
  const at = melds.findIndex((meld, i) => asNumber(meld) !== asNumber(others[i] ?? []));
  return at >= 0 && asNumber(melds[at]) < asNumber(others[at] ?? []);
}

function runsIn(cards, wraps) {
  return [0, 1, 2, 3].flatMap((suit) => {
    const runs = [];
    for (const card of cards.filter((each) => suitOf(each) === suit)) {
      if (runs.at(-1)?.at(-1) === card - 1) runs.at(-1).push(card);
      else runs.push([card]);
    }
    const isAround = wraps && runs.length > 1 && rankOf(runs[0][0]) === 0 && rankOf(runs.at(-1).at(-1)) === 12;
    if (isAround) runs.push([...runs.pop(), ...runs.shift()]);
    return runs.filter((run) => run.length > 2);
  });
}
