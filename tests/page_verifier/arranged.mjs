// Arranges hands as the page does. Reads a list of {cards, rules} as JSON, and writes each
// arrangement as a line of JSON.
import { readFileSync } from "node:fs";
import { arranged } from "../../ginpeer/page/script/cards.js";

for (const { cards, rules } of JSON.parse(readFileSync(0, "utf8"))) console.log(JSON.stringify(arranged(cards, rules)));
