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
import { breather, isWorker, judged, serveAsWorker } from "./judging.js";
import { logInPage } from "./log_element.js";
import { entriesInPage, namesInPage, offerToSave, offerToVerify } from "./proof.js";
import { skim } from "./skim.js";
import { rulesInWords } from "./rule_words.js";
import { readSheet } from "./typed.js";
import { viewOf } from "./view.js";
import { draw, listen } from "./walk.js";

let drawn = "";

function drawIfNew(view) {
  const now = JSON.stringify({ ...view, moves: "" });
  if (now === drawn) return;
  draw(view);
  drawn = now;
}

// Return what happened in the match. A typed match is in the page as text, not as a log.
async function read(bytes, count) {
  const isTyped = bytes[0] === "[".charCodeAt(0);
  return isTyped ? readSheet(new TextDecoder().decode(bytes)) : skim(bytes, count, breather());
}

async function begin() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [sheet];
  offerToSave();
  offerToVerify(drawIfNew);
  listen();
  try {
    drawIfNew(viewOf(await read(logInPage(), entriesInPage()), namesInPage()));
  } catch {
    $("table").hidden = true;
    document.body.classList.remove("live");
  }
  const hasMatch = entriesInPage() > 0 || $("list").querySelector("pre").textContent;
  $("unable").hidden = document.body.classList.contains("live") || !hasMatch;
}

globalThis.ginpeer = { judged, compare, read, rulesInWords, viewOf }; // load.js checks that this exists; tests use it
if (isWorker) serveAsWorker();
else if (globalThis.document) begin();
