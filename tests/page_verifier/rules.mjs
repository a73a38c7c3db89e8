// Runs those sources of the page's verifier that need no library, for rule texts, accounts of matches
// and whole hands. Reads {texts, accounts, hands} as JSON, and writes the result of each.
import { readFileSync } from "node:fs";
import { Hand } from "../../ginpeer/page/verifier/src/hand.js";
import { readRules, writeRules } from "../../ginpeer/page/verifier/src/rule_text.js";
import { Score } from "../../ginpeer/page/verifier/src/score.js";

function canonical(text) {
  const rules = readRules(text);
  return rules && writeRules(rules);
}

// *hands*: [winner, the host's points, the guest's]; empty for a void hand.
function account({ rules, hands, dealers, resigned }) {
  const score = new Score(readRules(rules));
  const dealt = [];
  for (const [winner = null, ...points] of hands) {
    const dealer = score.nextDealer(dealers[0]);
    dealt.push(dealer);
    const [mine, others] = winner === null ? [0, 0] : [points[winner], points[1 - winner]];
    const result = points.length ? "knock" : "void";
    score.addHand({ number: dealt.length, dealer, result: { result, winner, points: mine, otherPoints: others } });
  }
  dealt.push(score.nextDealer(dealers[0]));
  if (resigned !== null) score.resign(resigned);
  const [debtor, payment] = score.stake;
  return {
    dealers: dealt,
    games: score.games.map((game) => ({
      columns: game.columns.map(({ points, wins, winner, lines }) => ({
        points, hands_won: wins, winner, totals: lines.map((line) => line.total),
      })),
      winner: game.winner,
    })),
    winner: score.winner,
    totals: score.totals,
    decided: score.isDecided,
    debtor,
    payment,
  };
}

// Play a hand dealt by seat 1 by calling Hand's methods. Return [winner, the winner's points, the
// loser's, doubled], or [code].
function played({ rules, upcard, knock_card: knockCard, calls }) {
  const hand = new Hand(readRules(rules), { number: 1, dealer: 1, first: 0, knockCard });
  hand.begin(knockCard === null ? upcard : undefined);
  try {
    for (const [name, ...args] of calls) hand[name](...args);
  } catch (refusal) {
    return [refusal.code];
  }
  const { winner, points, otherPoints, doubled } = hand.result;
  return [winner, points, otherPoints, doubled];
}

const { texts, accounts, hands } = JSON.parse(readFileSync(0, "utf8"));
const answers = {
  texts: texts.map(canonical),
  accounts: accounts.map(account),
  hands: hands.map(played),
};
console.log(JSON.stringify(answers));
