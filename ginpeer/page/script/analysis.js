// Shows the analysis in the page: the advice on the current step, the list of mistakes with a link
// to each step, and a graph of the chances of winning. It is part of the page, not of the log. If a
// page has no analysis, or a damaged one, the table is drawn without it.
import { $, draw, make } from "./dom.js";

const HEIGHT = 100;

// Return the analysis in the page, or null if there is none or it can't be read: *best* and *close*
// are sets of entries, *worst* is an entry, *items* and *chances* are maps by entry.
function inPage() {
  try {
    const { best, close, worst, chances } = JSON.parse($("values").textContent);
    const items = new Map([...document.querySelectorAll("#analysis li[data-entry]")].map((item) =>
      [Number(item.getAttribute("data-entry")), item]));
    return {
      best: new Set(best), close: new Set(close), worst, items,
      chances: new Map(chances.map(([entry, ...both]) => [entry, both.map(Number)])),
    };
  } catch {
    return null;
  }
}

export class Analysis {
  // *steps*: the steps of the walk. *show(at)*: shows the step with this index.
  constructor(steps, names, show) {
    this.found = inPage();
    this.steps = steps;
    this.names = names;
    this.show = show;
    $("chances").replaceChildren();
    $("chances").hidden = true;
    $("advice").textContent = "";
    $("advice").hidden = !this.found;
    for (const id of ["mistake", "worst"]) $(id).hidden = !this.found?.items.size;
    if (!this.found) return;
    this.layLinks();
    // For each step, both players' chances after the last choice so far.
    this.course = [];
    let last = null;
    for (const { entry, share } of steps) {
      last = this.found.chances.get(entry) ?? this.found.chances.get(share) ?? last;
      this.course.push(last);
    }
    if (last) this.layGraph();
  }

  layLinks() {
    for (const step of this.steps) {
      const link = this.found.items.get(step.entry)?.querySelector("a");
      if (link) link.href = `#${step.id}`;
    }
  }

  // Return *seat*'s chance of winning, in thousandths, as the player *eyes* saw it, or the mean of
  // both players' views if *eyes* is -1; null before the first choice.
  chance(at, seat, eyes) {
    const both = this.course?.[at];
    if (!both) return null;
    const own = both[seat];
    const byOther = 1000 - both[1 - seat];
    return eyes < 0 ? (own + byOther) / 2 : eyes === seat ? own : byOther;
  }

  layGraph() {
    const count = this.steps.length;
    this.svg = draw("svg", { viewBox: `0 0 ${count} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
    this.area = draw("path", { class: "area" });
    this.mark = draw("path", { class: "mark" });
    const ends = this.steps.flatMap(({ group }, at) => (at && group !== this.steps[at - 1].group ? [at] : []));
    const lines = ends.map((at) => `M${at} 0V${HEIGHT}`).join("");
    this.svg.append(this.area, draw("path", { class: "hands", d: `M0 ${HEIGHT / 2}H${count}${lines}` }), this.mark);
    this.caption = make("p", "");
    const axis = make("div", "axis", ...["100%", "50%", "0%"].map((each) => make("span", "", each)));
    axis.ariaHidden = "true";
    this.svg.addEventListener("click", ({ clientX }) => {
      const { left, width } = this.svg.getBoundingClientRect();
      this.show(Math.floor((clientX - left) / width * count));
    });
    $("chances").append(this.caption, make("div", "graph", this.svg, axis));
    $("chances").hidden = false;
  }

  // Show the advice on a step, and the chances of the player *below*, as the player *eyes* saw
  // them, or as both players did if *eyes* is -1.
  tell(at, eyes, below) {
    if (!this.found) return;
    const { entry, seat } = this.steps[at];
    $("advice").textContent = eyes < 0 || eyes === seat ? this.advice(entry, seat) : "";
    if (!this.svg) return;
    const heights = this.steps.map((_, each) => this.chance(each, below, eyes));
    const line = heights.map((chance, each) =>
      `L${each} ${HEIGHT - (chance ?? 500) / 10}H${each + 1}`).join("");
    this.area.setAttribute("d", `M0 ${HEIGHT}${line}V${HEIGHT}Z`);
    this.mark.setAttribute("d", `M${at + 0.5} 0V${HEIGHT}`);
    const whose = `judging by what ${eyes < 0 ? "both players" : this.names[eyes]} saw`;
    const chance = heights[at];
    const told = chance === null ? "unknown before the first choice" : `${Math.round(chance / 10)}%, ${whose}`;
    this.caption.textContent = `${this.names[below]}'s chance of winning the game: ${told}.`;
    this.svg.setAttribute("aria-label", this.caption.textContent);
  }

  advice(entry, seat) {
    if (this.found.best.has(entry)) return "The best choice.";
    if (this.found.close.has(entry)) return "About as good as the best choice.";
    const said = this.found.items.get(entry)?.querySelector("span")?.textContent;
    return said ? `For ${this.names[seat]}: ${said}` : "";
  }

  // Return the words that mark a mistake in the list of moves, as the player *eyes* sees it, or "".
  cost(at, eyes) {
    if (!this.isMistake(at) || (eyes >= 0 && eyes !== this.steps[at].seat)) return "";
    return this.isWorst(at) ? "Costliest mistake" : "Mistake";
  }

  isWorst(at) {
    return this.steps[at].entry === this.found?.worst;
  }

  isMistake(at) {
    return Boolean(this.found?.items.has(this.steps[at].entry));
  }
}
