// The button that verifies the logs of a page and compares the page with them.
import { compare, tidy } from "./compare.js";
import { $, make } from "./dom.js";
import { eveningInWords } from "./evening.js";
import { judgedAside } from "./judging.js";
import { logsInPage } from "./log_element.js";
import { nowShown, prefix, roots } from "./matches.js";

const textsIn = (root, selector) => [...root.querySelectorAll(selector)].map((each) => each.textContent);

// Return what the page itself, without this script, says about the match in this element.
export function inPage(root) {
  const texts = (selector) => textsIn(root, selector);
  return {
    names: ["host", "guest"].flatMap((role) => texts(`h1 .${role}`)),
    heading: tidy(texts("h1").join()),
    rules: texts(".kind").join(),
    ruleText: texts("[id$=rules]").join(),
    summary: tidy(texts("[id$=summary], [id$=said]").join(" ")),
    finding: texts(".finding").join(),
    entries: Number(root.querySelector("[id$=list]").dataset.entries),
    players: texts(".players tr > *").map(tidy),
    moves: texts("[id$=list] pre").join(),
  };
}

// Return where the page of an evening differs from its logs in what it says about all matches, as
// phrases. *pages*: what it says about each match. *found*: what was found in each log.
function compareEvening(pages, found) {
  const [links, said] = ["#matches a", "#evening .kind, #evening h1, .sums th, .sums td, .note"]
    .map((selector) => textsIn($("evening"), selector).map(tidy));
  const words = eveningInWords(found.map(({ verdict }, at) => ({ verdict, names: pages[at].names })), said).map(tidy);
  const same = (a, b, what) => (JSON.stringify(a) === JSON.stringify(b) ? [] : [what]);
  return [
    ...same(links, pages.map(({ heading }) => heading), "the list of matches"),
    ...same(said, words, "who won how many matches, and the points"),
  ];
}

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
  if (owes) lines.push(make("li", "", `Still missing from the ${owes.role}: ${owes.what}.`));
  return lines;
}

// Return what a verdict proves, and nothing that it doesn't.
const meaning = (verdict) => (verdict.verdict === "valid" ? meaningOf("this match", isOpen(verdict)) : "");

// Return whether both players disclosed all their cards.
const isOpen = ({ hands, disclosed }) =>
  hands.length > 0 && disclosed?.host === hands.length && disclosed?.guest === hands.length;

// *which*: the matches whose logs are valid. *open*: whether all cards in them are disclosed.
function meaningOf(which, open) {
  const hidden = open ? "" : " Cards that were never shown stay unknown, but they are proven to be legal.";
  return ` Both keys signed ${which} as one chain of entries, every shuffle, card and move is legal, and every point is right.${hidden} Not proven: who holds the keys, or that they belong to two different people.`;
}

// Name what was compared, and what wasn't.
const LIMITS = "The analysis is advice and wasn't compared. This check can't detect anything added to the page or hidden in it; ginpeer verify can.";
const EXTENT = `The page's verdict, names, keys, rules, moves and points were compared with the log. The table and its text are made from the log. ${LIMITS}`;
const EXTENT_OF_ALL = `The verdict, names, keys, rules, moves and points of each match were compared with its log. The headline, the list of matches and the totals were compared with all of the logs. The tables and their text are made from the logs. ${LIMITS}`;

const ALARM = "DON'T TRUST THIS PAGE";
const title = globalThis.document?.title.replace(`${ALARM}: `, "");

// *said*: the verdict on the log of a single match.
function warn(wrong, said) {
  const more = wrong.length > 8 ? `; and ${wrong.length - 8} more` : "";
  const [own, verdict] = said ? ["log disagrees", ` The log itself: ${said}`] : ["logs disagree", ""];
  const loud = `${ALARM}. Its own ${own} with the page: ${wrong.slice(0, 8).join("; ")}${more}.${verdict}`;
  $("outcome").className = "differs";
  $("outcome").textContent = loud;
  const alarm = make("aside", "banner", make("p", "", loud));
  alarm.id = "alarm";
  document.querySelector("header").before(alarm);
  document.title = `${ALARM}: ${title}`;
}

