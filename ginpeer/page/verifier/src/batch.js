// Checks in batches that sums are O.
//
// A shuffle argument holds if and only if one sum of products is O (PROTOCOL 5.5). So does each
// step of the audit (6.8). Instead of Σ_1 = O, Σ_2 = O, .., a batch checks that
// z_1·Σ_1 + z_2·Σ_2 + .. = O, with 128 random bits for each z_i, drawn when all sums are complete.
// The group has prime order. So if some Σ_i isn't O, at most one z_i modulo the order makes the
// large sum O, whatever the other sums are: a wrong sum passes once in 2^128 times.
//
// One large sum costs a fraction of many small ones. If it isn't O, each sum is checked by itself,
// in order, and the first that fails is reported. So the verdict is the same as without a batch.
import { bigEndian, concat } from "./bytes.js";
import { Sum } from "./group.js";

// The number of products after which a batch is checked. A larger batch hardly costs less per
// product, and the page must stay responsive.
const ENOUGH = 1500;

// A sum of entry *number* isn't O, so the entry is refused with *code*.
export class Fault extends Error {
  constructor({ number, code }) {
    super(code);
    this.number = number;
    this.code = code;
  }
}

export class Batch {
  constructor() {
    this.waiting = [];
    this.terms = 0;
  }

  // Add a sum to the batch. If it isn't O, entry *number* is at fault, with *code*.
  expect(number, code, sum) {
    this.waiting.push({ number, code, sum });
    this.terms += sum.terms.size;
    if (this.terms >= ENOUGH) this.settle();
  }

  // Check the sums of the batch. Throws the first Fault, if there is one.
  settle() {
    const { waiting } = this;
    this.waiting = [];
    this.terms = 0;
    const total = new Sum();
    for (const { sum } of waiting) total.take(sum, weight());
    if (total.isIdentity) return;
    const wrong = waiting.find(({ sum }) => !sum.isIdentity);
    if (!wrong) throw new Error("sums that hold one by one do not hold together"); // a bug, not the log's fault
    throw new Fault(wrong);
  }
}

export function weight() {
  return bigEndian(concat(Uint8Array.of(0), crypto.getRandomValues(new Uint8Array(16))));
}
