// Compares the facts that a page shows with its log: each step at the table and in words, the
// points, the names and the keys. Nothing in a page can vouch for the rest of it; `ginpeer verify`
// compares the whole file. For a hand that nobody laid open, any arrangement with the least deadwood
// is accepted. *page* is what the page shows: see page.js; positions.py has the letters.
import { deadwoodOf, isMeld, mahjongPoints } from "./melds.js";
import { inRow, Teller } from "./narration.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const letters = (cards) => cards.map((card) => LETTERS[card]).join("");
const cardsOf = (text) => [...text].map((letter) => LETTERS.indexOf(letter));
const ROLES = ["host", "guest"];
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const tidy = (text) => text.replace(/\s+/g, " ").trim(); // as page.js reads it
const sorted = (cards) => [...cards].sort((a, b) => a - b);

// {steps: how many were compared, wrong: what differs, each as a phrase}.
export function compare(...given) {
  try {
    return compared(...given);
  } catch {
    return { steps: 0, wrong: ["the form of what it shows"] }; // which is no page of ours
  }
}

function compared(page, verdict, told, { score, rules }) {
  const teller = new Teller(page.names, rules, score);
  // Who offers was called so before anybody of the same name had come.
  const [offer] = page.steps[0]?.lines ?? [""];
  if (!offer.startsWith(`${page.names[0]} offers`)) teller.host = page.names[0].replace(/ \(host\)$/, "");
  const wrong = [];
  const must = (holds, what) => holds || wrong.push(what);

  const groups = [["h0", "Before the first hand", told.opening], ["end", "After the last hand", told.closing]];
  for (const { number, steps } of told.hands) groups.push([`h${number}`, `Hand ${number}`, steps]);
  must(page.names.length === 2, "how many players there are");
  must(page.hands.length === told.hands.length, "how many hands there are");
  let count = 0;
  for (const [id, title, steps] of groups) {
    const expected = steps.map((step) => [step, teller.step(step, told.cut)]).filter(([, lines]) => lines.length);
    const drawn = page.steps.filter((step) => step.group === id);
    must(drawn.length === expected.length, `${title}: how many steps it has`);
    expected.forEach(([step, lines], i) => {
      const at = drawn[i];
      if (!at) return;
      count += 1;
      const place = `${title}, step ${i + 1}`;
      must(same(at.lines, lines), `${place}: what is told`);
      if (step.hand && !isDrawn(at, step, teller)) wrong.push(`${place}: the cards`);
    });
    const known = new Set(groups.map(([each]) => each));
    if (id === "h0") must(page.steps.every((step) => known.has(step.group)), "which hands there are");
  }
  told.hands.forEach((hand, i) => {
    const given = page.hands[i];
    must(given && sameHand(given, hand, score), `Hand ${hand.number}: its dealer, its knock card or its points`);
  });
  verdict.players.forEach((player, seat) => must(isNamed(page.names[seat], player.name, seat), `the name of the ${ROLES[seat]}`));
  const shown = shownBy(verdict, teller, told);
  for (const [what, texts] of Object.entries(shown)) must(same(texts.map(tidy), page.shown[what]), what);
  const isPlayed = told.hands.some(({ steps }) => steps.some((step) => step.position));
  must(!isPlayed || page.isMahjong === teller.isMahjong, "the kind of game");
  return { steps: count, wrong };
}

// -- the cards

function isDrawn({ state, card, actor, hides }, step, teller) {
  const { position } = step;
  if (actor !== step.seat || hides !== (step.share === null ? -1 : step.seat)) return false;
  if ((card ?? "") !== (step.card === null ? "" : LETTERS[step.card])) return false;
  if (!position) return !state;
  if (!state) return false;
  const { phase, toMove, limit, pile, stock, table } = position;
  const isOver = phase === "over";
  const open = isOver ? (position.isLaidOpen ? 3 : 0) : phase === "lay-off" ? 2 - toMove : 0;
  const melds = table.map(({ cards, by }) => `${letters(inRow(cards))}:${by[0].length ? (by[1].length ? "b" : "h") : "g"}`);
  const fits =
    state.pile === letters(pile) && state.s === stock && state.l === limit && state.t === (isOver ? -1 : toMove) &&
    (state.m ?? "") === melds.join(".") && state.o === open;
  return fits && ["x", "y"].every((key, seat) => isHeld(state[key], position, seat, teller));
}

