// Has a log judged, in a worker where the browser lets a page have one.
import { judge } from "../verifier/src/log.js";
import { headline } from "./compare.js";
import { viewOf } from "./view.js";

// A blob's worker asks itself by this name whether it is one of ours.
const WORKER_NAME = "ginpeer-verify";
const LONGEST_BLOCK_MS = 40;

// The text of the script element in which this stands: what the worker is made of. Only known
// while the script runs for the first time.
const ownText = globalThis.document?.currentScript?.textContent ?? "";

export const isWorker = Boolean(globalThis.WorkerGlobalScope && globalThis.name === WORKER_NAME);

// What long work awaits now and then, so that the page stays responsive.
export function breather() {
  let began = Date.now();
  return async () => {
    if (Date.now() - began < LONGEST_BLOCK_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    began = Date.now();
  };
}

// {verdict, said, view, told}: the verdict of PROTOCOL 13, in a sentence too, and what the log shows
// and says. *names*: as the page has them. Rejects only if this program is at fault, never for what
// is in *bytes*.
export async function judged(bytes, names, onLine = () => {}, breathe = async () => {}) {
  const { verdict, told, match } = await judge(bytes, onLine, breathe);
  const isSound = verdict.verdict === "valid" || verdict.verdict === "incomplete";
  const view = viewOf({ told, match }, names, isSound ? "" : verdict.verdict.toUpperCase());
  return { verdict, said: headline(verdict), view, told };
}

// Where a page trusts no address as such. A policy of one name can be made once.
let policy;
function trusted(url) {
  policy ??= globalThis.trustedTypes?.createPolicy(WORKER_NAME, { createScriptURL: (own) => own });
  return policy ? policy.createScriptURL(url) : url;
}

function inWorker(bytes, names, onLine) {
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

// As `judged`, and the page stays responsive meanwhile.
export async function judgedAside(bytes, names, onLine) {
  let told = 0;
  try {
    return await inWorker(bytes, names, (line) => {
      told += 1;
      onLine(line);
    });
  } catch {
    // If the browser allows no worker, then here.
    return judged(bytes, names, (line) => --told < 0 && onLine(line), breather());
  }
}
