// Cards, melds, and the cards that fit on them. (PROTOCOL 3.2, 8.1, 8.11; RULES 1, 2, 11)

export const SPADES = 3;
export const ascending = (cards) => [...cards].sort((a, b) => a - b);
export const suitOf = (card) => Math.floor(card / 13);
export const rankOf = (card) => card % 13;

const same = (values) => values.every((value) => value === values[0]);

// *cards*: without repetition.
export function isMeld(cards, wraps) {
  if (cards.length < 3) return false;
  if (same(cards.map(rankOf))) return cards.length <= 4;
  if (!same(cards.map(suitOf))) return false;
  const ranks = cards.map(rankOf).sort((a, b) => a - b);
  const gaps = ranks.filter((rank, i) => i && rank !== ranks[i - 1] + 1).length;
  // A run around the corner may have one gap in ascending order, if it contains the ace and the
  // king.
  return gaps === 0 || (wraps && gaps === 1 && ranks[0] === 0 && ranks.at(-1) === 12);
}

export const fitsOn = (card, meld, wraps) => !meld.includes(card) && isMeld([...meld, card], wraps);

export function deadwoodOf(cards, acePips) {
  return cards.reduce((sum, card) => sum + (rankOf(card) === 0 ? acePips : Math.min(rankOf(card) + 1, 10)), 0);
}

// Return the knock limit that an open card sets. (8.5)
export const limitBy = (card, aceLimit) =>
  rankOf(card) === 0 ? (aceLimit === "one" ? 1 : 0) : Math.min(rankOf(card) + 1, 10);

export const mahjongPoints = (cards) =>
  cards.reduce((sum, card) => sum + (rankOf(card) === 0 ? 15 : rankOf(card) < 9 ? 5 : 10), 0);
