// The button that verifies the log and compares the page with it.
import { compare, tidy } from "./compare.js";
import { $, make } from "./dom.js";
import { judgedAside } from "./judging.js";
import { logInPage } from "./log_element.js";

const texts = (selector) => [...document.querySelectorAll(selector)].map((each) => each.textContent);

export const namesInPage = () => ["host", "guest"].flatMap((role) => texts(`h1 .${role}`));
export const entriesInPage = () => Number($("list").dataset.entries);

// Return what the page says without this script.
const inPage = () => ({
  names: namesInPage(),
  heading: tidy(texts("h1").join()),
  rules: texts(".kind").join(),
  ruleText: texts("#rules").join(),
  summary: tidy(texts("#summary, #said").join(" ")),
  finding: texts(".finding").join(),
  entries: entriesInPage(),
  players: texts(".players tr > *").map(tidy),
  moves: texts("#list pre").join(),
});

// Return what the log says as list items: who played, who won, who signed an illegal entry, and who
// owes the next entry.
function foundHere({ players, winner, score, author, owes }) {
  const lines = players.filter((player) => player.key).map((player) =>
    make("li", "", `The ${player.role}: key ${player.fingerprint}, called `, make("bdi", "", player.name), "."));
  if (winner) {
    const other = winner === "host" ? "guest" : "host";
    lines.push(make("li", "", `The ${winner} won, ${score[winner].total} to ${score[other].total}.`));
  }
  if (author) lines.push(make("li", "", `The ${author} signed the illegal entry.`));
  if (owes) lines.push(make("li", "", `Next, the ${owes.role} owes ${owes.what}.`));
  return lines;
}

// Return what a verdict proves, and nothing that it doesn't.
function meaning({ verdict, hands, disclosed }) {
  if (verdict !== "valid") return "";
  const open = hands.length && disclosed?.host === hands.length && disclosed?.guest === hands.length;
  const hidden = open ? "" : " Cards that were never shown stay unknown, but they are proven to be legal.";
  return ` Both keys signed this match in one chain, and every shuffle, card, move and point is legal.${hidden} Not proven: who holds the keys, or that they belong to two different people.`;
}

// Name what was compared, and what wasn't.
const EXTENT = "The page's verdict, names, keys, rules, moves and points were compared with the log. The table and its text are made from the log. The analysis is advice and wasn't compared. This check can't detect anything added to the page or hidden in it; ginpeer verify can.";

const ALARM = "DON'T TRUST THIS PAGE";
const title = globalThis.document?.title.replace(`${ALARM}: `, "");

function warn(wrong, said) {
  const more = wrong.length > 8 ? `; and ${wrong.length - 8} more` : "";
  const loud = `${ALARM}. Its own log disagrees with the page: ${wrong.slice(0, 8).join("; ")}${more}. The log itself: ${said}`;
  $("outcome").className = "differs";
  $("outcome").textContent = loud;
  const alarm = make("aside", "banner", make("p", "", loud));
  alarm.id = "alarm";
  document.querySelector("header").before(alarm);
  document.title = `${ALARM}: ${title}`;
}

const VERIFY = "Verify here, now";
let stopper = null; // aborts the verification that is running

// Verify the log and show the outcome, or stop if that is what the button says. *draw*: draws the table from a view, unless it already shows
// an equal one.
async function verify(draw) {
  const run = $("run");
  if (stopper) {
    stopper.abort();
    return;
  }
  stopper = new AbortController();
  const { signal } = stopper;
  run.textContent = "Stop";
  const outcome = $("outcome");
  $("progress").replaceChildren();
  $("alarm")?.remove();
  document.title = title;
  outcome.className = "";
  outcome.textContent = "Verifying...";
  try {
    let bytes;
    try {
      bytes = logInPage();
    } catch {
      outcome.textContent = "This page doesn't contain exactly one complete log, so nothing can be verified. Ask for another copy.";
      return;
    }
    const page = inPage();
    const found = await judgedAside(bytes, page.names, ({ text, hand, hands }) => {
      $("progress").append(make("li", "", text));
      run.textContent = `Stop (hand ${hand} of ${hands})`;
    }, signal);
    const { verdict, said, view } = found;
    draw(view);
    const wrong = compare(page, found);
    if (wrong.length) warn(wrong, said);
    else {
      const done = verdict.verdict === "valid" ? "The log is verified" : "The log has been checked";
      outcome.textContent = `${done}: ${said}${meaning(verdict)} ${EXTENT}`;
      $("progress").append(...foundHere(verdict));
    }
  } catch {
    outcome.textContent = signal.aborted ? "You stopped this before the whole log was checked." : "This browser couldn't finish, or this page is damaged. Try another browser, or ginpeer verify.";
  } finally {
    stopper = null;
    run.textContent = VERIFY;
  }
}

export function offerToVerify(draw) {
  if (!$("verify")) return; // a typed match has no signatures to verify
  $("verify").hidden = false;
  $("run").textContent = VERIFY;
  $("outcome").textContent = "";
  $("progress").replaceChildren();
  const way = make("button", "", $("said").textContent ? "Check it again, here" : "Check it here");
  way.id = "way";
  way.type = "button";
  $("way")?.remove();
  $("check").prepend(way);
  way.addEventListener("click", () => {
    $("verify").scrollIntoView({ block: "start" });
    $("run").focus({ preventScroll: true });
    if (!stopper) $("run").click();
  });
  $("run").addEventListener("click", () => verify(draw));
}

export function offerToSave() {
  $("save").hidden = false;
  $("save").addEventListener("click", () => {
    try {
      const link = make("a");
      link.href = URL.createObjectURL(new Blob([logInPage()]));
      link.download = "match.ginlog";
      link.click();
    } catch {
      $("save").textContent = "This page doesn't contain exactly one complete log";
    }
  });
}
