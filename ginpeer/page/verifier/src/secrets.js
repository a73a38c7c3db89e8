// Derives values from halves and seeds: the cut, the toss, commitments, keys and shuffles.
// (PROTOCOL 6.1, 6.2, 6.9)
import { ascii, bigEndian, concat, littleEndian, range, u64, u8, zeros } from "./bytes.js";
import { frame, H, hmac256, hmac512, opened, sha512 } from "./hashes.js";
import { BASE, ORDER, pairBytes } from "./group.js";
import { rankOf, suitOf } from "./melds.js";

export const cutCommitment = (table, value) => H("cut", ["table", table], ["value", value]);

// Return the cards that the host and the guest cut.
export function cutCards(table, host, guest) {
  const X = sha512(concat(opened("cut-cards"), frame("table", table), frame("host", host), frame("guest", guest)));
  const hosts = Number(bigEndian(X.slice(0, 32)) % 52n);
  let guests = Number(bigEndian(X.slice(32)) % 51n);
  if (guests >= hosts) guests += 1;
  return [hosts, guests];
}

// Return the seat that deals the first hand.
export function lowerCut(table, host, guest) {
  const [hosts, guests] = cutCards(table, host, guest).map((card) => rankOf(card) * 4 + suitOf(card));
  return hosts < guests ? 0 : 1;
}

export const seedCommitment = (table, hand, seat, seed) =>
  H("hand-seed", ["table", table], ["hand", u64(hand)], ["seat", u8(seat)], ["seed", seed]);

export const tossCommitment = (table, hand, value) =>
  H("knock-card", ["table", table], ["hand", u64(hand)], ["value", value]);

export const tossHalf = (seed) => hmac256(seed, frame("knock-card", zeros(0)));

export function knockCard(table, hand, dealers, others) {
  const parts = [frame("table", table), frame("hand", u64(hand)), frame("dealer", dealers), frame("other", others)];
  return Number(bigEndian(sha512(concat(opened("knock-card-toss"), ...parts))) % 52n);
}

const expand = (seed, label, i) => littleEndian(hmac512(seed, frame(label, u64(i))));

// Return the secret x of a hand, and Y = x·B.
export function handKey(seed) {
  const x = expand(seed, "key", 0) % ORDER;
  return { x, key: BASE.times(x) };
}

// Return the permutation and the blindings with which the owner of *seed* shuffles *before* under
// *key*.
export function shuffleOf(seed, label, key, before) {
  const S = hmac256(seed, frame(label, concat(key.bytes, ...before.map(pairBytes))));
  const permutation = range(before.length);
  for (let i = before.length - 1; i >= 1; i--) {
    const j = Number(expand(S, "permutation", i) % BigInt(i + 1));
    [permutation[i], permutation[j]] = [permutation[j], permutation[i]];
  }
  return { permutation, blindings: before.map((_, i) => expand(S, "blinding", i) % ORDER) };
}

// Return the first 100 bits of a hash, in base32. (3.6)
export function fingerprint(hash) {
  const bits = [...hash.slice(0, 13)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const letters = range(20).map((i) => "abcdefghijklmnopqrstuvwxyz234567"[parseInt(bits.slice(5 * i, 5 * i + 5), 2)]);
  return letters.join("").match(/.{5}/g).join("-");
}
export const fingerprintInput = (key) => concat(ascii("ginpeer/v1 fingerprint"), key);
