// Unpacks what lies in the page packed, and runs what the policy knows by its hash.
"use strict";
const ginpeer = {
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
    const stream = new Blob([this.bytes(document.getElementById(`packed-${name}`).textContent.trim())]).stream();
    return new Response(stream.pipeThrough(new DecompressionStream("deflate"))).text();
  },
  policy: globalThis.trustedTypes?.createPolicy("ginpeer-page", { createScript: (text) => text }),
  async style(name) {
    const style = document.createElement("style");
    style.id = `unpacked-${name}`;
    style.textContent = await this.text(name);
    document.getElementById(style.id)?.remove(); // a browser that saves a page keeps it
    document.head.append(style);
  },
  async run(name) {
    const text = await this.text(name);
    const script = document.createElement("script");
    script.text = this.policy ? this.policy.createScript(text) : text;
    document.head.append(script);
    script.remove();
  },
  async begin() {
    const fails = () => {};
    await this.text("steps").then((text) => { this.data = JSON.parse(text); }).catch(fails);
    await this.style("style").catch(fails);
    await this.run("table").catch(fails);
    document.getElementById("unable").hidden = Boolean(this.drawn);
  },
};
ginpeer.begin();
