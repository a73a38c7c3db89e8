// Draws the table, the moves in words and the score sheet from a view of the match. Buttons, keys
// and page addresses move through the match.
//
// A browser may save the page after this script has changed it. In the saved page, the script fills
// the same elements again and adds nothing twice.
import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { inWords, sign } from "./cards.js";
import { $, make } from "./dom.js";
import { nowShown, prefix, roots } from "./matches.js";
import { positionInWords } from "./position.js";
import { stepsIn } from "./view.js";

const LONG = 110; // a step with more characters is set smaller

let view = null;
let steps = []; // {id, group, at, entry, kind, seat, lines, card, hides, position, hand, points, link}
let beginnings = new Map(); // for each group, the step to show first: its deal
let now = 0;
let bottom = 0; // the seat drawn at the bottom
let eyes = -1; // the only seat whose cards are shown, or -1 for both
let opened = null;
let analysis = null;
let match = 0; // the match that was drawn last
const heard = new Set(); // the tables whose event handlers are attached

// -- filling the page from the view

// Draw the match that is shown, or nothing without a view. This happens again if the verifier finds
// a different match, and whenever another match is chosen.
export function draw(newView) {
  stop();
  steps = [];
  if (!newView) {
    $("table").hidden = true;
    roots()[nowShown()].classList.remove("live");
    return;
  }
  if (!heard.has($("table"))) attach();
  if (match !== nowShown()) [match, eyes, bottom, now] = [nowShown(), -1, 0, 0];
  view = newView;
  beginnings = new Map();
  opened = null;
  $("four").checked = document.body.classList.contains("four");
  layMoves();
  laySheet();
  layChoices();
  $("table").hidden = !steps.length;
  $("table").classList.remove("walked");
  roots()[nowShown()].classList.toggle("live", steps.length > 0);
  if (!steps.length) return;
  analysis = new Analysis(steps, view.names, show);
  tellMoves();
  $("slider").max = String(steps.length - 1);
  show(beginnings.get("h1") ?? 0, false);
  go();
}

function layMoves() {
  steps = stepsIn(view).map((step) => ({ ...step, id: prefix() + step.id, link: make("a") }));
  for (const { id, link } of steps) link.href = `#${id}`;
  const parts = view.groups.map(({ id: group, title, result, deal }) => {
    const own = steps.filter((step) => step.group === group);
    const list = make("ol", "", ...own.map(({ link }) => make("li", "", link)));
    beginnings.set(group, steps.indexOf(own.find((step) => step.hand && step.position) ?? own[0]));
    const summary = make("summary", "", make("b", "", title), " ", make("span", "", result));
    return make("details", "", summary, ...deal.map((line) => make("p", "deal", line)), list);
  });
  $("told-moves").replaceChildren(...parts);
}

// Write the steps into the list of moves, and mark the mistakes.
function tellMoves() {
  for (const old of $("told-moves").querySelectorAll(".cost")) old.remove();
  for (const [at, step] of steps.entries()) {
    step.link.replaceChildren(...says(step).flatMap((line, i) => (i ? [make("br"), line] : [line])));
    const cost = analysis.cost(at, eyes);
    const marked = cost ? [step.link, ...(analysis.isWorst(at) ? [step.link.closest("details").firstChild] : [])] : [];
    for (const each of marked) each.append(" ", make("span", "tag cost", cost));
  }
}

const cell = (kind, texts) => {
  const [first, ...others] = texts;
  return make(kind, "", first ?? "", ...others.flatMap((text) => [" ", make("small", "", text)]));
};
const heading = (scope, ...inside) => {
  const made = make("th", "", ...inside);
  made.scope = scope;
  return made;
};

const names = () => view.names.map((name) => heading("col", name));

function laySheet() {
  const rows = view.sheet.map(({ number, how, cells }) => {
    const link = make("a", "", String(number));
    link.href = `#${prefix()}h${number}`;
    return make("tr", "", heading("row", link), cell("td", how), ...cells.map((each) => cell("td", each)));
  });
  const sheet = make("table", "sheet",
    make("caption", "", `The points of each hand${view.hands[0]?.points ? ", and the running total" : ""}`),
    make("thead", "", make("tr", "", heading("col", "Hand"), heading("col", "How it ended"), ...names())),
    make("tbody", "", ...rows));
  $("sheet").replaceChildren(sheet, ...accountTable(), ...view.outcome.map((line) => make("p", "", line)));
  $("score").hidden = false;
}

