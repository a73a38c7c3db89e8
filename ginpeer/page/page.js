// What moves in the page: the log and the button that verifies it, then the table, step by step.
//
// Rule 1: text goes into the page as text: by textContent, or an attribute that is only read aloud.
//         Elements are made here, by their names in this file.
// Rule 2: the words of each step are those that stand in the page without this script. They are
//         taken from there.
// Rule 3: which cards lie where was found by whoever made the page (positions.py has the form). The
//         button compares it with the log, and says what it compared.
// Rule 4: the button works even if the table can't be drawn.
// Rule 5: a browser may save the page as it stands, with what this script put into it. The script
//         then finds everything again, and puts nothing in twice.
//
// load.js has unpacked this, and unpacks the verifier.
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const RANK_WORDS = ["ace", ...RANKS.slice(1, 10), "jack", "queen", "king"];
const SUITS = "♣♦♥♠";
const SUIT_WORDS = ["clubs", "diamonds", "hearts", "spades"];

const rank = (letter) => LETTERS.indexOf(letter) % 13;
const suit = (letter) => Math.floor(LETTERS.indexOf(letter) / 13);
const sign = (letter) => RANKS[rank(letter)] + SUITS[suit(letter)];
const inWords = (text) => text.replace(/(10|[2-9AJQK])([♣♦♥♠])/g, (_, r, s) =>
  `${RANK_WORDS[RANKS.indexOf(r)]} of ${SUIT_WORDS[SUITS.indexOf(s)]}`);

function make(kind, cls, ...inside) {
  const made = document.createElement(kind);
  if (cls) made.className = cls;
  made.append(...inside.filter((part) => part !== null && part !== ""));
  return made;
}

// --- the log -----------------------------------------------------------------------------

