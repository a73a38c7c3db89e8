// Checks the sources of the page's verifier with published vectors and those of PROTOCOL's
// appendix A. Prints a line for each wrong result, and then the number of vectors.
import { readFileSync } from "node:fs";
import { equal, hex, pieces, range } from "../../ginpeer/page/verifier/src/bytes.js";
import { BASE, cardPoints, element, elements, generators, IDENTITY, pair, Sum } from "../../ginpeer/page/verifier/src/group.js";
import { Transcript } from "../../ginpeer/page/verifier/src/hashes.js";
import { checkEqualLogarithms, checkPossession, readProof } from "../../ginpeer/page/verifier/src/proofs.js";
import * as secrets from "../../ginpeer/page/verifier/src/secrets.js";
import { readArgument, shuffleSum } from "../../ginpeer/page/verifier/src/shuffle.js";
import { holds, usableKey } from "../../ginpeer/page/verifier/src/signature.js";
import { rankOf, suitOf } from "../../ginpeer/page/verifier/src/melds.js";

const folder = new URL("../vectors/", import.meta.url);
const vectors = (name) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

let asked = 0;
function expect(what, is, should) {
  asked += 1;
  if (is !== should) console.log(`${what}: ${is}, and should be ${should}`);
}
function outcome(ask) {
  try {
    return ask() ?? "ok";
  } catch (refusal) {
    return refusal.code ?? refusal.stack;
  }
}

// Ed25519: "accept", or the first check that fails.
for (const { comment, message, pub_key, signature, expect: verdict } of vectors("crypto/ed25519-speccheck.json").cases) {
  const key = usableKey(bytes(pub_key));
  expect(`Ed25519, ${comment}`, Boolean(key) && holds(key, bytes(message), bytes(signature)), verdict === "accept");
}

const { cards, generators: some = {} } = vectors("protocol/points.json");
cardPoints().forEach((m, i) => expect(`card ${i}`, hex(m.bytes), cards[i]));
for (const [i, point] of Object.entries(some)) expect(`G_${i}`, hex(generators(+i).at(-1).bytes), point);

const ristretto = vectors("crypto/rfc9496-ristretto255.json");
ristretto.multiples_of_the_base.forEach((text, i) => {
  if (i) expect(`${i}·B`, hex(BASE.times(BigInt(i)).bytes), text);
  expect(`reading ${i}·B`, outcome(() => void element(bytes(text))), i ? "ok" : "bad-encoding");
});
for (const { why, encoding } of ristretto.invalid_encodings) {
  expect(`${why}, ${encoding}`, outcome(() => void element(bytes(encoding))), "bad-encoding");
}

for (const { kind, purpose, context, key, bases, images, before, after, proof, expect: verdict } of vectors("protocol/proofs.json").statements) {
  const place = { ...context, table: bytes(context.table), previous: bytes(context.previous) };
  const transcript = () => Transcript.at(purpose, place);
  const list = (text) => elements(bytes(text), text.length / 64);
  const half = (b) => (b.some(Boolean) ? element(b) : IDENTITY); // of an open deck
  const pairs = (text) => pieces(bytes(text), 64).map((b) => pair(half(b.slice(0, 32)), half(b.slice(32))));
  const ask = {
    possession: () => checkPossession(transcript(), element(bytes(key)), readProof(bytes(proof))),
    dleq: () => checkEqualLogarithms(transcript(), element(bytes(key)), list(bases), list(images), readProof(bytes(proof))),
    shuffle: () => {
      const sum = shuffleSum(transcript(), element(bytes(key)), pairs(before), pairs(after), readArgument(bytes(proof), pairs(before).length));
      return sum.isIdentity ? "ok" : "bad-proof";
    },
  }[kind];
  expect(`a ${kind}`, outcome(ask), verdict);
}

const made = vectors("protocol/expansion.json");
const seed = bytes(made.seed);
const { table, hand, seat, is } = made.commitment;
expect("commitment", hex(secrets.seedCommitment(bytes(table), hand, seat, seed)), is);
expect("public key", hex(secrets.handKey(seed).key.bytes), made["public key"]);

for (const { table: at, host, guest, commitment, cards: cut } of vectors("protocol/cut.json").cuts) {
  const order = (card) => 4 * rankOf(card) + suitOf(card);
  expect("cut", secrets.lowerCut(bytes(at), bytes(host), bytes(guest)), order(cut[0]) < order(cut[1]) ? 0 : 1);
  expect("cut commitment", hex(secrets.cutCommitment(bytes(at), bytes(host))), commitment);
}
for (const toss of vectors("protocol/toss.json").tosses) {
  const halves = ["dealer's seed", "other's seed"].map((whose) => secrets.tossHalf(bytes(toss[whose])));
  expect("half", hex(halves[0]), toss["dealer's half"]);
  expect("knock card", secrets.knockCard(bytes(toss.table), toss.hand, ...halves), toss.card);
}

// The sum of many terms equals the sum of adding one at a time.
const many = new Sum();
range(40).forEach((i) => many.add(BigInt(i) - 20n, cardPoints()[i]).add(BigInt(i), cardPoints()[i]));
const slowly = range(40).map((i) => [2 * i - 20, cardPoints()[i]]).filter(([n]) => n);
const added = slowly.map(([n, m]) => (n > 0 ? m.times(BigInt(n)) : BASE.minus(BASE).minus(m.times(BigInt(-n)))));
expect("a sum", equal(many.value.bytes, added.reduce((a, b) => a.plus(b)).bytes), true);

console.log(`${asked} asked`);
