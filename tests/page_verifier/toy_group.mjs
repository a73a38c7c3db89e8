// The group of tests/toy_group.py, to be loaded in place of the verifier's group.js: the integers
// modulo L, added. The algebra is that of ristretto255, and everything else of the verifier stays
// as it is, so it judges logs of the toy group entry by entry, a hundred times faster.
import { expand_message_xmd } from "@noble/curves/abstract/hash-to-curve.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { ascii, concat, hex, littleEndian, pieces, range, refuse, u32, u8 } from "./bytes.js";

export const ORDER = ed25519.Point.Fn.ORDER;
export const reduced = (n) => ((n % ORDER) + ORDER) % ORDER;

// The base has the encoding of ristretto255's base, and nothing else encodes the number 1.
const BASE_BYTES = Uint8Array.from(
  "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76".match(/../g), (pair) => parseInt(pair, 16),
);
const isBase = (bytes) => hex(bytes) === hex(BASE_BYTES);

const encoded = (n) => Uint8Array.from(Buffer.from(n.toString(16).padStart(64, "0"), "hex").reverse());

class Element {
  constructor(number) {
    this.number = number;
  }

  get bytes() {
    return (this.encoded ??= this.number === 1n ? BASE_BYTES : encoded(this.number));
  }

  // Signatures are real, and need the base of their own curve.
  get point() {
    if (this !== BASE) throw new Error("only the base has a point");
    return ed25519.Point.BASE;
  }

  plus(other) {
    return new Element((this.number + other.number) % ORDER);
  }

  minus(other) {
    return new Element(reduced(this.number - other.number));
  }

  times(scalar) {
    return new Element(reduced(this.number * scalar));
  }

  prepared() {
    return this;
  }

  forget() {}

  get isIdentity() {
    return this.number === 0n;
  }
}

export const BASE = new Element(1n);
export const IDENTITY = new Element(0n);

export function element(bytes) {
  if (isBase(bytes)) return new Element(1n);
  const n = bytes.length === 32 ? littleEndian(bytes) : 0n;
  return n > 1n && n < ORDER ? new Element(n) : refuse("bad-encoding");
}

export function elements(bytes, count) {
  if (bytes.length !== 32 * count) refuse("bad-length");
  return pieces(bytes, 32).map(element);
}

export function scalars(bytes, count) {
  if (bytes.length !== 32 * count) refuse("bad-length");
  return pieces(bytes, 32).map((piece) => {
    const n = littleEndian(piece);
    return n < ORDER ? n : refuse("bad-encoding");
  });
}

export const pair = (c1, c2) => ({ c1, c2 });
export const pairBytes = ({ c1, c2 }) => concat(c1.bytes, c2.bytes);

export function ciphertexts(bytes, count) {
  if (bytes.length !== 64 * count) refuse("bad-length");
  return pieces(bytes, 64).map((b) => pair(element(b.subarray(0, 32)), element(b.subarray(32))));
}

const hashToGroup = (message, tag) =>
  new Element(littleEndian(expand_message_xmd(message, ascii(tag), 64, sha512)) % ORDER);

const cards = range(52).map((i) => hashToGroup(u8(i), "ginpeer/v1/card"));
const cardsByNumber = new Map(cards.map(({ number }, card) => [number, card]));
const made = range(52).map((i) => hashToGroup(u32(i + 1), "ginpeer/v1/generator"));
const deck = cards.map((m) => pair(IDENTITY, m));

export const cardPoints = () => cards;
export const cardOf = ({ number }) => cardsByNumber.get(number);
export const openDeck = () => deck;
export const generators = (n) => made.slice(0, n);

export class Sum {
  constructor() {
    this.terms = new Map();
  }

  add(scalar, element) {
    this.terms.set(element, (this.terms.get(element) ?? 0n) + scalar);
    return this;
  }

  take(other, weight) {
    for (const [element, scalar] of other.terms) this.add(scalar * weight, element);
    return this;
  }

  get value() {
    let sum = 0n;
    for (const [{ number }, scalar] of this.terms) sum += number * scalar;
    return new Element(reduced(sum));
  }

  get isIdentity() {
    return this.value.isIdentity;
  }
}
