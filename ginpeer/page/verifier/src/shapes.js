// The shapes of fields. A field of any other shape is `malformed`. (PROTOCOL 3.4, 3.5)

const bytes32 = (b) => b.length === 32;
const toss = (b) => b.length === 32 || b.length === 0;
const below = (limit) => (n) => n < limit;
const ascending = (b) => b.every((n, i) => !i || b[i - 1] < n);
const cards = (b) => b.length <= 52 && b.every(below(52));
const melds = (list) => list.length <= 52 && list.every((meld) => cards(meld) && ascending(meld));
const onMelds = (limit) => (list) => list.length <= 52 && list.every((l) => l.card < 52 && l.meld < limit);
const signed32 = (n) => Math.abs(n) < 2 ** 31;
const rules = (text) => /^[\x20-\x7e]{1,512}$/.test(text);

const UNSEEN = new RegExp(
  "^ | $|[\\0-\\x1f\\x7f-\\xa0\\xad\\u061c\\u180e\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f" +
    "\\u3000\\ud800-\\udfff\\ufeff\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}]",
  "u",
);
function name(text) {
  const size = new TextEncoder().encode(text).length;
  return size >= 1 && size <= 64 && !UNSEEN.test(text);
}

const lay = {
  positions: (b) => b.length >= 1 && cards(b) && ascending(b),
  cards: (b, whole) => cards(b) && b.length === whole.positions.length,
  melds,
  adds: onMelds(17),
};

const SHAPES = {
  offer: {
    version: (n) => n >= 1 && n <= 65535,
    key: bytes32,
    name,
    rules,
    disclosure: (n) => n >= 1 && n <= 3,
    nonce: bytes32,
    started: (n) => n < 2n ** 53n,
  },
  accept: { key: bytes32, name, rules, nonce: bytes32 },
  cut_commit: { commitment: bytes32 },
  cut_value: { value: bytes32 },
  cut_reveal: { value: bytes32 },
  deal_commit: { commitment: bytes32, toss },
  deal_key: { commitment: bytes32, toss },
  deal_deck: { toss },
  discard: { position: below(52), card: below(52) },
  knock: { cards, discard: (n) => n === null || n < 52, melds },
  spread: { cards, melds, layoffs: onMelds(4) },
  lay,
  take_discards: { count: (n) => n >= 2 && n <= 31, lay: (l) => l !== null && fits(lay, l) },
  settle: { hands: below(2 ** 31), host_total: signed32, guest_total: signed32, winner: below(3) },
  disclose: { seeds: (list) => list.length <= 300 && list.every(bytes32) },
};

const fits = (shape, message) => Object.entries(shape).every(([field, has]) => has(message[field], message));

export const isMalformed = ({ table, previous, kind, message }) =>
  !bytes32(table) || !bytes32(previous) || !fits(SHAPES[kind] ?? {}, message);
