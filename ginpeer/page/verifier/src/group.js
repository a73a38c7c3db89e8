// The group ristretto255, ciphertexts, and sums that are asked whether they are O. (PROTOCOL 4)
//
// An Element in hand is decoded: canonical, in the group, not the identity. Sums are computed on
// the Edwards points that stand for the elements; which of the four or eight points that is does
// not matter, for equality and encoding are ristretto255's (RFC 9496).
import { ed25519, ristretto255, ristretto255_hasher } from "@noble/curves/ed25519.js";
import { pippenger } from "@noble/curves/abstract/curve.js";
import { ascii, concat, littleEndian, pieces, range, refuse, u32, u8, zeros } from "./bytes.js";

const { Point } = ed25519;
const Ristretto = ristretto255.Point;

export const ORDER = Point.Fn.ORDER;
export const reduced = (n) => ((n % ORDER) + ORDER) % ORDER;

export class Element {
  // `point` or `bytes`: the other of the two is computed when it is asked for.
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

  // A decoded element takes ten times the room of its bytes; of hands that are over they suffice.
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

  // The point that is multiplied often: a table of its multiples (once some 30 products).
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

// 4.1. Length is asked by whoever knows it: of a proof it is bad-length, of a key bad-encoding.
export function element(bytes) {
  const read = new Element(undefined, bytes);
  try {
    if (!read.point.is0() && !read.isIdentity) return read;
  } catch {
    // The library says why; here it is one code.
  }
  return refuse("bad-encoding");
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

// 4.3. A pair (c1, c2).
export const pair = (c1, c2) => ({ c1, c2 });
export const pairBytes = ({ c1, c2 }) => concat(c1.bytes, c2.bytes);

export function ciphertexts(bytes, count) {
  if (bytes.length !== 64 * count) refuse("bad-length");
  return pieces(bytes, 64).map((b) => pair(element(b.subarray(0, 32)), element(b.subarray(32))));
}

// 4.2
const hashToGroup = (message, tag) =>
  new Element(ristretto255_hasher.hashToCurve(message, { DST: ascii(tag) }).ep);

let cards;
export const cardPoints = () =>
  (cards ??= range(52).map((i) => hashToGroup(u8(i), "ginpeer/v1/card")));

let names;
export function cardOf(point) {
  names ??= new Map(cardPoints().map((m, card) => [m.bytes.join(), card]));
  return names.get(point.bytes.join());
}

export const openDeck = () => cardPoints().map((m) => pair(IDENTITY, m));

// 4.4. G_1 .. G_n.
const made = [];
export function generators(n) {
  while (made.length < n) made.push(hashToGroup(u32(made.length + 1), "ginpeer/v1/generator"));
  return made.slice(0, n);
}

// A sum of products, of which it is asked only whether it is O, or what it is. What is added
// for one element comes together: G_i stands in all arguments, and the cards that one riffle
// leaves are those that the next one begins with.
export class Sum {
  constructor() {
    this.terms = new Map();
  }

  add(scalar, element) {
    this.terms.set(element, (this.terms.get(element) ?? 0n) + scalar);
    return this;
  }

  // Takes the terms of *other*, each times *weight*.
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
    if (points.length > 3) return new Element(pippenger(Point, Point.Fn, points, factors));
    return new Element(points.map((p, i) => p.multiplyUnsafe(factors[i])).reduce((a, b) => a.add(b)));
  }

  get isIdentity() {
    return this.value.isIdentity;
  }
}
