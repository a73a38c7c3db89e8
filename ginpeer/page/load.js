// Unpacks what lies in the page packed, and runs what the policy knows by its hash.
"use strict";
const ginpeer = {
  inside: (id) => document.getElementById(id).textContent.replace(/\s/g, ""),
  // Five signs are four bytes; the last few signs stand for one byte less than they are.
  bytes(signs) {
    const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%:()*+-;,=.?@^_`{|}~";
    const made = new DataView(new ArrayBuffer(Math.ceil(signs.length / 5) * 4));
    for (let at = 0; at < signs.length; at += 5) {
      const five = [...signs.slice(at, at + 5).padEnd(5, "~")];
      made.setUint32((at / 5) * 4, five.reduce((sum, sign) => sum * 85 + SIGNS.indexOf(sign), 0));
    }
    return made.buffer.slice(0, Math.floor((signs.length * 4) / 5));
  },
  text(name) {
    const stream = new Blob([this.bytes(this.inside(`packed-${name}`))]).stream();
    return new Response(stream.pipeThrough(new DecompressionStream("deflate"))).text();
  },
  policy: globalThis.trustedTypes?.createPolicy("ginpeer-page", { createScript: (text) => text }),
  async style(name) {
    const style = document.createElement("style");
    style.textContent = await this.text(name);
    document.head.append(style);
  },
  async run(name) {
    const text = await this.text(name);
    const script = document.createElement("script");
    script.text = this.policy ? this.policy.createScript(text) : text;
    document.head.append(script);
  },
  async begin() {
    try {
      this.data = JSON.parse(await this.text("steps"));
      await this.style("style");
      await this.run("table");
      if (!this.runs) throw new Error("the policy let nothing run");
    } catch {
      document.getElementById("unable").hidden = false;
    }
  },
};
ginpeer.begin();
