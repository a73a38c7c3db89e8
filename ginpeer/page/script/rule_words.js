// Writes a rule set as the same line of words that the program writes into the page
// (cli/text/page_texts.py).
import { readRules } from "../verifier/src/rule_text.js";

const NAMES = {
  oklahoma: "Oklahoma", "oklahoma-floating": "floating Oklahoma", tedesco: "Tedesco", mahjong: "Mahjong", hollywood: "Hollywood",
};
const IN_THE_HEAD = ["target", "hands", "columns", "best-of", "multi-match"];
const WORDS = {
  "first-dealer=lower-cut": "the lower card cut deals first",
  "first-dealer": "the {} deals first",
  "next-dealer=alternates": "the deal alternates",
  "next-dealer": "the {} of a hand deals the next",
  "after-void=same-dealer": "the same player deals after a void hand",
  "after-void=alternates": "the other player deals after a void hand",
  "opening=upcard-option": "the upcard is offered first",
  "opening=either-pile": "the first player may draw from either pile",
  "knock-limit=0": "only gin ends a hand",
  "knock-limit=upcard": "the upcard sets the knock limit",
  "knock-limit=floating": "the last discard sets the knock limit",
  "knock-limit=second-deck": "a second deck sets the knock limit",
  "knock-limit": "knock with {} or less",
  "ace-limit=gin-only": "if an ace sets the limit, only gin ends the hand",
  "ace-limit=one": "if an ace sets the limit, it is 1",
  "spades-double=yes": "a spade doubles the hand",
  "spades-double=no": "a spade doesn't double the hand",
  "wall=void": "the hand is void at the end of the stock",
  "wall=last-discard": "at the end of the stock, the last discard may be taken",
  "swap-limit": "the hand is void after {} turns in a row that take from the discard pile",
  "misdeal=no": "no misdeal",
  "runs-wrap=yes": "runs go around the corner",
  "runs-wrap=no": "runs don't go around the corner",
  "ace-pips": "aces count {}",
  "mahjong=yes": "melds are laid on the table",
  "mahjong=no": "melds stay in the hand",
  "undercut-bonus": "an undercut bonus of {}",
  "tie=undercut": "a tie is an undercut",
  "tie=no-bonus": "on a tie the defender wins the hand, without points",
  "tie=nobody": "nobody wins a tie",
  "gin-bonus": "a gin bonus of {}",
  "big-gin=none": "no big gin",
  "big-gin": "a big gin bonus of {}",
  "game-bonus": "a game bonus of {}",
  box: "boxes of {}",
  "shutout=double-hands": "a shutout doubles the points from hands",
  "shutout=double-game-bonus": "a shutout doubles the game bonus",
  "shutout=none": "no shutouts",
  "lead-of-fifty-loses=yes": "a lead of exactly 50 loses",
  "lead-of-fifty-loses=no": "a lead of exactly 50 wins",
  stake: "a stake of {} a point",
};

// *text*: the canonical text, as in the log.
export function rulesInWords(text) {
  const rules = readRules(text);
  const words = text.split(" ");
  const names = words.filter((word) => !word.includes("=")).map((word) => NAMES[word] ?? word);
  const head = `${names.join(" ")} gin${end(rules)}`;
  const differing = words.map((word) => [word, ...word.split("=")])
    .filter(([, key, value]) => value && !IN_THE_HEAD.includes(key))
    .map(([word, key, value]) => WORDS[word] ?? WORDS[key].replace("{}", value));
  return [head[0].toUpperCase() + head.slice(1), ...differing].join("; ");
}

/** @param {Record<string, any>} rules */
function end({ target, hands, columns, "best-of": games, "multi-match": multi }) {
  const to = ` to ${target}${columns > 1 ? " in each of three columns" : ""}`;
  if (games > 1) return `, best of ${games} games${to}`;
  if (multi !== "none") return ` to ${multi} in games${to}`;
  if (hands === "none") return to;
  const count = `${hands} ${hands === 1 ? "hand" : "hands"}`;
  return target === "none" ? `, ${count}` : `${to}, at most ${count}`;
}
