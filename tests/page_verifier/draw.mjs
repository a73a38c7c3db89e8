// Writes what a page draws and says about logs before it verifies any of them. Reads a list of {log (in
// base64), entries, names} as JSON, and writes the view of each log as a line of JSON.
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

runInThisContext(readFileSync(process.argv[2], "utf8"));
for (const { log, entries, names } of JSON.parse(readFileSync(0, "utf8"))) {
  const found = await ginpeer.read(Uint8Array.from(Buffer.from(log, "base64")), entries);
  console.log(JSON.stringify(ginpeer.viewOf(found, names)));
}
