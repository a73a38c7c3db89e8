// Turns a match into the plain values that a page shows: the steps in words, the score sheet, the
// account, and the move list that the page must contain.
import { notation, pointsOf } from "./notation.js";
import { atStart, Teller } from "./narration.js";
import { resultHeading, totals } from "./result.js";

// *told*, *match*: from the verifier, skim.js or typed.js. *names*: as in the page. *mark*: the
// word after each hand's number in the move list. If a typed match *begins* with a later hand, only
// the results of its hands are known, and not the score.
export function viewOf({ told, match }, names, mark = "") {
  const { score = null, rules = null, begins = 1 } = match;
  const teller = new Teller(names, rules, begins === 1 ? score : null);
  const hands = told.hands.map((hand) => handView(hand, score.hands, teller));
  const opening = { id: "h0", title: "Before the first hand", steps: told.opening };
  const dealt = told.hands.map((hand, i) => ({ ...hand, ...hands[i], id: `h${hand.number}`, title: `Hand ${hand.number}` }));
  const closing = { id: "end", title: "After the last hand", steps: told.closing };
  return {
    names,
    rules,
    groups: [opening, ...dealt, closing].map(({ id, title, steps, deal = [], result = "" }) => ({
      id, title, deal, result, steps: stepViews(steps, teller, told.cut),
    })).filter((group) => group.steps.length),
    hands,
    sheet: hands.map((hand) => sheetRow(hand, names)),
    account: teller.score ? accountRows(score, teller) : [],
    outcome: outcome(teller),
    result: teller.score?.isDecided ? { heading: resultHeading(score, names), totals: totals(score, names) } : null,
    moves: notation(told, score, mark),
  };
}

// Return the views of the steps. A step that no line describes has no view.
function stepViews(steps, teller, cut) {
  return steps.map((step) => ({
    entry: step.entry,
    share: step.share,
    seat: step.seat,
    kind: step.kind,
    lines: teller.step(step, cut),
    card: step.card,
    hides: step.share === null ? null : step.seat,
    position: step.position,
  })).filter((step) => step.lines.length);
}

function handView({ number, dealer, steps }, results, teller) {
  const ends = results[number - 1];
  const totals = [0, 1].map((seat) => results.slice(0, number).reduce((sum, hand) => sum + pointsOf(hand, seat), 0));
  const deal = steps.find((step) => step.kind === "deal_shares")?.position;
  const gaveUp = steps.find((step) => step.kind === "resign");
  const unfinished = gaveUp ? `${teller.names[gaveUp.seat]} resigned.` : "The hand isn't over.";
  const open = deal ? [0, 1].filter((seat) => deal.hands[seat].cards) : [];
  return {
    number,
    dealer,
    knockCard: deal?.knockCard ?? null,
    deal: open.map((seat) => atStart(teller.dealt(seat, deal.hands[seat].cards))),
    result: atStart(ends ? teller.result(ends) : unfinished),
    isOver: Boolean(ends),
    points: teller.score && totals,
    brought: [0, 1].map((seat) => (ends ? pointsOf(ends, seat) : null)),
  };
}

// Return all steps of a view, in order, with the table and both players' points at each of them.
// After the last hand, the table stays as that hand left it.
export function stepsIn({ groups, hands }) {
  let last = null;
  let isResigned = false;
  return groups.flatMap(({ id: group, title, steps }) => {
    const hand = hands.find(({ number }) => group === `h${number}`) ?? null;
    return steps.map((each, i) => {
      if (group !== "end") last = each.position ?? last;
      isResigned ||= each.kind === "resign";
      const position = group === "end" ? last : each.position;
      return {
        ...each, id: `${group}s${i + 1}`, group, at: i + 1, of: steps.length, title, position, hand, isResigned,
        points: pointsAt(hands, group, hand, position),
      };
    });
  });
}

// Return both players' points at a step, or null if the score isn't known. The points of a hand
// count once it is over.
function pointsAt(hands, group, hand, position) {
  const done = group === "h0" ? [] : hands.filter((each) => !hand || each.number < hand.number);
  if (hand?.isOver && position?.phase === "over") done.push(hand);
  return hands[0]?.points === null ? null : done.at(-1)?.points ?? [0, 0];
}

// -- the score sheet

// Return a number as text. A true minus sign is as wide as a digit, and screen readers say it.
export const minus = (n) => (n === null ? "" : String(n).replace("-", "\u2212"));

const sheetRow = ({ number, dealer, result, brought, points }, names) => ({
  number,
  how: [result, `Dealt by ${names[dealer]}.`],
  cells: brought.map((each, seat) => (each === null ? [] : [minus(each), ...(points ? [minus(points[seat])] : [])])),
});

const ITEMS = [
  ["points", "From hands"], ["shutout", "Shutout"], ["gameBonus", "Game bonus"], ["boxes", "Boxes"], ["total", "Total"],
];

// Return the rows of the account: {item, title, cells}. A heading has only a title.
function accountRows({ games, isDecided, totals }, teller) {
  const isOne = games.length === 1 && games[0].columns.length === 1;
  const rows = [];
  games.forEach((game, i) => game.columns.forEach((column, at) => {
    const { isOver, points, wins, lines } = column;
    if (!isOver && !wins.some(Boolean)) return;
    const which = `Game ${i + 1}${game.columns.length > 1 ? `, column ${at + 1}` : ""}`;
    if (!isOne) rows.push({ title: isOver ? `${which}, ${teller.to(column)}` : which });
    for (const [item, title] of ITEMS) {
      const values = [0, 1].map((seat) => (item === "points" ? points[seat] : (lines?.[seat][item] ?? null)));
      const isLittle = item === "shutout" || item === "gameBonus";
      if (values[0] === null || (isLittle && !values.some(Boolean))) continue;
      rows.push({ item, title, cells: values.map((value, seat) => [minus(value), ...(item === "boxes" ? [`${wins[seat]} won`] : [])]) });
    }
  }));
  if (rows.length && isDecided && !isOne) rows.push({ item: "all", title: "Grand totals", cells: totals.map((n) => [minus(n)]) });
  return rows;
}

// Return who won, and what the stake amounts to. If the match is undecided, return the score.
function outcome(teller) {
  const { score, names } = teller;
  if (!score?.isDecided) return score?.hands.length ? [teller.standing(score.standing)] : [];
  const { resigned } = score;
  return [...(resigned === null ? [] : [`${names[resigned]} resigned.`]), ...teller.outcome()].map(atStart);
}
