// Reads, checks and writes the text of a rule set. (PROTOCOL 8.12, 12.1)
import { range } from "./bytes.js";

const oneOf = (...values) => (text) => (values.includes(text) ? text : undefined);
const number = (low, high, ...words) => (text) => {
  if (words.includes(text)) return text;
  if (!/^(0|[1-9]\d{0,6})$/.test(text)) return undefined;
  return +text >= low && +text <= high ? +text : undefined;
};
const either = (...values) => (text) => values.find((value) => String(value) === text);
const odd = (text) => {
  const n = number(1, 99)(text);
  return n % 2 ? n : undefined;
};
const yesNo = oneOf("no", "yes");

// name: [function that reads a value, standard value]
const PARAMETERS = {
  "first-dealer": [oneOf("lower-cut", "host", "guest"), "lower-cut"],
  "next-dealer": [oneOf("alternates", "loser", "winner"), "alternates"],
  "after-void": [oneOf("same-dealer", "alternates"), "same-dealer"],
  opening: [oneOf("upcard-option", "either-pile"), "upcard-option"],
  "knock-limit": [number(0, 10, "upcard", "floating", "second-deck"), 10],
  "ace-limit": [oneOf("gin-only", "one"), "gin-only"],
  "spades-double": [yesNo, "no"],
  wall: [oneOf("void", "last-discard"), "void"],
  "swap-limit": [number(4, 1000), 40],
  misdeal: [oneOf("no"), "no"],
  "runs-wrap": [yesNo, "no"],
  "ace-pips": [either(1, 15), 1],
  mahjong: [yesNo, "no"],
  "undercut-bonus": [number(0, 1000), 25],
  tie: [oneOf("undercut", "no-bonus", "nobody"), "undercut"],
  "gin-bonus": [number(0, 1000), 25],
  "big-gin": [number(0, 1000, "none"), 31],
  target: [number(1, 10000, "none"), 100],
  hands: [number(1, 1000, "none"), "none"],
  "game-bonus": [number(0, 10000), 100],
  box: [number(0, 1000), 25],
  shutout: [oneOf("double-hands", "double-game-bonus", "none"), "double-hands"],
  "lead-of-fifty-loses": [yesNo, "no"],
  columns: [either(1, 3), 1],
  "best-of": [odd, 1],
  "multi-match": [number(1, 100000, "none"), "none"],
  stake: [number(0, 1000000), 0],
};
const NAMES = Object.keys(PARAMETERS);
const STANDARD = Object.fromEntries(NAMES.map((name) => [name, PARAMETERS[name][1]]));

const is = (...values) => (value) => values.includes(value);
const OKLAHOMA = { "knock-limit": "upcard", "spades-double": "yes" };

// name: [its values, the parameter that identifies it, a test of that parameter's value]
const PRESETS = {
  standard: [{}],
  classic: [{
    "undercut-bonus": 10, tie: "no-bonus", "gin-bonus": 20, "big-gin": "none", box: 20, shutout: "double-game-bonus",
  }],
  tournament: [{ wall: "last-discard", target: 250, "best-of": 5 }, "best-of", (n) => n >= 3],
  oklahoma: [OKLAHOMA, "knock-limit", is("upcard", "second-deck")],
  "oklahoma-floating": [{ "knock-limit": "floating" }, "knock-limit", is("floating")],
  straight: [{ "knock-limit": 0 }, "knock-limit", is(0)],
  tedesco: [{ ...OKLAHOMA, "runs-wrap": "yes", "ace-pips": 15, target: 200, columns: 3 }, "runs-wrap", is("yes")],
  "around-the-corner": [{ "runs-wrap": "yes" }, "runs-wrap", is("yes")],
  mahjong: [{ "knock-limit": 0, mahjong: "yes", "big-gin": "none", target: 500 }, "mahjong", is("yes")],
  hollywood: [{ columns: 3 }, "columns", is(3)],
  "multi-match": [{ shutout: "double-game-bonus", "multi-match": 500 }, "multi-match", Number.isInteger],
};
const keeps = (preset, rules) => {
  const [, name, has] = PRESETS[preset];
  return !name || has(rules[name]);
};

// Return the values that the presets give a parameter, each once.
const said = (presets, name) => [
  ...new Set(presets.map((preset) => PRESETS[preset][0][name]).filter((value) => value !== undefined)),
];

// Return the rule set as {parameter: value}, or null if the text is invalid.
export function readRules(text) {
  const words = text.split(" ").filter(Boolean);
  const presets = words.filter((word) => !word.includes("="));
  const given = {};
  for (const word of words.filter((w) => w.includes("="))) {
    const at = word.indexOf("=");
    const name = word.slice(0, at);
    if (!Object.hasOwn(PARAMETERS, name) || Object.hasOwn(given, name)) return null;
    given[name] = PARAMETERS[name][0](word.slice(at + 1));
    if (given[name] === undefined) return null;
  }
  if (!words.length || new Set(presets).size < presets.length) return null;
  if (!presets.every((preset) => Object.hasOwn(PRESETS, preset))) return null;
  if (Number.isInteger(given.hands) && given.target === undefined) given.target = "none";
  const rules = { ...STANDARD, ...given };
  for (const name of NAMES) {
    if (name in given) continue;
    const values = said(presets, name);
    if (values.length > 1) return null;
    if (values.length) rules[name] = values[0];
  }
  return presets.every((preset) => keeps(preset, rules)) && !contradicts(rules) ? rules : null;
}