function accountTable() {
  if (!view.account.length) return [];
  const parts = [];
  for (const { item, title, cells } of view.account) {
    if (!cells || !parts.length) parts.push({ title: cells ? "The account" : title, rows: [] });
    if (!cells) continue;
    if (item === "all") parts.push({ title: "The match", rows: [] });
    const isTotal = item === "total" || item === "all";
    parts.at(-1).rows.push(make("tr", isTotal ? "total" : "", heading("row", title), ...cells.map((each) => cell("td", each))));
  }
  // Columns of one game stand side by side if there is room.
  return [make("div", "accounts", ...parts.map(({ title, rows }) => make("table", "account",
    make("caption", "", title),
    make("thead", "", make("tr", "", heading("col", make("span", "vh", "Item")), ...names())),
    make("tbody", "", ...rows))))];
}

function layChoices() {
  $("hand").replaceChildren(...view.groups.map(({ id, title }) => new Option(title, id)));
  const whose = view.names.map((name, seat) => new Option(`as ${name} saw them`, String(seat)));
  $("eyes").replaceChildren(new Option("all known cards", "-1"), ...whose);
  $("eyes").value = String(eyes);
}

// Return the lines of a step. In the view of one player, the other player's draws are hidden.
function says({ lines, card, hides }) {
  if (eyes < 0 || hides === null || hides === eyes || card === null) return lines;
  return lines.map((line) => {
    const at = line.lastIndexOf(sign(card));
    return at < 0 ? line : `${line.slice(0, at)}a card${line.slice(at + sign(card).length)}`;
  });
}

// -- walking

// Show a step. *asked*: the user asked for it, so scroll to it, announce it and put it into the
// page address.
function show(at, asked = true) {
  const before = now;
  now = Math.min(Math.max(at, 0), steps.length - 1);
  const step = steps[now];
  const board = new Board(view, step, eyes);
  if (asked) $("table").classList.add("walked");
  $("board").className = view.rules?.mahjong === "yes" ? "mahjong" : "";
  $("board").style.setProperty("--bar", `${bannerHeight()}px`);
  const middle = board.middle();
  middle.append($("told")); // a saved page may have it inside the board
  const place = placeOf(step.card);
  $("board").replaceChildren(board.seat(1 - bottom), middle, board.seat(bottom));
  if (asked && steps[before]?.group === step.group && now === before + 1) moveFrom(place);
  const where = `${step.title}, step ${step.at} of ${step.of}`;
  $("where").textContent = where;
  const lines = says(step);
  $("sentence").replaceChildren(...lines.flatMap((line) => [make("p", "", line), " "]));
  $("sentence").className = lines.join(" ").length > LONG ? "long" : "";
  $("slider").value = String(now);
  $("slider").setAttribute("aria-valuetext", where);
  $("hand").value = step.group;
  for (const [id, end] of [["back", 0], ["prevhand", 0], ["next", steps.length - 1], ["nexthand", steps.length - 1]]) {
    $(id).setAttribute("aria-disabled", String(now === end));
  }
  for (const old of document.querySelectorAll("[aria-current=step]")) old.removeAttribute("aria-current");
  step.link.setAttribute("aria-current", "step");
  unfold(step.link);
  analysis.tell(now, eyes, bottom);
  // Text that is too long for its space can be scrolled, also with the keyboard.
  for (const text of [$("told"), $("advice")]) {
    if (text.scrollHeight > text.clientHeight + 1) text.tabIndex = 0;
    else text.removeAttribute("tabindex");
  }
  $("missing").textContent = "";
  hideCopied();
  if (!asked) return;
  $("live").textContent = inWords(`${where}. ${lines.join(" ")}`);
  remember(step.id);
  reveal();
}

// Return where this card is on the board. A card that isn't visible comes from the stock.
function placeOf(card) {
  const seen = $("board").querySelector(`[data-card="${card}"]`) ?? $("board").querySelector(".stock .back");
  return seen?.getBoundingClientRect();
}

