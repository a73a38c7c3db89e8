// The verdict as the JSON document of PROTOCOL 13 and proto/verdict.schema.json.
import { hex } from "./bytes.js";
import { sha256 } from "./hashes.js";
import { fingerprint, fingerprintInput } from "./secrets.js";
import { OWED, sectionsOf, sentenceOf } from "./words.js";

const ROLES = ["host", "guest"];
const DISCLOSURES = [null, "after-match", "after-hand", "never"];

const role = (seat) => (seat === null ? null : ROLES[seat]);
const byRole = (value) => ({ host: value(0), guest: value(1) });
const both = (pair) => pair && byRole((seat) => pair[seat]);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const fingerprintOf = (key) => fingerprint(sha256(fingerprintInput(key)));

// *finding*: {verdict, code} and, if it has them, the number of the failing entry and the accused.
export function describe(referee, { verdict, code, failing = null, accused = null }) {
  const { match } = referee;
  const { score } = match;
  const decided = score?.isDecided ?? false;
  const isSound = verdict === "valid" || verdict === "incomplete";
  return {
    schema: 3,
    verdict,
    code,
    sentence: sentenceOf(code, verdict, failing),
    entries: referee.entries.length,
    failing_entry: failing,
    author: accused && role(accused.author),
    evidence: accused && evidence(accused, code),
    table: referee.table && hex(referee.table),
    started: match.started ?? null,
    players: match.players.map((player, seat) => ({
      role: ROLES[seat],
      name: player?.name ?? null,
      key: player && hex(player.key),
      fingerprint: player && fingerprintOf(player.key),
    })),
    rules: match.ruleText ?? null,
    disclosure: DISCLOSURES[match.disclosure ?? 0],
    disclosed: both(match.disclosed),
    hands: score ? score.hands.map(hand) : [],
    games: score ? score.games.map(game(score)) : [],
    score: score ? byRole((seat) => matchLine(score, seat)) : null,
    margin: decided ? score.margin : null,
    stake: score ? stake(score) : null,
    winner: decided && isSound ? role(score.winner) : null,
    decided,
    owes: verdict === "incomplete" ? { role: role(match.owes), what: OWED[match.awaited] } : null,
  };
}

function evidence({ name, key, place, signed, admitted }, code) {
  return {
    name,
    key: hex(key.bytes),
    fingerprint: fingerprintOf(key.bytes),
    place,
    sections: sectionsOf(code),
    signed,
    admitted,
  };
}

const hand = (result) => ({
  number: result.number,
  game: result.game,
  dealer: role(result.dealer),
  result: result.result,
  winner: role(result.winner),
  points: result.points,
  other_points: result.otherPoints,
  doubled: result.doubled,
  knocker: role(result.knocker),
  deadwood: both(result.deadwood),
  columns: result.columns.map((i) => i + 1),
});

const game = (score) => (played, i) => ({
  number: i + 1,
  over: played.isOver,
  winner: role(played.winner),
  columns: played.columns.map(column),
  score: byRole((seat) => ({
    ...added(score.hands.filter((h) => h.game === i + 1), seat),
    total: played.totals?.[seat] ?? null,
  })),
});

const column = (kept, i) => ({
  number: i + 1,
  over: kept.isOver,
  winner: role(kept.winner),
  score: byRole((seat) => ({
    hand_points: kept.points[seat],
    hands_won: kept.wins[seat],
    shutout: kept.lines?.[seat].shutout ?? null,
    game_bonus: kept.lines?.[seat].gameBonus ?? null,
    boxes: kept.lines?.[seat].boxes ?? null,
    total: kept.lines?.[seat].total ?? null,
  })),
});

// Count each hand once, in however many columns it counts.
const added = (hands, seat) => ({
  hand_points: sum(hands.map((h) => (h.winner === seat ? h.points : h.otherPoints))),
  hands_won: hands.filter((h) => h.winner === seat).length,
});

const matchLine = (score, seat) => ({
  ...added(score.hands, seat),
  games_won: score.gamesWon(seat),
  total: score.isDecided ? score.totals[seat] : null,
});

function stake(score) {
  const [debtor, payment] = score.isDecided ? score.stake : [null, null];
  return { a_point: score.rules.stake, debtor: role(debtor), payment };
}
