// Admits entries one by one: finds the author of each, and checks that it is the next. See PROTOCOL 2
// and 7.1; numbers in the comments are the checks of 7.1.
import { Batch } from "./batch.js";
import { equal, hex, Refusal, refuse as classB, zeros } from "./bytes.js";
import { H } from "./hashes.js";
import { isMalformed } from "./shapes.js";
import { Match } from "./match.js";
import { decodeBody, offeredVersion } from "./protobuf.js";
import { signedBy, usableKey } from "./signature.js";
import { Replay } from "./replay.js";

const HOST = 0;
const GUEST = 1;
const ZEROS = zeros(32);

const classA = (code) => {
  throw new Refusal(code, false);
};

// Return what the evidence says about a signed entry.
const signedEntry = (kind, hash) => ({ kind, says: kind && kind.replaceAll("_", " "), hash: hex(hash) });

export class Referee {
  // *fault*: {number, code} of an entry whose sum isn't O, if an earlier reading found one. Then no
  // sums are checked.
  constructor(listener, fault = null) {
    this.fault = fault;
    this.entries = []; // {hash, author, kind}
    this.keys = [null, null]; // as usableKey returns them
    this.table = null;
    this.batch = new Batch();
    this.match = new Match({
      ...listener,
      expect: (code, sum) => fault || this.batch.expect(this.entries.length, code, sum),
    });
    this.accused = null;
    this.story = new Replay();
  }

  // Admit the entry, or throw a Refusal. Throws the Fault of an earlier entry if one of its sums,
  // which may be checked only now, isn't O.
  async admit(bytes) {
    const number = this.entries.length;
    this.accused = null;
    if (bytes.length <= 64 || bytes.length > 65600) classA("not-an-entry"); // 1
    const body = bytes.subarray(0, -64);
    const signature = bytes.subarray(-64);
    const hash = H("entry-hash", ["entry", bytes]);
    const { author, key, read } = this.whose(number, body, signature); // 2
    const known = this.match.players[author];
    this.accused = { author, key, name: known?.name, place: number, signed: signedEntry(null, hash), admitted: null };
    const entry = read ?? wellFormed(body, classB); // 3
    const { kind, message, sequence, previous } = entry;
    Object.assign(this.accused, { place: sequence, signed: signedEntry(kind, hash) });
    if (!known) this.accused.name = message.name;

    if (this.table && !equal(entry.table, this.table)) classA("wrong-table"); // 4
    if (sequence > number) classA("wrong-sequence"); // 5
    const taken = this.entries[sequence];
    if (taken) this.accused.admitted = signedEntry(taken.kind, taken.hash);
    if (taken && equal(taken.hash, hash)) classA("duplicate");
    const history = sequence === 0 ? ZEROS : this.entries[sequence - 1].hash; // 6
    if (!equal(previous, history)) (sequence === 0 ? classB : classA)("wrong-previous");
    if (taken) {
      if (author === GUEST && kind === "offer") classA("wrong-table");
      if (author === GUEST && kind === "accept" && sequence === 1) classA("duplicate");
      classB(taken.author === author ? "fork" : "out-of-turn");
    }
    if (this.match.owes === null) classB("after-the-end");
    if (this.match.owes !== author) classB("out-of-turn");
    if (!this.match.allows(kind)) classB("not-allowed-now"); // 7
    if (this.fault?.number === number) classB(this.fault.code);
    const before = this.story.before(this.match);
    await this.match.apply(author, kind, message, { table: entry.table, sequence, previous }); // 8, 9
    this.story.add(before, this.match, { entry: number, seat: author, kind, message });

    this.table ??= entry.table;
    this.keys[author] ??= key;
    this.entries.push({ hash, author, kind });
    this.accused = null;
  }

  // Return who signed the entry: {author, key}. For the first entry of a player, also return
  // *read*, the decoded body.
  whose(number, body, signature) {
    const { owes } = this.match;
    const order = owes === GUEST ? [GUEST, HOST] : [HOST, GUEST];
    for (const author of order) {
      const key = this.keys[author];
      if (key && signedBy(key, body, signature)) return { author, key };
    }
    if (number > 1) classA(owes === null ? "after-the-end" : "bad-signature");
    if (number === 0 && (offeredVersion(body) ?? 0n) > 1n) throw new Refusal("too-new", false);
    const read = wellFormed(body, classA);
    if (read.kind !== "offer" && read.kind !== "accept") classA("bad-signature");
    const key = usableKey(read.message.key) ?? classA("bad-public-key");
    if (!signedBy(key, body, signature)) classA("bad-signature");
    return { author: number, key, read };
  }
}

function wellFormed(body, refuse) {
  let read;
  try {
    read = decodeBody(body);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return refuse(refusal.code);
  }
  return isMalformed(read) ? refuse("malformed") : read;
}
