// Judges a log, in a worker if the browser allows one.
import { judge } from "../verifier/src/log.js";
import { headline } from "./compare.js";
import { viewOf } from "./view.js";

// The name of our workers. A worker made from a blob recognizes by its name that it is one of ours.
const WORKER_NAME = "ginpeer-verify";
const LONGEST_BLOCK_MS = 40;

// The text of the script element that contains this code. The worker is made from it. It is
// available only while the script runs for the first time.
const ownText = globalThis.document?.currentScript?.textContent ?? "";

export const isWorker = Boolean(globalThis.WorkerGlobalScope && self.name === WORKER_NAME);

// Return a function for long work to await now and then, so that the page stays responsive.
export function breather() {
  let began = Date.now();
  return async () => {
    if (Date.now() - began < LONGEST_BLOCK_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    began = Date.now();
  };
}

// Return {verdict, said, view, told}: the verdict of PROTOCOL 13, the same in a sentence, what the
// page shows, and what happened in the match. *names*: as in the page. Rejects only if this program
// has a bug, never because of what is in *bytes*.
export async function judged(bytes, names, onLine = () => {}, breathe = async () => {}) {
  const { verdict, told, match } = await judge(bytes, onLine, breathe);
  const isSound = verdict.verdict === "valid" || verdict.verdict === "incomplete";
  const view = viewOf({ told, match }, names, isSound ? "" : verdict.verdict.toUpperCase());
  return { verdict, said: headline(verdict), view, told };
}

// Return the address in the form that a page with Trusted Types requires. A policy with a given
// name can be made only once.
let policy;
function trusted(url) {
  policy ??= globalThis.trustedTypes?.createPolicy(WORKER_NAME, { createScriptURL: (own) => own });
  return policy ? policy.createScriptURL(url) : url;
}

function inWorker(bytes, names, onLine, signal) {
  return new Promise((resolve, reject) => {
    const url = URL.createObjectURL(new Blob([ownText], { type: "text/javascript" }));
    const done = (settle, value) => {
      URL.revokeObjectURL(url);
      worker?.terminate();
      settle(value);
    };
    let worker;
    try {
      worker = new Worker(trusted(url), { name: WORKER_NAME });
    } catch (refused) {
      done(reject, refused);
      return;
    }
    signal.addEventListener("abort", () => done(reject, signal.reason), { once: true });
    worker.onerror = (event) => {
      event.preventDefault?.();
      done(reject, new Error("no worker"));
    };
    worker.onmessage = ({ data }) => {
      if (data.failed) done(reject, new Error("no verdict"));
      else if (data.found) done(resolve, data.found);
      else onLine(data.line);
    };
    worker.postMessage({ bytes, names });
  });
}

export function serveAsWorker() {
  globalThis.onmessage = ({ data }) =>
    judged(data.bytes, data.names, (line) => postMessage({ line })).then(
      ({ told: _, ...found }) => postMessage({ found }),
      () => postMessage({ failed: true }),
    );
}

// Do the same as `judged`, but keep the page responsive. Rejects if *signal* aborts it.
export async function judgedAside(bytes, names, onLine, signal) {
  let told = 0;
  try {
    return await inWorker(bytes, names, (line) => {
      told += 1;
      onLine(line);
    }, signal);
  } catch {
    // The browser doesn't allow a worker. Judge here, and skip the lines that a worker has already
    // reported.
    const breathe = breather();
    return judged(bytes, names, (line) => --told < 0 && onLine(line), async () => {
      await breathe();
      signal.throwIfAborted();
    });
  }
}
