// The group ristretto255, ciphertexts, and sums that must be O. (PROTOCOL 4)
//
// An element that `element` has decoded is canonical, in the group and not the identity. Sums are
// computed on the Edwards points that represent the elements. Four or eight points represent the
// same element; it doesn't matter which one is used, because equality and encoding are those of
// ristretto255 (RFC 9496).
import { ed25519, ristretto255, ristretto255_hasher } from "@noble/curves/ed25519.js";
import { pippenger } from "@noble/curves/abstract/curve.js";
import { ascii, concat, littleEndian, pieces, range, refuse, u32, u8, zeros } from "./bytes.js";

const { Point } = ed25519;
export const ORDER = Point.Fn.ORDER;
export const reduced = (n) => ((n % ORDER) + ORDER) % ORDER;

// The library's points. Its types don't expose their Edwards points (ep).
/** @type {any} */
const Ristretto = ristretto255.Point;

export class Element {
  // Takes `point` or `bytes`. The other of the two is computed when it is needed.
  constructor(point, bytes) {
    this.known = point;
    this.encoded = bytes;
  }

  get point() {
    return (this.known ??= Ristretto.fromBytes(this.encoded).ep);
  }

  get bytes() {
    return (this.encoded ??= new Ristretto(this.point).toBytes());
  }

  // Drop the decoded point, which takes ten times the memory of the bytes. Once a hand is over, the
  // bytes suffice.
  forget() {
    if (this.encoded) this.known = undefined;
  }

  plus(other) {
    return new Element(this.point.add(other.point));
  }

  minus(other) {
    return new Element(this.point.subtract(other.point));
  }

  times(scalar) {
    return new Element(this.point.multiplyUnsafe(scalar));
  }

  // Make a table of multiples, for a point that is multiplied often. Making it costs about 30
  // products.
  prepared() {
    const { x, y } = this.point.toAffine();
    this.known = Point.fromAffine({ x, y }).precompute(6);
    return this;
  }

  get isIdentity() {
    return new Ristretto(this.point).equals(Ristretto.ZERO);
  }
}

export const BASE = new Element(Point.BASE);
export const IDENTITY = new Element(Point.ZERO, zeros(32));

// Decode an element (4.1). The caller checks the length, because a wrong length is bad-length in a
// proof but bad-encoding in a key.
export function element(bytes) {
  const read = new Element(undefined, bytes);
  try {
    if (!read.point.is0() && !read.isIdentity) return read;
  } catch {
    // The library gives a reason; the protocol has one code for all.
  }
  return refuse("bad-encoding");
}

export function elements(bytes, count) {
  if (bytes.length !== 32 * count) refuse("bad-length");
  return pieces(bytes, 32).map(element);
}

/** @returns {bigint[]} */
export function scalars(bytes, count) {
  if (bytes.length !== 32 * count) refuse("bad-length");
  return pieces(bytes, 32).map((piece) => {
    const n = littleEndian(piece);
    return n < ORDER ? n : refuse("bad-encoding");
  });
}

// A ciphertext is a pair (c1, c2). (4.3)
export const pair = (c1, c2) => ({ c1, c2 });
export const pairBytes = ({ c1, c2 }) => concat(c1.bytes, c2.bytes);

export function ciphertexts(bytes, count) {
  if (bytes.length !== 64 * count) refuse("bad-length");
  return pieces(bytes, 64).map((b) => pair(element(b.subarray(0, 32)), element(b.subarray(32))));
}

// Hash to the group. (4.2)
const hashToGroup = (message, tag) =>
  new Element(/** @type {any} */ (ristretto255_hasher.hashToCurve(message, { DST: ascii(tag) })).ep);

let cards;
export const cardPoints = () =>
  (cards ??= range(52).map((i) => hashToGroup(u8(i), "ginpeer/v1/card")));

let names;
export function cardOf(point) {
  names ??= new Map(cardPoints().map((m, card) => [m.bytes.join(), card]));
  return names.get(point.bytes.join());
}

export const openDeck = () => cardPoints().map((m) => pair(IDENTITY, m));

// The generators G_1 .. G_n. (4.4)
const made = [];
export function generators(n) {
  while (made.length < n) made.push(hashToGroup(u32(made.length + 1), "ginpeer/v1/generator"));
  return made.slice(0, n);
}

// A sum of products. Callers ask for its value, or only whether it is O. The factors of one
// element are added up: each G_i occurs in all arguments, and a riffle begins with the cards that
// the previous one produced.
export class Sum {
  constructor() {
    this.terms = new Map();
  }

  add(scalar, element) {
    this.terms.set(element, (this.terms.get(element) ?? 0n) + scalar);
    return this;
  }

  // Add the terms of *other*, each times *weight*.
  take(other, weight) {
    for (const [element, scalar] of other.terms) this.add(scalar * weight, element);
    return this;
  }

  get value() {
    const points = [];
    const factors = [];
    for (const [element, scalar] of this.terms) {
      const factor = reduced(scalar);
      if (factor === 0n || element === IDENTITY) continue;
      points.push(element.point);
      factors.push(factor);
    }
    if (!points.length) return IDENTITY;
    if (points.length > 3) return new Element(pippenger(/** @type {any} */ (Point), Point.Fn, points, factors));
    return new Element(points.map((p, i) => p.multiplyUnsafe(factors[i])).reduce((a, b) => a.add(b)));
  }

  get isIdentity() {
    return this.value.isIdentity;
  }
}
