// The shuffle argument of Bayer and Groth, with one row. The letters are those of PROTOCOL 5.5.
// Lists that count from one there count from zero here.
import { BASE, elements, generators, ORDER, pairBytes, reduced, scalars, Sum } from "./group.js";
import { concat, range, refuse } from "./bytes.js";

// Read the argument for n cards. Return its elements, its scalars, and the scalars' bytes.
export function readArgument(bytes, n) {
  if (bytes.length !== 32 * (3 * n + 10)) refuse("bad-length");
  const answers = bytes.subarray(32 * 8);
  return { commitments: elements(bytes.subarray(0, 32 * 8), 8), read: scalars(answers, 3 * n + 2), answers };
}

// Return the sum (1) + u·(2) + v·(3) + s·(4) + t·(5), each line as left minus right. The argument
// holds if and only if it is O, which is checked later, together with other sums (batch.js).
/**
 * @param {import("./hashes.js").Transcript} transcript
 * @param {{commitments: any[], read: bigint[], answers: Uint8Array}} argument
 */
export function shuffleSum(transcript, key, before, after, argument) {
  const { commitments, read, answers } = argument;
  const n = before.length;
  const [cA, cB, cd, cδ, cΔ, cA0, E1, E2] = commitments;
  const ã = read.slice(0, n);
  const b̃ = [ã[0], ...read.slice(n, 2 * n - 2), 0n];
  const [r̃, s̃] = read.slice(2 * n - 2, 2 * n);
  const a = read.slice(2 * n, 3 * n);
  const [r, τ] = read.slice(3 * n);

  transcript
    .append("n", n)
    .append("key", key.bytes)
    .append("before", before.map(pairBytes))
    .append("after", after.map(pairBytes))
    .append("c_A", cA.bytes);
  const x = transcript.challenge("x");
  transcript.append("c_B", cB.bytes);
  const y = transcript.challenge("y");
  const z = transcript.challenge("z");
  transcript.append("commitments", concat(...[cd, cδ, cΔ, cA0, E1, E2].map((c) => c.bytes)));
  const e = transcript.challenge("e");
  transcript.append("answers", answers);
  const [u, v, s, t] = range(4).map(() => transcript.challenge("weight"));

  const powers = [x]; // x^1 .. x^n
  while (powers.length < n) powers.push((powers.at(-1) * x) % ORDER);
  const P = powers.reduce((product, power, i) => (product * reduced(y * BigInt(i + 1) + power - z)) % ORDER, 1n);
  b̃[n - 1] = (e * P) % ORDER;

  const G = generators(n);
  const sum = new Sum();
  for (const i of range(n)) {
    // (1), with c_a = y·c_A + c_B - z·ΣG_i; (2), which has one term less; (3)
    let ofG = ã[i] + e * z + v * a[i];
    if (i < n - 1) ofG += u * reduced(e * b̃[i + 1] - b̃[i] * ã[i + 1]);
    sum.add(reduced(ofG), G[i]);
    // (4) and (5)
    sum.add(s * a[i], after[i].c1).add(-s * ((e * powers[i]) % ORDER), before[i].c1);
    sum.add(t * a[i], after[i].c2).add(-t * ((e * powers[i]) % ORDER), before[i].c2);
  }
  return sum
    .add(r̃ + u * s̃ + v * r + s * τ, BASE)
    .add(t * τ, key)
    .add(-e * y, cA)
    .add(-e - v * e, cB)
    .add(-1n, cd)
    .add(-u * e, cΔ)
    .add(-u, cδ)
    .add(-v, cA0)
    .add(-s, E1)
    .add(-t, E2);
}
