// Sums that must be O, asked together.
//
// A shuffle argument holds if and only if one sum of products is O (PROTOCOL 5.5), and so does
// each step of the audit (6.8). Instead of Σ_1 = O, Σ_2 = O, .. it is asked whether
// z_1·Σ_1 + z_2·Σ_2 + .. = O, with 128 random bits for each z_i, drawn when all sums stand. The
// group has prime order, so if some Σ_i is not O there is, whatever the others are, at most one
// z_i modulo the order with which the whole is O: a wrong sum passes once in 2^128 times. One large
// sum costs a fraction of many small ones. Where it is not O, each is asked by itself, in their
// order, and the first that fails is named: so the verdict is what it would be without a batch.
import { bigEndian, concat } from "./bytes.js";
import { Sum } from "./group.js";

// Products after which it is asked. More are hardly cheaper each, and the page has to breathe.
const ENOUGH = 1500;

// A sum of entry *number* is not O, for which *code* stands.
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

  // *number*: of the entry that is at fault, under *code*, if *sum* is not O.
  expect(number, code, sum) {
    this.waiting.push({ number, code, sum });
    this.terms += sum.terms.size;
    if (this.terms >= ENOUGH) this.settle();
  }

  // Throws the first Fault, if there is one.
  settle() {
    const { waiting } = this;
    this.waiting = [];
    this.terms = 0;
    const total = new Sum();
    for (const { sum } of waiting) total.take(sum, weight());
    if (total.isIdentity) return;
    const wrong = waiting.find(({ sum }) => !sum.isIdentity);
    if (!wrong) throw new Error("sums that hold one by one do not hold together"); // not the log's fault
    throw new Fault(wrong);
  }
}

export function weight() {
  return bigEndian(concat(Uint8Array.of(0), crypto.getRandomValues(new Uint8Array(16))));
}
