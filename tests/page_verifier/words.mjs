// Writes rule sets, results and evenings in words with the sources of the page. Reads {texts,
// matches, evenings} as JSON; a match is {rules, hands, resigned}, with [kind, winner, the host's
// points, the guest's] for each hand; an evening is {matches: a list of {verdict, names},
// said: the texts of its page}. Writes {texts, matches, evenings}, the words of each.
import { readFileSync } from "node:fs";
import { eveningInWords } from "../../ginpeer/page/script/evening.js";
import { resultHeading, totals } from "../../ginpeer/page/script/result.js";
import { rulesInWords } from "../../ginpeer/page/script/rule_words.js";
import { readRules } from "../../ginpeer/page/verifier/src/rule_text.js";
import { Score } from "../../ginpeer/page/verifier/src/score.js";

const NAMES = ["Ada", "Ben"];

function result({ rules, hands, resigned }) {
  const score = new Score(readRules(rules));
  hands.forEach(([kind, winner, ...points], at) => {
    const [own, other] = winner === null ? [0, 0] : [points[winner], points[1 - winner]];
    score.addHand({ number: at + 1, dealer: 0, result: { result: kind, winner, points: own, otherPoints: other } });
  });
  if (resigned !== null) score.resign(resigned);
  return [resultHeading(score, NAMES), ...totals(score, NAMES)];
}

const { texts, matches, evenings } = JSON.parse(readFileSync(0));
console.log(JSON.stringify({
  texts: texts.map(rulesInWords), matches: matches.map(result),
  evenings: evenings.map((evening) => eveningInWords(evening.matches, evening.said)),
}));
