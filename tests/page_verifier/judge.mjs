// Judges logs from the standard input (each u32 length, bytes; then the same of a page as JSON, of
// length 0 for none) with the very file that a page carries, and writes what it finds as lines of
// JSON: {verdict, told, view, wrong, drawn, lines, seconds}. *wrong*: what differs in the page;
// for a list of pages a list; *drawn*: what the page draws before it is judged, as far as the page says that the log holds.
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
  const text = next();
  const given = text.length ? JSON.parse(text) : null;
  const page = Array.isArray(given) ? given[0] : given;
  const names = page?.names ?? ["Ada", "Ben"];
  const lines = [];
  const began = performance.now();
  const found = await ginpeer.judged(log, names, (line) => lines.push(line));
  const seconds = (performance.now() - began) / 1000;
  const wrong = given === page ? page && ginpeer.compare(page, found) : given.map((each) => ginpeer.compare(each, found));
  const drawn = page && ginpeer.viewOf(await ginpeer.read(log, page.entries), names);
  process.stdout.write(JSON.stringify({ ...found, wrong, drawn, lines, seconds }) + "\n");
}