// "melds|loose|count", or "?count|seen" of a hand that is not known.
function isHeld(text, { hands }, seat, teller) {
  const { cards, count, seen, melds, loose } = hands[seat];
  if (!cards) return text === `?${count}|${letters(seen)}`;
  const lying = lyingAs(text);
  if (!lying) return false;
  const laid = hands[1 - seat].laidOff;
  if (melds) {
    const rows = melds.map((meld, i) => {
      const added = laid.filter((each) => each.meld === i).map(({ card }) => card);
      return letters(inRow(meld)) + (added.length ? `+${letters(added)}` : "");
    });
    return text === `${rows.join(".")}|${letters(teller.dearestFirst(loose))}|${teller.pips(loose)}`;
  }
  const wraps = teller.rules["runs-wrap"] === "yes";
  const counted = teller.isMahjong ? mahjongPoints(cards) : leastDeadwood(cards, wraps, teller.rules["ace-pips"]);
  return (
    same(sorted([...lying.melds.flat(), ...lying.loose]), cards) &&
    lying.melds.every((meld) => isMeld(meld, wraps) && same(meld, inRow(meld))) &&
    same(lying.loose, teller.dearestFirst(lying.loose)) &&
    lying.count === counted && (teller.isMahjong || teller.pips(lying.loose) === counted)
  );
}

function lyingAs(text) {
  const found = /^([A-Za-z.+]*)\|([A-Za-z]*)\|(\d+)$/.exec(text ?? "");
  if (!found) return null;
  const [, melds, loose, count] = found;
  return { melds: melds ? melds.split(".").map(cardsOf) : [], loose: cardsOf(loose), count: Number(count) };
}

// Of up to eleven cards: the best of all ways to lay the lowest card in a meld, or not at all.
function leastDeadwood(cards, wraps, acePips) {
  const melds = meldsIn(cards, wraps);
  const least = (left) => {
    if (!left.length) return 0;
    const [card, ...others] = left;
    const ways = melds.filter((meld) => meld.includes(card) && meld.every((each) => left.includes(each)));
    const laid = ways.map((meld) => least(left.filter((each) => !meld.includes(each))));
    return Math.min(deadwoodOf([card], acePips) + least(others), ...laid);
  };
  return least(sorted(cards));
}

function meldsIn(cards, wraps) {
  const found = [];
  for (let bits = 0; bits < 2 ** cards.length; bits++) {
    const meld = cards.filter((_, i) => bits & (1 << i));
    if (isMeld(meld, wraps)) found.push(meld);
  }
  return found;
}

function sameHand({ n, d, k, w, f }, { number, dealer, steps }, score) {
  const position = steps.find((step) => step.position)?.position;
  const knockCard = position?.knockCard ?? null;
  return (
    n === number && d === dealer && f === number <= score.hands.length && same(w, pointsAfter(score, number)) &&
    k === (knockCard === null ? "" : LETTERS[knockCard])
  );
}

const pointsAfter = (score, number) => {
  const hands = score.hands.slice(0, number);
  return [0, 1].map((seat) => hands.reduce((sum, each) => sum + broughtBy(each, seat), 0));
};
const broughtBy = ({ winner, points, otherPoints }, seat) => (winner === seat ? points : otherPoints);

// -- the words beside the steps

