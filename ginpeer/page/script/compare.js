// Compares what a page says without a script with what its log says: the verdict, the names, the
// keys, the rules and the moves. Nothing in a page can vouch for the rest of the page. To compare
// the whole file, use `ginpeer verify`.
//
// *page*: {names, heading, rules, ruleText, summary, finding, entries, players, moves}, as read
// from the page.

import { rulesInWords } from "./rule_words.js";

export const ROLES = ["host", "guest"];

// Return the differences, each as a phrase.
export function compare(page, { verdict, view }) {
  const wrong = [];
  const must = (holds, what) => holds || wrong.push(what);
  const same = (a, b, what) => must(JSON.stringify(a) === JSON.stringify(b), what);
  same(page.names.length, 2, "the number of players");
  verdict.players.forEach(({ name }, seat) => must(isNamed(page.names[seat] ?? "", name, seat), `the name of the ${ROLES[seat]}`));
  same(page.players, playerCells(verdict, page.players), "the names and keys");
  same(page.finding, headline(verdict), "the verdict");
  same(page.entries, verdict.entries, "the number of valid entries");
  const { rules } = verdict;
  same([page.rules, page.ruleText], [rules === null ? "Gin rummy" : rulesInWords(rules), rules ?? ""], "the rules");
  same([page.heading, page.summary], [heading(verdict, view), summary(verdict, view)], "who won, and when the match started");
  if (page.moves !== view.moves) {
    const [is, should] = [page.moves, view.moves].map((text) => text.split("\n"));
    const at = should.findIndex((line, i) => line !== is[i]);
    wrong.push(`the moves, line ${(at < 0 ? should.length : at) + 1}`);
  }
  return wrong;
}

// Return the cells of the table of players, with each name as it is in *cells* if that is correct.
function playerCells({ players }, cells) {
  const nameIn = (cell, name, seat) => (name === null ? "nobody yet" : isNamed(cell, name, seat) ? cell : name);
  return [
    "Role", "Name, as claimed", "Key, proven by its signatures",
    ...players.flatMap(({ role, name, fingerprint }, seat) => [
      role === "host" ? "Host" : "Guest", nameIn(cells[4 + 3 * seat] ?? "", name, seat), fingerprint ?? "none yet",
    ]),
  ];
}

export const tidy = (text) => text.replace(/\s+/g, " ").trim();

// Characters that look like quotation marks. The program replaces them in names, so the comparison
// ignores them. (ginpeer/names.py)
const MARKS = /[\u{16f51}\u{16f52}"'`\u00ab\u00bb\u00b4\u02b9-\u02bf\u02c8\u02ca\u02cb\u02dd\u02ee\u02f4-\u02f6\u0374\u0384\u055a\u055d\u05f3\u05f4\u07f4\u07f5\u144a\u16cc\u1cd3\u1fbd\u1fbf\u1fef\u1ffd\u1ffe\u2018-\u201f\u2032-\u2037\u2057\u226a\u226b\u275b-\u275e\u2760\u2e42\u3003\u301d-\u301f\ua78c\uff02\uff07\uff40\u{1f676}-\u{1f678}]/gu;

// Characters that every Python from 3.11 on knows, so a page shows them as they are. These are only
// ranges without a gap, since a later version of Unicode may fill a gap.
const KNOWN = /[\0-\u0377\u0391-\u03a1\u03a3-\u052f\u0531-\u0556\u05d0-\u05ea\u0620-\u070d\u0904-\u0983\u0e01-\u0e3a\u1e00-\u1eff\u2010-\u205e\u3041-\u3096\u30a0-\u30ff\u3400-\ua48c\uac00-\ud7a3\u{1f300}-\u{1f64f}]/u;

// Return whether *shown* is how a page writes this name. The program replaces characters that look
// like quotation marks, drops some combining marks, and writes U+FFFD for each invisible character,
// and for each that its Unicode tables don't have yet. If a name could be mistaken for something
// else, the program quotes it or adds the role after it. (ginpeer/names.py)
function isNamed(shown, name, seat) {
  if (name === null) return shown === `the ${ROLES[seat]}`;
  const core = (text, dropped) => [...text.replace(MARKS, "").replace(dropped, "")];
  // Drop what the program may drop or replace, and what this browser's tables don't have yet.
  const should = core(name, /[\s\p{M}\p{C}]/gu);
  // Follow the positions in the name that each character of *text* can lead to. U+FFFD stands for
  // what was dropped, or for a character that the program may not have known.
  const next = (each, at) =>
    each === "\ufffd" ? [at, KNOWN.test(should[at] ?? "") ? at : at + 1] : each === should[at] ? [at + 1] : [];
  // Of what was dropped, the program writes only spaces, marks, newer characters and isolates.
  const fits = (text) => core(text, /[\s\p{M}\p{Cn}\u2066\u2069]/gu)
    .reduce((reached, each) => new Set([...reached].flatMap((at) => next(each, at))), new Set([0])).has(should.length);
  const bare = shown.replace(new RegExp(` \\(${ROLES[seat]}\\)$`), "");
  return fits(shown) || fits(bare);
}

export function headline({ verdict, code, entries, failing_entry: at, evidence, decided }) {
  const count = `${entries} ${entries === 1 ? "entry" : "entries"}`;
  if (code === "fork" && evidence) return `ILLEGAL: a player signed two different entries as entry ${evidence.place}, counting from 0 (${code}).`;
  if (verdict === "valid") return `VALID: no cheating found. Every card, move and point was checked (${count}).`;
  if (verdict === "incomplete") {
    const state = decided ? "is over, but its log isn't complete" : "isn't finished";
    return `INCOMPLETE: the match ${state}. So far, ${count} ${entries === 1 ? "is" : "are"} valid.`;
  }
  if (verdict === "illegal") return `ILLEGAL: a player signed entry ${at} (counted from 0), which isn't allowed (${code}).`;
  return verdict === "forged" ? `FORGED OR DAMAGED: entry ${at} (counted from 0) isn't valid (${code}).` : `CANNOT BE READ (${code}).`;
}

const WORDS = { illegal: "ILLEGAL", forged: "FORGED OR DAMAGED", incomplete: "INCOMPLETE", unreadable: "CANNOT BE READ" };

function heading({ verdict }, { names, result }) {
  return tidy(verdict === "valid" ? result.heading : `${WORDS[verdict]} ${names.join(" and ")}`);
}

const SAID = "ginpeer has checked both players' signatures and every shuffle, card, move and point: no cheating found.";

// Return who won and how, when the match started and, if the log is valid, what was checked.
function summary(verdict, { names, result }) {
  const { winner, score, started } = verdict;
  const isValid = verdict.verdict === "valid";
  const parts = isValid ? [...result.totals] : [];
  if (winner && !isValid) {
    const seat = ROLES.indexOf(winner);
    parts.push(`${names[seat]} won, ${score[winner].total} to ${score[ROLES[1 - seat]].total}.`);
  }
  if (started !== null) parts.push(`Started ${when(started)}, by the host's clock.`);
  if (isValid) parts.push(SAID);
  return tidy(parts.join(" "));
}

// A log may name any time of 53 bits. Like the program, write a date only up to the year 9999.
export function when(seconds) {
  if (seconds >= 253402300800) return `${seconds} seconds after 1970`;
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
