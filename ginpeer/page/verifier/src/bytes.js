// Byte strings, and numbers encoded in them. (PROTOCOL, conventions)

export class Refusal extends Error {
  // The reason why an entry or the file is refused: a code of PROTOCOL 11. `blames`: the fault is
  // in class B of 7.1.
  constructor(code, blames = true) {
    super(code);
    this.code = code;
    this.blames = blames;
  }
}

export const refuse = (code) => {
  throw new Refusal(code);
};

export const ascii = (text) => new TextEncoder().encode(text);

export function concat(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const equal = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

export const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

// Encode a number below 2^53 in 1, 4 or 8 bytes, big-endian.
export const u8 = (n) => Uint8Array.of(n);
export const u32 = (n) => Uint8Array.of(n >>> 24, n >>> 16, n >>> 8, n);
export const u64 = (n) => concat(u32(Math.floor(n / 2 ** 32)), u32(n % 2 ** 32));

export const readU32 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0;

export const bigEndian = (bytes) => BigInt("0x" + hex(bytes));
export const littleEndian = (bytes) => bigEndian(bytes.slice().reverse());
export const zeros = (n) => new Uint8Array(n);

export const range = (n) => Array.from({ length: n }, (_, i) => i);

// Return the pieces of `size` bytes, without copying them.
export const pieces = (bytes, size) =>
  range(bytes.length / size).map((i) => bytes.subarray(i * size, (i + 1) * size));