const VERIFY = "Verify here, now";
let stopper = null; // aborts the verification that is running

// Verify every log and show the outcome, or stop if that is what the button says. *take(view, at)*:
// called with the view of each match.
async function verify(take) {
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
    let logs;
    try {
      logs = logsInPage();
      if (logs.length !== roots().length) throw new Error("not the matches of the logs");
    } catch {
      const of = $("evening") ? " of each match" : "";
      outcome.textContent = `This page doesn't contain exactly one complete log${of}, so nothing can be verified. Ask for another copy.`;
      return;
    }
    const isEvening = logs.length > 1;
    const pages = roots().map(inPage);
    const found = [];
    const wrong = [];
    for (const [at, bytes] of logs.entries()) {
      const which = isEvening ? `match ${at + 1} of ${logs.length}, ` : "";
      if (isEvening) $("progress").append(make("li", "", make("b", "", `Match ${at + 1}`)));
      const each = await judgedAside(bytes, pages[at].names, ({ text, hand, hands }) => {
        $("progress").append(make("li", "", text));
        run.textContent = `Stop (${which}hand ${hand} of ${hands})`;
      }, signal);
      found.push(each);
      take(each.view, at);
      wrong.push(...compare(pages[at], each).map((what) => (isEvening ? `match ${at + 1}: ${what}` : what)));
      if (isEvening) $("progress").append(make("li", "", each.said), ...foundHere(each.verdict));
    }
    if (isEvening) wrong.push(...compareEvening(pages, found));
    const [{ verdict, said }] = found;
    if (wrong.length) warn(wrong, isEvening ? "" : said);
    else if (isEvening) outcome.textContent = `${outcomeOf(found)} ${EXTENT_OF_ALL}`;
    else {
      const done = verdict.verdict === "valid" ? "The log is verified" : "The log has been checked";
      outcome.textContent = `${done}: ${said}${meaning(verdict)} ${EXTENT}`;
      $("progress").append(...foundHere(verdict));
    }
  } catch {
    outcome.textContent = signal.aborted ? `You stopped this before ${$("evening") ? "all logs were" : "the whole log was"} checked.` : "This browser couldn't finish, or this page is damaged. Try another browser, or ginpeer verify.";
  } finally {
    stopper = null;
    run.textContent = VERIFY;
  }
}

// Return what was found in all logs of an evening.
function outcomeOf(found) {
  const count = found.length;
  const all = count === 2 ? "Both" : `All ${count}`;
  const valid = found.filter(({ verdict }) => verdict.verdict === "valid").length;
  if (valid === count) return `${all} logs are verified: no cheating found.${meaningOf("each match", found.every((each) => isOpen(each.verdict)))}`;
  const which = found.flatMap(({ verdict, said }, at) => (verdict.verdict === "valid" ? [] : [`Match ${at + 1}: ${said}`]));
  return `${all} logs have been checked, and ${valid} of them ${valid === 1 ? "is" : "are"} valid. ${which.join(" ")}`;
}

export function offerToVerify(take) {
  if (!$("verify")) return; // a typed match has no signatures to verify
  $("verify").hidden = false;
  $("run").textContent = VERIFY;
  $("outcome").textContent = $("outcome").className = "";
  $("progress").replaceChildren();
  const again = $("said")?.textContent ? "Check it again here" : "Check it here";
  const way = make("button", "", $("evening") ? "Check them all here" : again);
  way.id = "way";
  way.type = "button";
  $("way")?.remove();
  ($("all-check") ?? $("check")).prepend(way);
  way.addEventListener("click", () => {
    $("verify").scrollIntoView({ block: "start" });
    $("run").focus({ preventScroll: true });
    if (!stopper) $("run").click();
  });
  $("run").addEventListener("click", () => verify(take));
}

export function offerToSave() {
  $("save").hidden = false;
  $("save").addEventListener("click", () => {
    try {
      const link = make("a");
      link.href = URL.createObjectURL(new Blob([logsInPage()[nowShown()]]));
      link.download = `match${prefix().slice(1)}.ginlog`;
      link.click();
    } catch {
      $("save").textContent = "This page doesn't contain exactly one complete log";
    }
  });
}
