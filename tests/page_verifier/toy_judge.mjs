// Judges logs of the toy group with the sources of the page's verifier; only its group.js is
// replaced, by toy_group.mjs. Reads and writes as judge.mjs does, but writes only {verdict, told}.
import { readFileSync } from "node:fs";
import { register } from "node:module";

const SOURCES = new URL("../../ginpeer/page/verifier/src/", import.meta.url);
const REPLACED = new URL("group.js", SOURCES).href;
const source = readFileSync(new URL("toy_group.mjs", import.meta.url), "utf8");
register(
  "data:text/javascript," +
    encodeURIComponent(`export const load = (url, context, next) => url === ${JSON.stringify(REPLACED)}
      ? { format: "module", shortCircuit: true, source: ${JSON.stringify(source)} }
      : next(url, context);`),
);
const { judge } = await import(new URL("log.js", SOURCES));

const input = readFileSync(0);
let at = 0;
function next() {
  const length = input.readUInt32BE(at);
  at += 4 + length;
  return input.subarray(at - length, at);
}
while (at < input.length) {
  const log = Uint8Array.from(next());
  next(); // the text of a page
  const { verdict, told } = await judge(log, () => {}, async () => {});
  process.stdout.write(JSON.stringify({ verdict, told }) + "\n");
}
