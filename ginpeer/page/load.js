// Unpacks the script of the page and runs it; the policy knows it by its hash.
"use strict";
(async () => {
  // Five signs are four bytes; the last few signs stand for one byte less than they are.
  const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%:()*+-;,=.?@^_`{|}~";
  const signs = document.getElementById("packed").textContent.trim();
  const made = new DataView(new ArrayBuffer(Math.ceil(signs.length / 5) * 4));
  for (let at = 0; at < signs.length; at += 5) {
    const five = [...signs.slice(at, at + 5).padEnd(5, "~")];
    made.setUint32((at / 5) * 4, five.reduce((sum, sign) => sum * 85 + SIGNS.indexOf(sign), 0));
  }
  const bytes = made.buffer.slice(0, Math.floor((signs.length * 4) / 5));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const text = await new Response(stream).text();
  const policy = globalThis.trustedTypes?.createPolicy("ginpeer-page", { createScript: (own) => own });
  const script = document.createElement("script");
  script.text = policy ? policy.createScript(text) : text;
  document.head.append(script);
  script.remove();
  if (!globalThis.ginpeer) throw new Error("not the script that the policy names");
})().catch(() => { document.querySelectorAll("[id$=unable]").forEach((each) => { each.hidden = false; }); });
