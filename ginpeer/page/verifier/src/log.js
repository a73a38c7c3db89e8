// Splits a log file into records, and judges it. (PROTOCOL 2.7, 7.2)
import { Fault } from "./batch.js";
import { readU32, Refusal } from "./bytes.js";
import { Referee } from "./entries.js";
import { seemsKind } from "./protobuf.js";
import { describe } from "./verdict.js";

const MAGIC = "ginlog1\n";
const LONGEST_RECORD = 131072;
const LARGEST_FILE = 64 * 2 ** 20;
const MOST_ENTRIES = 131072;
const CANNOT_BE_READ = ["too-new", "rules-unsupported"];

// Yield each record as bytes and, at last, how the file ends: {end: code or null, isWhole}. The
// code is about the whole file if *isWhole*, otherwise about the place of the next entry.
export function* records(bytes) {
  const begins = String.fromCharCode(...bytes.subarray(0, 8));
  if (!bytes.length) return yield { end: "empty-log", isWhole: true };
  if (bytes.length > LARGEST_FILE) return yield { end: "log-too-large", isWhole: true };
  if (/^ginlog[2-9]\n$/.test(begins)) return yield { end: "too-new", isWhole: true };
  if (!MAGIC.startsWith(begins)) return yield { end: "not-a-log", isWhole: true };
  if (bytes.length < 8) return yield { end: "torn" };
  let count = 0;
  for (let at = 8; at < bytes.length; ) {
    if (bytes.length - at < 4) return yield { end: "torn" };
    const length = readU32(bytes, at);
    if (!length && bytes.subarray(at).every((byte) => !byte)) return yield { end: "torn" };
    if (length < 1 || length > LONGEST_RECORD) return yield { end: "bad-record" };
    if (count++ === MOST_ENTRIES) return yield { end: "log-too-large" };
    if (length > bytes.length - at - 4) return yield { end: "torn" };
    yield { record: bytes.subarray(at + 4, at + 4 + length) };
    at += 4 + length;
  }
  return yield { end: null };
}

// Return how many hands the log claims to have, so that the page can show progress.
function handsClaimed(bytes) {
  let hands = 0;
  for (const { record } of records(bytes)) {
    if (record && record.length > 64 && seemsKind(record.subarray(0, -64)) === "deal_commit") hands += 1;
  }
  return hands;
}

// Return {verdict, told, match}: the verdict as a document, and what happened. *onLine*: called
// with a line for each hand that is valid. *breathe*: awaited between entries.
export async function judge(bytes, onLine, breathe) {
  const [referee, finding] = await settled(bytes, onLine, breathe);
  const { match, story } = referee;
  return { verdict: describe(referee, finding), told: story.told(match), match };
}

/** @returns {Promise<any[]>} */
async function settled(bytes, onLine, breathe) {
  const hands = handsClaimed(bytes);
  try {
    return await run(bytes, (line) => onLine({ ...line, hands }), breathe, null);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    // A batch with sums of several entries showed that the sum of an earlier entry isn't O. Read
    // the log again up to that entry, to report the score at that point.
    return run(bytes, () => {}, breathe, fault);
  }
}

// Return the referee and its finding, or throw the Fault of a sum that isn't O. If *fault* is
// given, no sums are checked.
async function run(bytes, onLine, breathe, fault) {
  let lines = []; // reported once all earlier sums are found to be O
  const say = (hand, text) => lines.push({ hand, text, entries: referee.entries.length + 1 });
  const listener = {
    breathe,
    handOver: ({ number, moves, deck: { counts } }) => {
      const { shuffles, proofs } = counts;
      say(number, `Hand ${number}: ${shuffles} shuffles, ${proofs} proofs, ${moves} moves: all valid`);
    },
    audited: (number, seat) => {
      const who = seat === 0 ? "host" : "guest";
      say(number, `Hand ${number}: everything the ${who} dealt and shuffled matches the disclosed seed`);
    },
  };
  const referee = new Referee(listener, fault);
  for (const { record, end, isWhole } of records(bytes)) {
    let refusal = null;
    if (record) {
      try {
        await referee.admit(record);
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        refusal = thrown;
      }
    }
    if (!record || refusal || lines.length) {
      referee.batch.settle();
      lines.forEach(onLine);
      lines = [];
    }
    if (!record) return [referee, endOf(referee, end, isWhole)];
    if (refusal) return [referee, findingOf(referee, refusal)];
    await breathe();
  }
}

// Return the finding on a log whose entries are all valid. (7.2)
function endOf(referee, end, isWhole) {
  const isOver = referee.match.owes === null;
  if (end === null) return isOver ? { verdict: "valid", code: "valid" } : { verdict: "incomplete", code: "incomplete" };
  const failing = referee.entries.length;
  if (end === "torn") return { verdict: isOver ? "forged" : "incomplete", code: end, failing };
  return { verdict: "unreadable", code: end, failing: isWhole ? null : failing };
}

function findingOf(referee, { code, blames }) {
  const failing = referee.entries.length;
  if (blames) return { verdict: "illegal", code, failing, accused: referee.accused };
  return { verdict: CANNOT_BE_READ.includes(code) ? "unreadable" : "forged", code, failing };
}
