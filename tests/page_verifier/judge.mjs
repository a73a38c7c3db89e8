// Judges logs from the standard input (each u32 length, bytes; then the same of a page as JSON, of
// length 0 for none) with the very file that a page carries, and writes what it finds as lines of
// JSON: {verdict, told, compared, lines, seconds}.
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

runInThisContext(readFileSync(process.argv[2], "utf8"));

const input = readFileSync(0);
let at = 0;
function next() {
  const length = input.readUInt32BE(at);
  at += 4 + length;
  return input.subarray(at - length, at);
}
while (at < input.length) {
  const log = Uint8Array.from(next());
  const page = next();
  const lines = [];
  const began = performance.now();
  const found = await ginpeerVerify(log, (line) => lines.push(line), page.length ? JSON.parse(page) : null);
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(JSON.stringify({ ...found, lines, seconds }) + "\n");
}
