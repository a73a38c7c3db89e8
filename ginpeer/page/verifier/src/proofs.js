// Verifies proofs of possession and of equal logarithms. (PROTOCOL 5.4, 5.6)
//
// The challenge is a hash over t2 and t3, so each of them must be computed. A batch of such proofs
// can't be verified as one sum.
import { refuse } from "./bytes.js";
import { BASE, scalars, Sum } from "./group.js";

// Return s·B + c·Y. Both points have tables, so this takes two passes without doublings.
const answer = (s, c, key) => BASE.times(s).plus(key.times(c));

// Return the scalars c and s. A message is read completely before any of its proofs is verified.
// (7.5)
export const readProof = (bytes) => scalars(bytes, 2);

export function checkPossession(transcript, key, [c, s]) {
  transcript.append("key", key.bytes).append("commitment", answer(s, c, key).bytes);
  if (transcript.challenge("possession") !== c) refuse("bad-proof");
}

// Verify that there is one x with Y = x·B and images[i] = x·bases[i].
export function checkEqualLogarithms(transcript, key, bases, images, [c, s]) {
  transcript
    .append("key", key.bytes)
    .append("bases", bases.map((e) => e.bytes))
    .append("images", images.map((e) => e.bytes));
  const weights = bases.length === 1 ? [1n] : bases.map(() => transcript.challenge("weight"));
  // Compute t3 = s·M + c·Z, with M = Σ w_i·C_i and Z = Σ w_i·D_i, as one sum.
  const t3 = new Sum();
  weights.forEach((w, i) => t3.add(s * w, bases[i]).add(c * w, images[i]));
  transcript.append("commitments", [answer(s, c, key).bytes, t3.value.bytes]);
  if (transcript.challenge("dleq") !== c) refuse("bad-proof");
}
