// The matches of a page. In a page of one match, the whole page is that match. In a page of an
// evening, each match is an article, and one of them is shown. The ids in that article lose their
// prefix, such as m2-, so its elements are found and styled as in a page of one match.
const articles = () => [...document.querySelectorAll("article")];
const REFERENCES = ["id", "for", "aria-labelledby"];

let shown = 0;

// Return the index of the match that is shown.
export const nowShown = () => shown;
// Return the element around each match.
export const roots = () => (articles().length ? articles() : [document.body]);
// Return the prefix of the steps' addresses: m2 in the second match of an evening.
export const prefix = () => (articles().length ? `m${shown + 1}` : "");

// Return the index of the match that an address names, or if it names none, of the match shown.
export function named(hash) {
  const at = Number(/^#m(\d+)/.exec(hash)?.[1]) - 1;
  return articles()[at] ? at : shown;
}

// Show this match and hide the others.
export function choose(at) {
  shown = at;
  articles().forEach((article, i) => {
    article.hidden = i !== at;
    for (const name of REFERENCES) {
      for (const each of article.querySelectorAll(`[${name}]`)) {
        const plain = each.getAttribute(name).replace(/^m\d+-/, "");
        each.setAttribute(name, i === at ? plain : `m${i + 1}-${plain}`);
      }
    }
  });
  document.querySelectorAll("#matches a").forEach((link, i) => {
    if (i === at) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
}
