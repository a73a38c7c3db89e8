// Possession and equal logarithms. (PROTOCOL 5.4, 5.6)
//
// The challenge is hashed over t2 and t3, so these have to be computed one by one; no batch of
// such proofs can be asked as one sum.
import { refuse } from "./bytes.js";
import { BASE, scalars, Sum } from "./group.js";

// s·B + c·Y; both have tables, so it is two walks without a doubling.
const answer = (s, c, key) => BASE.times(s).plus(key.times(c));

// The scalars c and s. A message is read whole before any of its proofs is verified. (7.5)
export const readProof = (bytes) => scalars(bytes, 2);

export function checkPossession(transcript, key, [c, s]) {
  transcript.append("key", key.bytes).append("commitment", answer(s, c, key).bytes);
  if (transcript.challenge("possession") !== c) refuse("bad-proof");
}

// One x with Y = x·B and images[i] = x·bases[i].
export function checkEqualLogarithms(transcript, key, bases, images, [c, s]) {
  transcript
    .append("key", key.bytes)
    .append("bases", bases.map((e) => e.bytes))
    .append("images", images.map((e) => e.bytes));
  const weights = bases.length === 1 ? [1n] : bases.map(() => transcript.challenge("weight"));
  // t3 = s·M + c·Z with M = Σ w_i·C_i, Z = Σ w_i·D_i, in one sum.
  const t3 = new Sum();
  weights.forEach((w, i) => t3.add(s * w, bases[i]).add(c * w, images[i]));
  transcript.append("commitments", [answer(s, c, key).bytes, t3.value.bytes]);
  if (transcript.challenge("dleq") !== c) refuse("bad-proof");
}
