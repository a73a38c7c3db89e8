// Frames, hashes and transcripts. (PROTOCOL 5.1 to 5.3)
import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { ascii, concat, littleEndian, u32, u64, u8 } from "./bytes.js";
import { ORDER } from "./group.js";

export { sha256, sha512 };
export const hmac256 = (key, data) => hmac(sha256, key, data);
export const hmac512 = (key, data) => hmac(sha512, key, data);

// Frame data with its label and length. (5.1)
export const frame = (label, data) => concat(u8(label.length), ascii(label), u32(data.length), data);
export const opened = (label) => frame("ginpeer/v1", ascii(label));

// Hash labelled fields: H("label", ["name", bytes], ..). (5.2)
export const H = (label, ...fields) =>
  sha256(concat(opened(label), ...fields.map(([name, data]) => frame(name, data))));

// A transcript (5.3). Only the hash of the growing string is kept. A challenge reads the hash
// without closing it.
export class Transcript {
  constructor(label) {
    this.hash = sha512.create().update(opened(label));
  }

  // Return a transcript that begins with the place of the entry that contains the proof, and with
  // its author's seat.
  static at(purpose, place) {
    return new Transcript(purpose)
      .append("table", place.table)
      .append("sequence", place.sequence)
      .append("previous", place.previous)
      .append("hand", place.hand)
      .append("seat", place.seat);
  }

  // *data*: bytes, a number, or a list of byte strings, which are joined into one field.
  append(name, data) {
    if (typeof data === "number") data = u64(data);
    this.hash.update(frame(name, Array.isArray(data) ? concat(...data) : data));
    return this;
  }

  /** @returns {bigint} */
  challenge(label) {
    this.append("challenge", ascii(label));
    return littleEndian(this.hash.clone().digest()) % ORDER;
  }
}
