// Writes the result of a finished match in the same few words that the program writes into the page
// (cli/text/page_texts.py).
import { number, plural } from "./narration.js";

// Return who won and by how much, as in "Ann beat Bob by 61 points".
export function resultHeading(score, names) {
  const { winner } = score;
  if (winner === null) return `${names.join(" and ")} drew`;
  return `${names[winner]} beat ${names[1 - winner]} ${margin(score)}`.trim();
}

function margin(score) {
  const { winner } = score;
  if (score.resigned !== null) return "by resignation";
  if (score.rules["best-of"] > 1) return `by ${plural(score.gamesWon(winner), "game")} to ${score.gamesWon(1 - winner)}`;
  return score.margin > 0 ? `by ${plural(score.margin, "point")}` : "";
}

// Return both totals and how they were reached, the winner's first.
export function totals(score, names) {
  const first = score.winner ?? 0;
  return [first, 1 - first].map((seat) => `${names[seat]} ${number(score.totals[seat])} ${account(score, seat)}`);
}

function account({ rules, hands, games }, seat) {
  const won = hands.filter(({ winner }) => winner === seat).map(({ result }) => result);
  const columns = games.flatMap((game) => game.columns);
  const sum = (valueOf) => columns.reduce((points, column) => points + valueOf(column), 0);
  const parts = [
    [sum(({ points }) => points[seat]), rules.columns > 1 ? "in three columns" : "from hands"],
    [sum(({ lines }) => lines[seat].shutout), "for the shutout"],
    [sum(({ lines }) => lines[seat].gameBonus), "game bonus"],
    [sum(({ lines }) => lines[seat].boxes), "for boxes"],
  ].filter(([points]) => points).map(([points, what]) => `${number(points)} ${what}`);
  const told = `won ${won.length ? plural(won.length, "hand") : "no hands"}${special(rules, won)}`;
  return [told, ...(parts.length ? [parts.join(" + ")] : [])].join("; ");
}

// Return how many hands were won by gin or an undercut, if a hand can be won in several ways.
function special(rules, won) {
  if (rules["knock-limit"] === 0) return "";
  const told = ["gin", "big-gin", "undercut"]
    .map((kind) => [won.filter((each) => each === kind).length, kind.replace("-", " ")])
    .filter(([count]) => count).map(([count, word]) => `${count} by ${word}`);
  return told.length ? ` (${told.join(", ")})` : "";
}
