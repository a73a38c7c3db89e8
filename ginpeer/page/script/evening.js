// Writes what the page of an evening says about all its matches, in the same words as the program
// (cli/text/page_texts.py). This text is compared with the page.
import { ROLES, when } from "./compare.js";
import { number, plural } from "./narration.js";

const matchCount = (n) => plural(n, "match", "matches");
const keysOf = ({ players }) => players.map(({ key }) => key);

// *matches*: {verdict, names} of each match, with the names as in the page. *said*: the texts of the
// page. Return the same texts as they should be, in the order of the page: when the evening began,
// the headline, the cells of the table, the notes.
export function eveningInWords(matches, said) {
  const { found, notes } = counted(matches);
  const shown = distinct(found, said);
  const pairs = pairsIn(found);
  const keys = new Set(found.flatMap(({ verdict }) => keysOf(verdict)));
  const rows = pairs.flatMap(({ keys: both, matches: count, won, points }) => [
    ...(pairs.length > 1 ? [`${both.map((key) => shown.get(key)).join(" and ")}, ${matchCount(count)}`] : []),
    ...both.flatMap((key, at) => [shown.get(key), String(won[at]), number(points[at])]),
  ]);
  const table = rows.length ? ["Player", "Matches won", "Points", ...rows] : [];
  return [`${matchCount(matches.length)}${started(matches)}`, heading(pairs, shown, found.length, keys.size), ...table, ...notes];
}

function counted(matches) {
  const found = [];
  const notes = [];
  const first = new Map();
  const same = (a, b) => JSON.stringify(matches[a].verdict) === JSON.stringify(matches[b].verdict);
  matches.forEach((each, i) => {
    const { verdict, decided, table } = each.verdict;
    const match = JSON.stringify([table, ...keysOf(each.verdict)]);
    if (verdict !== "valid" && verdict !== "incomplete") notes.push(`Match ${i + 1} isn't counted: its log isn't valid.`);
    else if (verdict !== "valid" || !decided) notes.push(`Match ${i + 1} isn't counted: ${decided ? "its log isn't complete" : "it isn't finished"}.`);
    else if (!first.has(match)) {
      first.set(match, i);
      found.push(each);
    } else {
      const at = first.get(match);
      const again = same(i, at) ? `the same as match ${at + 1}` : `match ${at + 1} with a different ending`;
      notes.push(`Match ${i + 1} isn't counted again: it's ${again}.`);
    }
  });
  return { found, notes };
}

// Return the first name of each key, without a role. Add the fingerprint if several keys share that
// name, or if a match added the role to it to avoid confusion: the role can change from match to
// match. Add it also if *said* has it: only the program knows which names look alike.
function distinct(found, said) {
  const shown = new Map();
  const prints = new Map();
  const misleading = new Set();
  for (const { verdict, names } of found) {
    verdict.players.forEach(({ key, fingerprint }, seat) => {
      const role = ` (${ROLES[seat]})`;
      const bare = names[seat].endsWith(role) ? names[seat].slice(0, -role.length) : names[seat];
      if (!shown.has(key)) shown.set(key, bare);
      prints.set(key, fingerprint);
      if (bare !== names[seat]) misleading.add(key);
    });
  }
  const all = [...shown.values()];
  return new Map([...shown].map(([key, name]) => {
    const full = `${name} (${prints.get(key)})`;
    const isShared = all.filter((each) => each === name).length > 1;
    return [key, isShared || misleading.has(key) || said.includes(full) ? full : name];
  }));
}

// Return {keys, matches, won, points} for each pair of players, the leader first.
function pairsIn(found) {
  const pairs = new Map();
  for (const { verdict } of found) {
    const keys = keysOf(verdict);
    const name = [...keys].sort().join();
    if (!pairs.has(name)) pairs.set(name, { keys, matches: 0, won: [0, 0], points: [0, 0] });
    const pair = pairs.get(name);
    pair.matches += 1;
    const seats = keys.join() === pair.keys.join() ? [0, 1] : [1, 0];
    seats.forEach((seat, at) => {
      pair.won[at] += verdict.winner === ROLES[seat];
      pair.points[at] += verdict.score[ROLES[seat]].total;
    });
  }
  const inOrder = ({ won }, both) => (won[1] > won[0] ? [...both].reverse() : both);
  return [...pairs.values()].map((pair) => ({
    ...pair, keys: inOrder(pair, pair.keys), won: inOrder(pair, pair.won), points: inOrder(pair, pair.points),
  }));
}

function heading(pairs, shown, matches, players) {
  if (!pairs.length) return "No match has been counted";
  if (pairs.length > 1) return `${matches} finished matches between ${players} players`;
  const [{ keys, won: [more, less] }] = pairs;
  const [leader, other] = keys.map((key) => shown.get(key));
  if (more > less) return `${leader} beat ${other} by ${matchCount(more)} to ${less}`;
  return `${leader} and ${other} ${more ? `won ${matchCount(more)} each` : "drew"}`;
}

function started(matches) {
  const times = matches.map(({ verdict }) => verdict.started).filter((at) => at !== null).sort((a, b) => a - b);
  if (!times.length) return "";
  const [first, last] = [times[0], times.at(-1)].map(when);
  return first === last ? `, started ${first}` : `, the first started ${first}, the last ${last}`;
}
