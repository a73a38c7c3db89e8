// Judges logs from the standard input (each u32 length, bytes) with the very file that a page
// carries, and writes the verdicts as lines of JSON: {verdict, lines, seconds}.
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

runInThisContext(readFileSync(process.argv[2], "utf8"));

const input = readFileSync(0);
for (let at = 0; at < input.length; ) {
  const length = input.readUInt32BE(at);
  const log = Uint8Array.from(input.subarray(at + 4, at + 4 + length));
  at += 4 + length;
  const lines = [];
  const began = performance.now();
  const verdict = await ginpeerVerify(log, (line) => lines.push(line));
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(JSON.stringify({ verdict, lines, seconds }) + "\n");
}