// Animate the card of this step from the place where it was before.
function moveFrom(place) {
  const card = $("board").querySelector(".moved");
  if (!card || !place || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const { left, top } = card.getBoundingClientRect();
  card.style.animation = "none";
  card.animate(
    [{ transform: `translate(${place.left - left}px, ${place.top - top}px)`, zIndex: 3 }, { transform: "none", zIndex: 3 }],
    { duration: 260, easing: "ease-out" },
  );
}

const bannerHeight = () =>
  Math.max(0, ...[...document.querySelectorAll(".banner")].map((each) => each.getBoundingClientRect().height));

// Scroll to the table if it is out of sight, and far enough that the buttons at its foot don't
// cover it. If the table is taller than the window, make sure only that they don't cover the text
// of the step. The buttons themselves don't move away from under the mouse.
function reveal() {
  const at = (id) => $(id).getBoundingClientRect();
  const top = bannerHeight();
  const room = innerHeight - top - at("controls").height;
  const fits = at("board").height <= room;
  let foot = fits ? "board" : "told";
  if (!$("advice").hidden && at("advice").bottom - at("board").top <= room) foot = "advice";
  const isOut = at("board").bottom < top + 100 || at("board").top > innerHeight - 100;
  if (isOut || (fits && at("board").top < top)) scrollBy(0, at("board").top - top - 6);
  const over = at(foot).bottom - at("controls").top;
  if (over > 0) scrollBy(0, over);
}

// Return the index of the step that an address names, or -1 if there is none. "h3s7" is a step;
// "h3" is the step of that hand to show first. In an evening, "m2h3s7" names the match, too.
function found(id = "") {
  const own = prefix();
  const step = id.startsWith(own) ? id.slice(own.length) : id;
  return beginnings.get(step) ?? steps.findIndex((each) => each.id === own + step);
}

// Show the step that the page address names. If nothing has the focus, focus the table, so that keys
// work on it.
export function go() {
  if (!steps.length) return;
  const id = location.hash.slice(1);
  const at = found(id);
  if (at < 0 && (!id || $(id))) return;
  if (document.activeElement === document.body) $("table").focus({ preventScroll: true });
  if (at >= 0) show(at);
  else {
    const told = `This match has no step "${id.slice(0, 40)}". The link is wrong, or it belongs to another match.`;
    setTimeout(() => { $("missing").textContent = told; }); // after the table has appeared, to be announced
    $("table").scrollIntoView({ block: "start" });
  }
}

function unfold(link) {
  const part = link.closest("details");
  if (opened && opened !== part) opened.open = false;
  part.open = true;
  opened = part;
  const box = $("moves");
  if (box.scrollHeight > box.clientHeight + 4) {
    const to = link.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (to < 60 || to > box.clientHeight - 80) box.scrollTop += to - box.clientHeight / 2;
  }
}

// Put the step into the page address. Some browsers refuse frequent changes, so only the last of
// several quick ones is made.
let timer = 0;
function remember(id) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    try { history.replaceState(null, "", `#${id}`); } catch { /* it then names an older step */ }
  }, 200);
}

function handBy(by) {
  const order = [...beginnings.keys()];
  const at = order.indexOf(steps[now].group) + by;
  show(at < 0 ? 0 : at < order.length ? beginnings.get(order[at]) : steps.length - 1);
}

// Show the next step of this kind. After the last one, start again from the beginning.
function nextSuch(isSuch) {
  const order = [...steps.keys()].map((at) => (now + 1 + at) % steps.length);
  const at = order.find(isSuch);
  if (at !== undefined) show(at);
}

// Copy the position. If the browser forbids that, show the text, selected.
async function copy() {
  const verdict = roots()[nowShown()].querySelector(".banner p")?.textContent ?? "";
  const text = positionInWords(view, steps[now], eyes, says(steps[now]), verdict);
  hideCopied();
  try {
    await navigator.clipboard.writeText(text);
    $("copied").textContent = "Copied.";
  } catch {
    $("position").value = text;
    $("position").hidden = false;
    $("position").select();
    $("copied").textContent = "This browser doesn't let the page copy. The text is selected: copy it yourself.";
  }
}

