// The script of a page. It draws the match from the log in the page, and verifies the log when the
// user asks for it.
//
// Rule 1: text enters the page only as text (dom.js). This script creates elements by their names.
// Rule 2: the first table is drawn from the unverified log (skim.js), up to the last entry that the
//         page calls valid. Nothing here calls the log verified before the verifier has judged it,
//         in a worker. If the verifier finds a different match, that match is drawn instead.
// Rule 3: the Verify button works even if the table can't be drawn.
// Rule 4: a browser may save the page after this script has changed it. In the saved page, the
//         script fills the same elements again and adds nothing twice.
// @ts-expect-error: the build imports a style as text
import style from "../table.css";
import { compare } from "./compare.js";
import { $ } from "./dom.js";
import { eveningInWords } from "./evening.js";
import { breather, isWorker, judged, serveAsWorker } from "./judging.js";
import { logsInPage } from "./log_element.js";
import { choose, named, nowShown, roots } from "./matches.js";
import { inPage, offerToSave, offerToVerify } from "./proof.js";
import { skim } from "./skim.js";
import { rulesInWords } from "./rule_words.js";
import { readSheet } from "./typed.js";
import { viewOf } from "./view.js";
import { draw, go, listen } from "./walk.js";

const views = []; // of the matches that have been drawn or verified
let drawn = "";

// Draw the match that is shown, unless its table is already drawn.
function drawIfNew() {
  const now = JSON.stringify({ ...views[nowShown()], moves: "", at: nowShown() });
  if (now === drawn) return;
  draw(views[nowShown()]);
  drawn = now;
}

// Draw what was found by verifying a match.
function drawVerified(view, at) {
  views[at] = view;
  if (at === nowShown()) drawIfNew();
}

// Return what happened in the match. A typed match is in the page as text, not as a log.
async function read(bytes, count) {
  const isTyped = bytes[0] === "[".charCodeAt(0);
  return isTyped ? readSheet(new TextDecoder().decode(bytes)) : skim(bytes, count, breather());
}

// Show a match, and draw it.
async function open(at) {
  choose(at);
  try {
    if (!views[at]) {
      const { entries, names } = inPage(roots()[at]);
      const found = viewOf(await read(logsInPage()[at], entries), names);
      views[at] ??= found;
    }
    if (at === nowShown()) drawIfNew();
  } catch {
    if (at === nowShown()) draw(null);
  }
  if (at !== nowShown()) return;
  const { entries, moves } = inPage(roots()[at]);
  $("unable").hidden = roots()[at].classList.contains("live") || !(entries || moves);
}

async function begin() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [sheet];
  offerToSave();
  offerToVerify(drawVerified);
  listen();
  window.addEventListener("hashchange", () => (named(location.hash) === nowShown() ? go() : open(named(location.hash))));
  await open(named(location.hash));
}

globalThis.ginpeer = { judged, compare, eveningInWords, read, rulesInWords, viewOf }; // load.js checks that this exists; tests use it
if (isWorker) serveAsWorker();
else if (globalThis.document) begin();