const NAME = "ginpeer-" + "log"; // which may stand in a page only once
const SPACE = "[\\t\\n\\f\\r ]*";
const SPELT = [...NAME].map((sign) => `(?:${sign}|&#0*${sign.charCodeAt(0)};?|&#x0*${sign.charCodeAt(0).toString(16)};?)`).join("");
const NAMED = new RegExp(`id${SPACE}=${SPACE}(?:["']|&[^;<>]{1,9};)?${SPELT}`, "gi");
const TAG = /<script(?=[\t\n\f\r /])((?:[^"'>]|"[^"]*"|'[^']*')*)>/gi;
const ATTRIBUTE = /([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >"'][^\t\n\f\r >]*)))?/g;
const unescaped = (text) => text.replace(/&#(?:x([\da-f]+)|(\d+));?/gi, (_, hex, digits) =>
  String.fromCodePoint(Math.min(hex ? parseInt(hex, 16) : Number(digits), 0xfffd)));

// The bytes of the log, by the rules at the head of ginpeer/store/page_log.py: the program finds
// the same log in this page, or both refuse it.
function log() {
  const text = [...document.childNodes].map((node) => node.outerHTML ?? `<!${node.data}>`).join("");
  const count = (inside) => inside.match(NAMED)?.length ?? 0;
  const [tag, ...others] = [...text.matchAll(TAG)].filter(([each]) => count(each));
  if (!tag || others.length || count(text) !== count(tag[0])) throw new Error("not one log");
  const attributes = {};
  for (const [, key, ...values] of tag[1].matchAll(ATTRIBUTE)) attributes[key.toLowerCase()] ??= unescaped(values.join(""));
  const start = tag.index + tag[0].length;
  const end = text.indexOf("<", start);
  const letters = text.slice(start, end).replace(/[ \t\r\n]/g, "");
  const isFree = text.lastIndexOf("<", tag.index - 1) < text.lastIndexOf(">", tag.index - 1);
  const isOurs = attributes.type === "text/plain" && attributes.id === NAME && Object.keys(attributes).length === 2;
  const isWhole = letters && /^<\/script[\t\n\f\r />]/i.test(text.slice(end, end + 9)) && btoa(atob(letters)) === letters;
  if (document.characterSet !== "UTF-8" || !isFree || !isOurs || !isWhole) throw new Error("no whole log");
  return Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
}

$("save").hidden = false;
$("save").addEventListener("click", () => {
  try {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([log()]));
    link.download = "match.ginlog";
    link.click();
  } catch {
    $("save").textContent = "This page does not carry exactly one whole log";
  }
});

// --- a second opinion --------------------------------------------------------------------

// What the table section below found in the page; null if it could not draw the table.
let page = null;

// Who played, who has won, and whose turn or entry it is, as the log says.
function foundHere({ players, winner, score, author, owes }) {
  const lines = players.filter((player) => player.key).map((player) =>
    make("li", "", `The ${player.role}: key ${player.fingerprint}, called `, make("bdi", "", player.name), "."));
  if (winner) {
    const other = winner === "host" ? "guest" : "host";
    lines.push(make("li", "", `The ${winner} has won, ${score[winner].total} to ${score[other].total}.`));
  }
  if (author) lines.push(make("li", "", `The ${author} signed the entry that is not allowed.`));
  if (owes) lines.push(make("li", "", `The ${owes.role} comes next and owes ${owes.what}.`));
  return lines;
}

// What a verdict means, and no more.
function meaning({ verdict, hands, disclosed }) {
  if (verdict !== "valid") return "";
  const open = hands.length && disclosed?.host === hands.length && disclosed?.guest === hands.length;
  const hidden = open ? "" : " Cards that nobody has shown stay unknown, but they are proven to be what they have to be.";
  return ` Both keys have signed this match in one chain, and every shuffle, card, move and point is legal.${hidden} Not proven: who holds the keys, or that two different people do.`;
}

// What was compared, and no more.
function extent(compared) {
  if (!compared) return "The table could not be drawn, so nothing else on this page was compared with the log.";
  return `Compared with the log: ${compared.steps} steps at the table and in words, the points, the names and the keys. This does not find what was added to the page or hidden in it; ginpeer verify does.`;
}

const ALARM = "DO NOT BELIEVE THIS PAGE";
const title = document.title.replace(`${ALARM}: `, "");

async function judge() {
  const run = $("run");
  if (run.getAttribute("aria-disabled") === "true") return;
  run.setAttribute("aria-disabled", "true");
  const outcome = $("outcome");
  $("progress").replaceChildren();
  $("alarm")?.remove();
  document.title = title;
  outcome.className = "";
  outcome.textContent = "Verifying ...";
  try {
    let bytes;
    try {
      bytes = log();
    } catch {
      outcome.textContent = "This page does not carry exactly one whole log, so nothing can be verified. Ask for another copy.";
      return;
    }
    if (!globalThis.ginpeerVerify) await ginpeer.run("verifier");
    const tell = (line) => $("progress").append(make("li", "", line.text));
    const { verdict, said, compared } = await ginpeerVerify(bytes, tell, page);
    const wrong = compared?.wrong ?? [];
    if (wrong.length) {
      const more = wrong.length > 8 ? `; and ${wrong.length - 8} more` : "";
      const loud = `${ALARM}. Its own log disagrees with the page: ${wrong.slice(0, 8).join("; ")}${more}. About the log itself: ${said}`;
      outcome.className = "differs";
      outcome.textContent = loud;
      const alarm = make("aside", "banner", make("p", "", loud));
      alarm.id = "alarm";
      document.querySelector("header").before(alarm);
      document.title = `${ALARM}: ${title}`;
    } else {
      const done = verdict.verdict === "valid" ? "The log is verified" : "The log has been checked";
      outcome.textContent = `${done}: ${said}${meaning(verdict)} ${extent(compared)}`;
      $("progress").append(...foundHere(verdict));
    }
  } catch {
    outcome.textContent = "This browser could not finish, or this page is damaged. Try another browser, or ginpeer verify.";
  } finally {
    run.setAttribute("aria-disabled", "false");
  }
}

if ($("packed-verifier")) {
  $("verify").hidden = false;
  $("run").setAttribute("aria-disabled", "false");
  $("outcome").textContent = "";
  $("progress").replaceChildren();
  const way = make("a", "", "Verify it here");
  way.href = "#verify";
  const line = make("p", "sub", way);
  line.id = "way";
  $("way")?.remove();
  document.querySelector("header").append(line);
  $("run").addEventListener("click", judge);
}

// What draws the table, and walks through the match.
function layTable(data) {
// --- the steps ---------------------------------------------------------------------------

const steps = [];
const dealt = new Map(data.hands.map((hand) => [`h${hand.n}`, hand]));
const groups = new Map();
for (const part of document.querySelectorAll("#moves details")) {
  const group = part.id || part.dataset.group;
  const own = [...part.querySelectorAll("li")].map((row, i) => {
    const texts = [...(row.querySelector("a") ?? row).childNodes].filter((n) => n.nodeType === 3);
    const lines = row.dataset.said?.split("\n") ?? texts.map((n) => n.data.trim());
    return { id: `${group}s${i + 1}`, group, at: i + 1, row, lines, hand: dealt.get(group) || null };
  });
  groups.set(group, own);
  steps.push(...own);
}
let lastSeen = null;
for (const [group, own] of groups) {
  let state = null;
  let pile = "";
  own.forEach((step, at) => {
    const change = step.hand ? step.hand.steps[at] : {};
    if (change.p !== undefined) {
      const [, gone, come] = /^(\d+)(.*)$/.exec(change.p);
      pile = pile.slice(0, pile.length - Number(gone)) + come;
    }
    if (change.s !== undefined || state) state = { ...state, ...change, c: change.c, d: change.d, pile };
    step.state = state;
    step.card = change.c;
    step.actor = change.a;
    step.hides = change.d ? change.a : -1;
  });
  if (group === "end") own.forEach((step) => { step.state = lastSeen; });
  else if (state) lastSeen = { ...state, c: undefined };
}

function place(step) {
  if (step.group === "h0") return "Before the first hand";
  if (step.group === "end") return "After the last hand";
  return `Hand ${step.hand.n}`;
}

function score(step) {
  if (step.group === "h0" || !data.hands.length) return [0, 0];
  if (step.group === "end") return data.hands[data.hands.length - 1].w;
  const at = data.hands.indexOf(step.hand);
  if (step.hand.f && step.state && step.state.t < 0) return step.hand.w;
  return at ? data.hands[at - 1].w : [0, 0];
}

// What a step says; who sees the match with one player's eyes does not see the other's draws.
function says(step) {
  if (eyes < 0 || step.hides < 0 || step.hides === eyes || !step.card) return step.lines;
  const card = sign(step.card);
  return step.lines.map((line) => {
    const at = line.lastIndexOf(card);
    return at < 0 ? line : `${line.slice(0, at)}a card${line.slice(at + card.length)}`;
  });
}

// --- the table ---------------------------------------------------------------------------

let now = 0;
let bottom = 0;
let eyes = -1;

function drawing(which) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#s${which}`);
  svg.append(use);
  return svg;
}

function face(letter, moved, kind = "") {
  const is = suit(letter);
  const made = make("div", `card s${is} ${kind}${letter === moved ? " moved" : ""}`);
  made.append(make("b", "", RANKS[rank(letter)]), drawing(is), drawing(is));
  return made;
}

const back = () => make("div", "card back");

function meldInWords(cards) {
  const named = [...cards];
  if (named.every((c) => suit(c) === suit(named[0]))) {
    return `${named.map((c) => RANK_WORDS[rank(c)]).join(", ")} of ${SUIT_WORDS[suit(named[0])]}`;
  }
  if (named.every((c) => rank(c) === rank(named[0]))) {
    return `${RANK_WORDS[rank(named[0])]} of ${named.map((c) => SUIT_WORDS[suit(c)]).join(", ")}`;
  }
  return cardsInWords(cards);
}

function cardsInWords(cards) {
  return [...cards].map((c) => `${RANK_WORDS[rank(c)]} of ${SUIT_WORDS[suit(c)]}`).join(", ");
}

// A row of cards in groups, which lie over each other as far as the room asks for it.
function row(label, parts, cls) {
  const made = make("div", `row ${cls}`, ...parts.map((part) => make("div", part.kind, ...part.cards)));
  const count = parts.reduce((sum, part) => sum + part.cards.length, 0);
  made.style.setProperty("--n", Math.max(count, 2));
  made.style.setProperty("--g", Math.max(parts.length, 1));
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  return made;
}

function hand(seat, state) {
  const name = data.names[seat];
  const text = state[seat ? "y" : "x"];
  const moved = state.c;
  if (text[0] === "?") {
    const [count, seen] = text.slice(1).split("|");
    const hidden = Number(count) - seen.length;
    const parts = [{ kind: "hidden", cards: Array.from({ length: hidden }, back) }];
    let label = `${name}: ${hidden} cards that are not known`;
    if (seen) {
      parts.push({ kind: "loose", cards: [...seen].map((c) => face(c, moved)) });
      label += `, and seen taken: ${cardsInWords(seen)}`;
    }
    return [row(label, parts.filter((part) => part.cards.length), "hand"), `${count} cards`];
  }
  const [joined, loose, count] = text.split("|");
  const melds = joined ? joined.split(".") : [];
  const all = joined.replace(/\+[A-Za-z]+|\./g, "") + loose;
  if (eyes >= 0 && eyes !== seat && !(state.o >> seat & 1)) {
    const parts = [{ kind: "hidden", cards: Array.from(all, back) }];
    return [row(`${name}: ${all.length} cards, hidden from this view`, parts, "hand"), `${all.length} cards`];
  }
  const parts = melds.map((meld) => {
    const [own, added = ""] = meld.split("+");
    return { kind: "meld", cards: [...[...own].map((c) => face(c, moved)), ...[...added].map((c) => face(c, moved, "added"))] };
  });
  if (loose) parts.push({ kind: "loose", cards: [...loose].map((c) => face(c, moved)) });
  const told = melds.map((meld) => {
    const [own, added] = meld.split("+");
    return `meld ${meldInWords(own)}${added ? `, laid off on it ${cardsInWords(added)}` : ""}`;
  });
  if (loose) told.push(`${data.mahjong ? "loose" : "deadwood"} ${cardsInWords(loose)}`);
  const counted = data.mahjong ? `counts ${count}` : `deadwood ${count}`;
  return [row(`${name}: ${told.join("; ") || "no cards"}`, parts, "hand"), counted];
}

function seat(who, step) {
  const state = step.state;
  const made = make("div", "seat");
  const id = make("span", "id", make("bdi", "name", data.names[who]));
  if (step.hand && step.hand.d === who) id.append(make("span", "tag", "dealer"));
  if (state && state.t === who) id.append(make("span", "tag turn", "to play"));
  const head = make("div", "who", id);
  const points = score(step)[who];
  head.append(make("span", "points", make("b", "", String(points).replace("-", "−")), points === 1 ? " point" : " points"));
  made.append(head);
  if (!state) return made;
  const [cards, counted] = hand(who, state);
  head.lastChild.before(make("span", "counted", counted));
  made.append(cards);
  return made;
}

function middle(step) {
  const made = make("div", "middle");
  const state = step.state;
  if (!state) {
    made.append(make("p", "empty", step.group === "h0" ? "No cards are dealt yet." : "The cards are being shuffled and dealt."));
    return made;
  }
  if (state.m) {
    const melds = state.m.split(".").map((meld) => meld.split(":"));
    const shown = melds.map(([cards, whose]) => {
      const who = whose === "b" ? "both" : data.names[whose === "h" ? 0 : 1];
      const kind = make("div", "laid", row(`${meldInWords(cards)}, laid by ${who}`, [{ kind: "meld", cards: [...cards].map((c) => face(c, state.c)) }], ""));
      kind.append(make("small", "", make("bdi", "", who)));
      return kind;
    });
    made.append(make("div", "table", ...shown));
  }
  const stock = make("div", "stock", back(), make("small", "", `stock ${state.s}`));
  stock.firstChild.append(make("b", "", String(state.s)));
  stock.firstChild.setAttribute("aria-hidden", "true");
  const top = state.pile.slice(-(data.mahjong ? 24 : 9));
  const label = state.pile ? `Discard pile, the top is ${cardsInWords(state.pile.slice(-1))}` : "No discards";
  const cards = row(label, [{ kind: "pile", cards: [...top].map((c) => face(c, state.c)) }], "discards");
  const limit = state.l === null ? "" : state.l ? `; knock with ${state.l} or less` : "; only gin ends the hand";
  const count = state.pile.length ? `discards ${state.pile.length}` : "no discards";
  made.append(stock, make("div", "upcard", cards, make("small", "", count + limit)));
  if (step.hand && step.hand.k) {
    made.append(make("div", "stock", face(step.hand.k, ""), make("small", "", "knock card")));
  }
  return made;
}

// --- walking -----------------------------------------------------------------------------

let opened = null;

// *asked*: somebody wants to see it, and hear of it.
function show(at, asked = true) {
  now = Math.min(Math.max(at, 0), steps.length - 1);
  const step = steps[now];
  $("board").replaceChildren(seat(1 - bottom, step), middle(step), seat(bottom, step));
  const of = groups.get(step.group).length;
  const where = `${place(step)}, step ${step.at} of ${of}`;
  $("where").textContent = where;
  const lines = says(step);
  $("sentence").replaceChildren(...lines.map((line) => make("p", "", line)));
  $("slider").value = String(now);
  $("slider").setAttribute("aria-valuetext", where);
  $("hand").value = step.group;
  for (const [id, end] of [["back", 0], ["prevhand", 0], ["next", steps.length - 1], ["nexthand", steps.length - 1]]) {
    $(id).setAttribute("aria-disabled", String(now === end));
  }
  for (const old of document.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
  step.row.firstChild.setAttribute("aria-current", "step");
  unfold(step.row);
  $("missing").hidden = true;
  if (!asked) return;
  $("live").textContent = inWords(`${where}. ${lines.join(" ")}`);
  remember(step.id);
  reveal();
}

// Scroll to the table if it is out of sight; and on a low screen, until the buttons at its foot no
// longer cover what the step says.
function reveal() {
  const at = (id) => $(id).getBoundingClientRect();
  if (at("board").bottom < 100 || at("board").top > innerHeight - 100) $("table").scrollIntoView({ block: "start" });
  const over = at("told").bottom - at("controls").top;
  if (over > 0) scrollBy(0, over);
}

// Show what the address names: "h3s7" is a step, "h3" where that hand is looked at first.
function go() {
  const id = location.hash.slice(1);
  const at = found(id);
  if (at >= 0) show(at);
  else if (id && !$(id)) {
    $("missing").textContent = `This match has no step "${id.slice(0, 40)}". The link is wrong, or it belongs to another match.`;
    $("missing").hidden = false;
    $("table").scrollIntoView({ block: "start" });
  }
}

function unfold(element) {
  const part = element.closest("details");
  if (opened && opened !== part) opened.open = false;
  part.open = true;
  opened = part;
  const box = $("moves");
  if (box.scrollHeight > box.clientHeight + 4) {
    const to = element.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (to < 60 || to > box.clientHeight - 80) box.scrollTop += to - box.clientHeight / 2;
  }
}

// The address says where we are. Some browsers refuse to be told too often: the last one counts.
let timer = 0;
function remember(id) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    try { history.replaceState(null, "", `#${id}`); } catch { /* it then names an older step */ }
  }, 200);
}

const found = (id) => groups.has(id) ? beginning(id) : steps.findIndex((step) => step.id === id);

function handBy(by) {
  const order = [...groups.keys()];
  const at = order.indexOf(steps[now].group);
  const to = order[Math.min(Math.max(at + by, 0), order.length - 1)];
  show(to === steps[now].group ? (by < 0 ? 0 : steps.length - 1) : beginning(to));
}

// A hand is looked at from the deal on.
function beginning(group) {
  const own = groups.get(group);
  return steps.indexOf(own.find((step) => step.hand && step.state) || own[0]);
}

const KEYS = {
  ArrowLeft: () => show(now - 1),
  ArrowRight: () => show(now + 1),
  Home: () => show(0),
  End: () => show(steps.length - 1),
  PageUp: () => handBy(-1),
  PageDown: () => handBy(1),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const at = document.activeElement || document.body;
  if (at !== document.body && !at.closest("#table, #moves, #score")) return;
  if (at.tagName === "SELECT") return;
  if (at.type === "range" && !event.key.startsWith("Page") && !/^[1-9]$/.test(event.key)) return;
  const jump = /^[1-9]$/.test(event.key) && groups.has(`h${event.key}`);
  if (!jump && !KEYS[event.key]) return;
  event.preventDefault();
  if (jump) show(beginning(`h${event.key}`));
  else KEYS[event.key]();
});

function begin() {
  for (const step of steps) {
    const link = make("a");
    link.href = `#${step.id}`;
    step.row.replaceChildren(link);
  }
  // With an id, the browser would scroll there, and away from the table.
  for (const part of document.querySelectorAll("#moves details[id]")) {
    part.dataset.group = part.id;
    part.removeAttribute("id");
  }
  tellRows();
  $("slider").max = String(steps.length - 1);
  $("slider").addEventListener("input", (event) => show(Number(event.target.value)));
  $("back").addEventListener("click", KEYS.ArrowLeft);
  $("next").addEventListener("click", KEYS.ArrowRight);
  $("prevhand").addEventListener("click", KEYS.PageUp);
  $("nexthand").addEventListener("click", KEYS.PageDown);
  for (const id of ["hand", "eyes"]) $(id).replaceChildren();
  for (const [group, own] of groups) $("hand").append(new Option(place(own[0]), group));
  $("hand").addEventListener("change", (event) => show(beginning(event.target.value)));
  $("eyes").append(new Option("as both saw them", "-1"));
  data.names.forEach((name, at) => $("eyes").append(new Option(`as ${name} saw them`, String(at))));
  $("eyes").addEventListener("change", (event) => {
    eyes = Number(event.target.value);
    if (eyes >= 0) bottom = eyes;
    tellRows();
    show(now);
  });
  $("turn").addEventListener("click", () => { bottom = 1 - bottom; show(now); });
  document.body.classList.remove("four");
  $("four").addEventListener("change", (event) => document.body.classList.toggle("four", event.target.checked));
  document.querySelector("main").addEventListener("click", (event) => {
    const at = found(event.target.closest("#moves a, #score a")?.hash.slice(1));
    if (at < 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(at);
  });
  window.addEventListener("hashchange", go);
  window.addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("#moves details")) part.open = true;
  });
  $("table").hidden = false;
  document.body.classList.add("live");
  for (const part of document.querySelectorAll("#moves details")) part.open = false;
  show(groups.has("h1") ? beginning("h1") : 0, false);
  go();
}

function tellRows() {
  for (const step of steps) {
    const parts = says(step).flatMap((line, at) => (at ? [document.createElement("br"), line] : [line]));
    step.row.firstChild.replaceChildren(...parts);
    if (says(step) === step.lines) delete step.row.dataset.said;
    else step.row.dataset.said = step.lines.join("\n");
  }
}

const words = (element) => element.textContent.replace(/\s+/g, " ").trim();
const cells = (kind) => [...document.querySelectorAll(`.${kind} tr > *`)].map(words);
page = {
  names: data.names,
  isMahjong: data.mahjong,
  hands: data.hands.map(({ steps: _, ...hand }) => hand),
  steps: steps.map(({ group, lines, state, card, actor, hides }) => ({ group, lines, state, card, actor, hides })),
  shown: { "the score sheet": cells("sheet"), "the account": cells("account"), "names and keys": cells("players") },
};
if (steps.length) begin();
ginpeer.drawn = true;
}

try {
  layTable(ginpeer.data);
} catch {
  page = null;
  $("table").hidden = true;
  document.body.classList.remove("live");
}
})();