// Return the only valid text of a rule set: the one with the fewest words, then the fewest
// parameters, then the earliest presets.
export function writeRules(rules) {
  const possible = Object.keys(PRESETS).filter((preset) => preset !== "standard" && keeps(preset, rules));
  let best = null;
  for (const set of range(2 ** possible.length)) {
    const presets = possible.filter((_, i) => set & (1 << i));
    const parameters = NAMES.filter((name) => {
      if (name === "target" && Number.isInteger(rules.hands)) return Number.isInteger(rules.target);
      const values = said(presets, name);
      return values.length > 1 || rules[name] !== (values.length ? values[0] : STANDARD[name]);
    });
    const names = presets.length ? presets : ["standard"];
    const text = [...names, ...parameters.map((name) => `${name}=${rules[name]}`)].join(" ");
    const order = names.map((name) => Object.keys(PRESETS).indexOf(name));
    const rank = [names.length + parameters.length, parameters.length, ...order];
    if (!best || isBefore(rank, best.rank)) best = { rank, text };
  }
  return best.text;
}

function isBefore(a, b) {
  const i = a.findIndex((n, place) => n !== b[place]);
  return i >= 0 && a[i] < b[i];
}

// Return W, M and F of 8.12; `boxes` is its b(p).
function bounds(rules) {
  const [gin, big, box] = [rules["gin-bonus"], rules["big-gin"], rules.box];
  const isMahjong = rules.mahjong === "yes";
  const ginOnly = rules["knock-limit"] === 0;
  const tie = { undercut: [rules["undercut-bonus"]], "no-bonus": [0], nobody: [] }[rules.tie];
  const bonuses = [gin, ...(Number.isInteger(big) ? [big] : [])];
  const W = isMahjong ? 50 + gin : Math.min(...bonuses, ...(ginOnly ? [] : [1, ...tie]));
  const deadwood = rules["ace-pips"] === 15 ? 120 : 100;
  const limit = Number.isInteger(rules["knock-limit"]) ? rules["knock-limit"] : 10;
  const most = [gin + deadwood, (Number.isInteger(big) ? big : 0) + deadwood];
  if (!ginOnly) most.push(rules["undercut-bonus"] + limit);
  const M = (isMahjong ? 380 + gin : Math.max(...most)) * (rules["spades-double"] === "yes" ? 2 : 1);
  const boxes = (p) => (isMahjong ? 0 : box * Math.ceil(p / M));
  const brings = (t) => t + rules["game-bonus"] + boxes(t);
  const t = rules.target;
  const u = Math.max(t, 50);
  let F = brings(t);
  if (rules["lead-of-fifty-loses"] === "yes") {
    F = Math.min(F, Math.max(u + boxes(u), u - 50 + rules["game-bonus"] + boxes(u - 50)));
  }
  return { W, M, F: rules.columns === 3 ? 2 * F : F };
}

function contradicts(rules) {
  const { W, M, F } = bounds(rules);
  const { hands, target, columns, tie } = rules;
  const limit = rules["knock-limit"];
  const undercut = rules["undercut-bonus"];
  const multi = rules["multi-match"];
  const isMahjong = rules.mahjong === "yes";
  const dealOnward = rules["next-dealer"] !== "alternates";
  const byFives = (...names) => isMahjong && names.every((name) => rules[name] % 5 === 0);
  const oneHandEnds = Number.isInteger(target) && target <= W;
  const noUndercuts = limit === 0 && undercut === 25 && tie === "undercut";
  const oneGame = columns === 1 && rules["best-of"] === 1 && multi === "none";
  return [
    isMahjong && !(noUndercuts && rules["big-gin"] === "none" && rules["ace-pips"] === 1),
    rules["ace-limit"] === "one" && (Number.isInteger(limit) || rules["ace-pips"] === 15),
    limit === 1 && rules["ace-pips"] === 15,
    limit === 0 && !noUndercuts,
    undercut === 0 && tie === "no-bonus",
    rules.opening === "either-pile" && limit === "second-deck",
    hands === "none" && target === "none",
    rules["best-of"] > 1 && Number.isInteger(multi),
    Number.isInteger(hands) && (rules["best-of"] > 1 || Number.isInteger(multi) || (columns === 3 && target === "none")),
    hands === 1 && (columns === 3 || dealOnward || rules["after-void"] !== "same-dealer"),
    Number.isInteger(hands) && Number.isInteger(target) && target > (hands - 1) * M,
    Number.isInteger(target) && target >= 2 && target <= W,
    byFives("gin-bonus") && target > W && target % 5 !== 0,
    dealOnward && oneHandEnds && oneGame && !isMahjong && tie !== "nobody",
    rules["lead-of-fifty-loses"] === "yes" && W > 50 && !isMahjong && (oneHandEnds || hands === 1),
    rules.shutout === "double-game-bonus" && rules["game-bonus"] === 0,
    Number.isInteger(multi) && oneHandEnds,
    Number.isInteger(multi) && multi <= F,
    byFives("gin-bonus", "game-bonus", "box") && Number.isInteger(multi) && multi % 5 !== 0,
  ].some(Boolean);
}
