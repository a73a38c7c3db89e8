// Unpacks what lies in the page packed, and runs what the policy knows by its hash.
"use strict";
const ginpeer = {
  bytes(id) {
    const text = document.getElementById(id).textContent.replace(/\s/g, "");
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  },
  text(name) {
    const stream = new Blob([this.bytes(`packed-${name}`)]).stream();
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
