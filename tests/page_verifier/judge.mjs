// Judges logs with the script that a page contains. Reads each log from standard input as u32 length
// and bytes, followed in the same form by the text of its page as JSON (length 0 for no page). Writes
// lines of JSON: {verdict, told, view, wrong, drawn, lines, seconds}. *wrong*: how the page differs
// from the log (a list for a list of pages); *drawn*: what the page draws before it verifies the log,
// up to the entry at which its own text says that the log fails.
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
