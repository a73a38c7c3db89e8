// Ed25519 as PROTOCOL 2.6 defines it. Numbers in the comments are those of its list.
//
// The library's own verify() differs: with or without its option zip215, it multiplies by the
// cofactor, and it reads unusual encodings differently. Here encodings are compared. For the same
// reason signatures are not verified in batches: parts of small order could cancel out.
import { ed25519 } from "@noble/curves/ed25519.js";
import { concat, equal, littleEndian } from "./bytes.js";
import { opened, sha512 } from "./hashes.js";
import { BASE, ORDER } from "./group.js";

const { Point } = ed25519;
const P = 2n ** 255n - 19n;
const PREFIX = opened("entry"); // 2.4

// The y of every point of small order, whatever its sign bit: of (0, 1), of (0, -1), of the two
// points of order 4, and of the four of order 8. The last is the y of such a point on the curve of
// RFC 8032.
const Y_OF_ORDER_8 = Point.fromHex(
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
).toAffine().y;
const SMALL_ORDER = new Set([0n, 1n, P - 1n, Y_OF_ORDER_8, P - Y_OF_ORDER_8]);

// Checks 2 and 3 on A, and 5 and 6 on R. A point with x = 0 has y = 1 or -1, so it is of small
// order anyway.
function plausible(encoding) {
  const y = littleEndian(encoding) & (2n ** 255n - 1n);
  return y < P && !SMALL_ORDER.has(y);
}

// Return the key ready for use, or null. Checks 1 to 3, and that A is on the curve.
export function usableKey(bytes) {
  if (bytes.length !== 32 || !plausible(bytes)) return null;
  try {
    const { x, y } = Point.fromBytes(bytes).negate().toAffine();
    return { bytes, minusA: Point.fromAffine({ x, y }).precompute(6) };
  } catch {
    return null;
  }
}

// Return whether the owner of *key* signed the entry with this body. (2.4)
export const signedBy = (key, body, signature) => holds(key, concat(PREFIX, body), signature);

export function holds(key, message, signature) {
  const R = signature.subarray(0, 32);
  const S = littleEndian(signature.subarray(32));
  if (signature.length !== 64 || S >= ORDER || !plausible(R)) return false; // checks 1, 4 to 6
  const k = littleEndian(sha512(concat(R, key.bytes, message))) % ORDER;
  const right = BASE.point.multiplyUnsafe(S).add(key.minusA.multiplyUnsafe(k)); // check 7
  return equal(right.toBytes(), R);
}
