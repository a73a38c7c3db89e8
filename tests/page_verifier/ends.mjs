// Counts the records of files with the sources of the page's verifier, and says how each file ends.
// Reads files from standard input, each as u32 length and bytes; writes a line of JSON for each.
import { readFileSync } from "node:fs";
import { records } from "../../ginpeer/page/verifier/src/log.js";

const input = readFileSync(0);
for (let at = 0; at < input.length; ) {
  const length = input.readUInt32BE(at);
  let count = 0;
  for (const { record, end } of records(Uint8Array.from(input.subarray(at + 4, at + 4 + length)))) {
    if (record) count += 1;
    else console.log(JSON.stringify([count, end]));
  }
  at += 4 + length;
}
