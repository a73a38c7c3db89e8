// What a page calls: ginpeerVerify(bytes, onProgress, page). The package head says how a page carries it.
import { judge } from "./log.js";

// A blob's worker asks itself by this name whether it is one of ours.
const WORKER_NAME = "ginpeer-verify";
const LONGEST_BLOCK_MS = 40;

// The text of the script element in which this stands: what the worker is made of. Only known
// while the script runs for the first time; "" where it came in another way.
const ownText = globalThis.document?.currentScript?.textContent ?? "";

// On the page's own thread others get their turn between entries.
function breather() {
  let began = Date.now();
  return async () => {
    if (Date.now() - began < LONGEST_BLOCK_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    began = Date.now();
  };
}

// Where a page trusts no address as such. A policy of one name can be made once.
let policy;
function trusted(url) {
  policy ??= globalThis.trustedTypes?.createPolicy(WORKER_NAME, { createScriptURL: (own) => own });
  return policy ? policy.createScriptURL(url) : url;
}

function inWorker(bytes, page, onProgress) {
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
      else onProgress(data.line);
    };
    worker.postMessage({ bytes, page });
  });
}

// {verdict, said, told, compared}: the verdict of PROTOCOL 13, what happened (which stays in the
// worker), and with a *page* how it compares with that. Rejects only if this program is at fault, never for what is in *bytes*.
async function ginpeerVerify(bytes, onProgress = () => {}, page = null) {
  if (!(bytes instanceof Uint8Array)) throw new TypeError("bytes of a log are a Uint8Array");
  const copy = bytes.slice(); // what is judged is what was given, whatever becomes of it meanwhile
  let told = 0;
  if (ownText && typeof Worker === "function") {
    try {
      return await inWorker(copy, page, (line) => {
        told += 1;
        onProgress(line);
      });
    } catch {
      // A page opened as a file, or a policy without worker-src: then here, more slowly for others.
    }
  }
  return judge(copy, (line) => --told < 0 && onProgress(line), breather(), page);
}

if (globalThis.WorkerGlobalScope && globalThis.name === WORKER_NAME) {
  globalThis.onmessage = ({ data }) =>
    judge(data.bytes, (line) => postMessage({ line }), async () => {}, data.page).then(
      ({ told: _, ...found }) => postMessage({ found }),
      () => postMessage({ failed: true }),
    );
} else globalThis.ginpeerVerify = ginpeerVerify;