// What looks like a quotation mark, which a name may not bring with it (ginpeer/names/quoting.py).
const MARKS = /["'`\u00ab\u00bb\u00b4\u02b9-\u02bf\u02c8\u02ca\u02cb\u02dd\u02ee\u02f4-\u02f6\u0374\u0384\u055a\u055d\u05f3\u05f4\u07f4\u07f5\u144a\u16cc\u1cd3\u1fbd\u1fbf\u1fef\u1ffd\u1ffe\u2018-\u201f\u2032-\u2037\u2057\u226a\u226b\u275b-\u275e\u2760\u2e42\u3003\u301d-\u301f\ua78c\uff02\uff07\uff40\u{16f51}\u{16f52}\u{1f676}-\u{1f678}]/gu;

// Whether this is how a page writes that name: in quotation marks or with the role behind it where
// it could be taken for something else, without what looks like such marks, and with a sign, U+FFFD,
// for each character that is not to be seen. (ginpeer/names)
function isNamed(shown, name, seat) {
  if (name === null) return shown === `the ${ROLES[seat]}`;
  const core = (text) => [...text.normalize("NFC").replace(MARKS, "").replace(/[\s\p{M}\u2066-\u2069]/gu, "")];
  const should = core(name);
  // How far in the name each sign can have come; U+FFFD is one character, or marks that stood on none.
  const fits = (is) => is.reduce((reached, each) => new Set([...reached].flatMap((at) =>
    each === "\ufffd" ? [at, at + 1] : each === should[at] ? [at + 1] : [])), new Set([0])).has(should.length);
  const bare = shown.replace(new RegExp(` \\(${ROLES[seat]}\\)$`), "");
  return fits(core(shown)) || fits(core(bare));
}

const minus = (n) => (n === null ? "" : String(n).replace("-", "\u2212"));

export function headline({ verdict, code, entries, failing_entry: at, evidence }) {
  const count = `${entries} ${entries === 1 ? "entry" : "entries"}`;
  if (code === "fork" && evidence) return `ILLEGAL: a player signed two different entries with the number ${evidence.place} (${code}).`;
  if (verdict === "valid") return `VALID: all ${count} hold, to the end.`;
  if (verdict === "incomplete") {
    return `INCOMPLETE: the match is not finished; ${count} ${entries === 1 ? "holds" : "hold"} so far.`;
  }
  if (verdict === "illegal") return `ILLEGAL: entry ${at} is signed by a player and may not be (${code}).`;
  return verdict === "forged" ? `FORGED OR DAMAGED: entry ${at} does not hold (${code}).` : `CANNOT BE READ (${code}).`;
}

function shownBy(verdict, teller, told) {
  const { names } = teller;
  const account = accountRows(verdict).flat();
  return {
    "the score sheet": ["Hand", "How it ended", ...names, ...told.hands.flatMap((hand) => sheetRow(hand, teller))],
    "the account": account.length ? ["Item", ...names, ...account] : [],
    "names and keys": ["Role", "Name, as claimed", "Key, proven by its signatures"].concat(verdict.players.flatMap(({ role, name, fingerprint }) => [
      role === "host" ? "Host" : "Guest", name ?? "nobody yet", fingerprint ?? "none yet",
    ])),
  };
}

function sheetRow({ number, dealer }, teller) {
  const { names, score } = teller;
  const [before, after] = [pointsAfter(score, number - 1), pointsAfter(score, number)];
  const isOver = number <= score.hands.length;
  const result = isOver ? teller.result(score.hands[number - 1]) : "It is not over.";
  const cells = [0, 1].map((seat) => (isOver ? `${minus(after[seat] - before[seat])} ${minus(after[seat])}` : ""));
  return [String(number), `${result} Dealt by ${names[dealer]}.`, ...cells];
}

const ITEMS = [
  ["hand_points", "From hands"], ["shutout", "Shutout"], ["game_bonus", "Game bonus"], ["boxes", "Boxes"], ["total", "Total"],
];

function accountRows({ games, decided, score }) {
  const isOne = games.length === 1 && games[0].columns.length === 1;
  const rows = [];
  for (const game of games) {
    for (const { number, over, score: of } of game.columns) {
      if (!over && !ROLES.some((role) => of[role].hands_won)) continue;
      if (!isOne) rows.push([`Game ${game.number}${game.columns.length > 1 ? `, column ${number}` : ""}`]);
      for (const [item, title] of ITEMS) {
        const values = ROLES.map((role) => of[role][item]);
        const isLittle = item === "shutout" || item === "game_bonus";
        if (values.every((value) => value === null) || (isLittle && values.every((value) => value === 0))) continue;
        const cells = ROLES.map((role, i) => minus(values[i]) + (item === "boxes" ? ` ${of[role].hands_won} won` : ""));
        rows.push([title, ...cells]);
      }
    }
  }
  if (rows.length && decided && !isOne && score) rows.push(["Grand totals", ...ROLES.map((role) => minus(score[role].total))]);
  return rows;
}