function hideCopied() {
  $("copied").textContent = "";
  $("position").hidden = true;
}

// -- automatic play

const STEP_MS = 1500;
let player = 0;

function stop() {
  clearInterval(player);
  player = 0;
  $("play").textContent = "Play";
}

function playOn() {
  if (player) {
    stop();
    return;
  }
  if (now === steps.length - 1) show(0);
  $("play").textContent = "Pause";
  player = setInterval(() => {
    show(now + 1);
    if (now === steps.length - 1) stop();
  }, STEP_MS);
}

const KEYS = {
  " ": playOn,
  k: () => nextSuch((at) => steps[at].kind === "knock"),
  m: () => nextSuch((at) => analysis.isMistake(at)),
  c: () => nextSuch((at) => analysis.isWorst(at)),
  ArrowLeft: () => show(now - 1),
  ArrowRight: () => show(now + 1),
  Home: () => show(0),
  End: () => show(steps.length - 1),
  PageUp: () => handBy(-1),
  PageDown: () => handBy(1),
};

let clicked = null; // the element that a mouse click focused, as long as it keeps the focus
let focused = null; // the element that last had the focus, even if drawing a step has removed it

// Keys work in the table, and in the lists that link to its steps. Elsewhere they keep their usual
// meaning, except for the left and right arrows, which scroll nothing.
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.shiftKey && !/^[a-z]$/i.test(event.key)) return;
  const active = document.activeElement || document.body;
  const at = /** @type {HTMLInputElement} */ (active === document.body ? focused ?? active : active);
  const isStep = /^Arrow(Left|Right)$/.test(event.key) && at.matches("body, a, button, summary");
  if (!isStep && !at.closest("#table, #worst, #moves, #score, #analysis")) return;
  if (at.matches("select, textarea")) return;
  if (at.type === "range" && /^(Arrow|Home|End)/.test(event.key)) return;
  // Space presses the button that has the focus, unless a mouse click put the focus there.
  if (event.key === " " && at !== clicked && at.matches("button, summary, [type=checkbox]")) return;
  const jump = /^[1-9]$/.test(event.key) ? beginnings.get(`h${event.key}`) : undefined;
  const key = event.key.length > 1 ? event.key : event.key.toLowerCase();
  if (jump === undefined && !KEYS[key]) return;
  event.preventDefault();
  if (player && key !== " ") stop();
  if (jump === undefined) KEYS[key]();
  else show(jump);
}

// Attach the event handlers of the page. Called once, before anything is drawn.
export function listen() {
  document.body.classList.remove("four");
  document.addEventListener("keydown", (event) => steps.length && pressed(event));
  document.addEventListener("focusin", ({ target }) => {
    clicked = null;
    focused = target;
  });
  document.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    clicked = event.detail ? document.activeElement : null;
    focused = document.activeElement;
    if (target !== $("play") && target.closest("#table, #worst")) stop();
    const link = target.closest("#moves a, #score a, #analysis a");
    const at = found(link?.getAttribute("href")?.slice(1));
    if (at < 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(at);
  });
  window.addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("[id$=moves] details")) part.setAttribute("open", "");
  });
}

// Attach the event handlers of the match that is shown.
function attach() {
  heard.add($("table"));
  $("slider").addEventListener("input", () => show(Number($("slider").value)));
  const keys = { back: "ArrowLeft", next: "ArrowRight", prevhand: "PageUp", nexthand: "PageDown", mistake: "m", worst: "c", play: " " };
  for (const [id, key] of Object.entries(keys)) $(id).addEventListener("click", KEYS[key]);
  for (const id of ["slider", "hand"]) $(id).addEventListener("input", stop);
  $("hand").addEventListener("change", () => show(beginnings.get($("hand").value)));
  $("eyes").addEventListener("change", () => {
    eyes = Number($("eyes").value);
    if (eyes >= 0) bottom = eyes;
    tellMoves();
    show(now);
  });
  $("turn").addEventListener("click", () => { bottom = 1 - bottom; show(now); });
  $("copy").addEventListener("click", copy);
  $("four").addEventListener("change", () => document.body.classList.toggle("four", $("four").checked));
}
