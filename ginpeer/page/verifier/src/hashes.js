// Frames, hashes and transcripts. (PROTOCOL 5.1 to 5.3)
import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { ascii, concat, littleEndian, u32, u64, u8 } from "./bytes.js";
import { ORDER } from "./group.js";

export { sha256, sha512 };
export const hmac256 = (key, data) => hmac(sha256, key, data);
export const hmac512 = (key, data) => hmac(sha512, key, data);

// 5.1
export const frame = (label, data) => concat(u8(label.length), ascii(label), u32(data.length), data);
export const opened = (label) => frame("ginpeer/v1", ascii(label));

// 5.2: H("label", ["name", bytes], ..)
export const H = (label, ...fields) =>
  sha256(concat(opened(label), ...fields.map(([name, data]) => frame(name, data))));

// 5.3. The hash runs along with the string that grows; a challenge looks at it and goes on.
export class Transcript {
  constructor(label) {
    this.hash = sha512.create().update(opened(label));
  }

  // Where the entry stands that carries a proof, and who made it.
  static at(purpose, place) {
    return new Transcript(purpose)
      .append("table", place.table)
      .append("sequence", place.sequence)
      .append("previous", place.previous)
      .append("hand", place.hand)
      .append("seat", place.seat);
  }

  // *data*: bytes, a number, or a list of byte strings, which becomes one field.
  append(name, data) {
    if (typeof data === "number") data = u64(data);
    this.hash.update(frame(name, Array.isArray(data) ? concat(...data) : data));
    return this;
  }

  challenge(label) {
    this.append("challenge", ascii(label));
    return littleEndian(this.hash.clone().digest()) % ORDER;
  }
}
