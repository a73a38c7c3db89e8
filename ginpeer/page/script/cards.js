// Writes cards, which are numbers, as signs and in words, and arranges a hand that its player has
// not laid open.
import { deadwoodOf, mahjongPoints, rankOf, suitOf } from "../verifier/src/melds.js";

export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const RANK_WORDS = ["ace", ...RANKS.slice(1, 10), "jack", "queen", "king"];
const SUITS = "♣♦♥♠";
const SUIT_WORDS = ["clubs", "diamonds", "hearts", "spades"];

export const sign = (card) => RANKS[rankOf(card)] + SUITS[suitOf(card)];
export const signs = (cards) => cards.map(sign).join(" ");
export const ascending = (cards) => [...cards].sort((a, b) => a - b);

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

const inOneWord = (card) => `${RANK_WORDS[rankOf(card)]} of ${SUIT_WORDS[suitOf(card)]}`;
export const cardsInWords = (cards) => cards.map(inOneWord).join(", ");

export function meldInWords(cards) {
  const [first] = cards;
  if (cards.every((card) => suitOf(card) === suitOf(first))) {
    return `${cards.map((card) => RANK_WORDS[rankOf(card)]).join(", ")} of ${SUIT_WORDS[suitOf(first)]}`;
  }
  return `${RANK_WORDS[rankOf(first)]} of ${cards.map((card) => SUIT_WORDS[suitOf(card)]).join(", ")}`;
}

// Return the sentence with its cards in words, for a screen reader.
export const inWords = (text) => text.replace(/(10|[2-9AJQK])([♣♦♥♠])/g, (_, rank, suit) =>
  `${RANK_WORDS[RANKS.indexOf(rank)]} of ${SUIT_WORDS[SUITS.indexOf(suit)]}`);

// -- arrangements

// Return the arrangement with the least deadwood: {melds, loose, count}. In Mahjong gin, *count*
// includes the melds.
export function arranged(cards, rules) {
  const melds = bestMelds(ascending(cards), meldsIn(cards, rules["runs-wrap"] === "yes"), rules["ace-pips"], new Map());
  const loose = cards.filter((card) => !melds.some((meld) => meld.includes(card)));
  const count = rules.mahjong === "yes" ? mahjongPoints(cards) : deadwoodOf(loose, rules["ace-pips"]);
  return { melds: melds.map(inRow), loose: costliestFirst(loose, rules), count };
}

// Return the best melds of these cards. The lowest card is either in one of the melds or in none;
// both are tried. *known* caches the results.
function bestMelds(cards, melds, acePips, known) {
  if (!cards.length) return [];
  const key = cards.join();
  if (known.has(key)) return known.get(key);
  const [card, ...others] = cards;
  const ways = [bestMelds(others, melds, acePips, known)];
  for (const meld of melds) {
    if (!meld.includes(card) || !meld.every((each) => cards.includes(each))) continue;
    ways.push([meld, ...bestMelds(cards.filter((each) => !meld.includes(each)), melds, acePips, known)]);
  }
  const melded = (way) => deadwoodOf(way.flat(), acePips);
  const best = ways.reduce((a, b) => (melded(b) > melded(a) ? b : a));
  known.set(key, best);
  return best;
}

function meldsIn(cards, wraps) {
  const found = [];
  for (let rank = 0; rank < 13; rank++) {
    const set = cards.filter((card) => rankOf(card) === rank);
    if (set.length > 2) found.push(set);
    if (set.length === 4) for (const card of set) found.push(set.filter((each) => each !== card));
  }
  for (const card of cards) {
    const run = [card];
    for (let rank = rankOf(card) + 1; run.length < 13 && (wraps || rank < 13); rank++) {
      const next = suitOf(card) * 13 + (rank % 13);
      if (!cards.includes(next)) break;
      run.push(next);
      if (run.length > 2) found.push([...run]);
    }
  }
  return found;
}
