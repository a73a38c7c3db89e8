// The script of a page: it draws the match from the log that the page carries, and has the log
// verified when somebody asks for that.
//
// Rule 1: text goes into the page as text (dom.js). Elements are made here, by their names.
// Rule 2: what is drawn first comes from the log unverified (skim.js), as far as the page says that
//         it holds. Nothing here calls it verified before the verifier has judged it, in a worker;
//         if that finds another match, that one is drawn.
// Rule 3: the button works even if the table can't be drawn.
// Rule 4: a browser may save the page as it stands. The script then finds everything again, and puts
//         nothing in twice.
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

// Of what somebody typed the page carries a text.
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

globalThis.ginpeer = { judged, compare, read, rulesInWords, viewOf }; // load.js asks whether it is there; tests use it
if (isWorker) serveAsWorker();
else if (globalThis.document) begin();
