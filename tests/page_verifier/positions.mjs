// Writes the text that a page copies at each step of logs. Reads a list of {log (in base64), entries,
// names, verdict} as JSON, and writes the texts of each log as a line of JSON: [the step's address,
// text].
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";
import { positionInWords } from "../../ginpeer/page/script/position.js";
import { stepsIn } from "../../ginpeer/page/script/view.js";

runInThisContext(readFileSync(process.argv[2], "utf8"));
for (const { log, entries, names, verdict } of JSON.parse(readFileSync(0, "utf8"))) {
  const view = ginpeer.viewOf(await ginpeer.read(Uint8Array.from(Buffer.from(log, "base64")), entries), names);
  console.log(JSON.stringify(stepsIn(view).map((step) => [step.id, positionInWords(view, step, -1, step.lines, verdict)])));
}
