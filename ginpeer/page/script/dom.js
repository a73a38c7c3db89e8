// Finds elements by their ids, and makes new ones. Text enters the page only as text: through
// textContent, append, or an attribute that is only read aloud.
/** @returns {any} */
export const $ = (id) => document.getElementById(id);

export function make(kind, cls, ...inside) {
  const made = document.createElement(kind);
  if (cls) made.className = cls;
  made.append(...inside.filter((part) => part !== null && part !== ""));
  return made;
}

// Return a new SVG element. The page's own symbols supply the namespace.
/** @returns {any} */
export function draw(kind, attributes) {
  const made = document.createElementNS(document.querySelector("svg").namespaceURI, kind);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
