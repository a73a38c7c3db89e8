// Elements by their ids, and new ones. Text goes into the page as text: by textContent, append, or
// an attribute that is only read aloud.
export const $ = (id) => document.getElementById(id);

export function make(kind, cls, ...inside) {
  const made = document.createElement(kind);
  if (cls) made.className = cls;
  made.append(...inside.filter((part) => part !== null && part !== ""));
  return made;
}

// A part of a drawing. The page's own symbols know the namespace.
export function draw(kind, attributes) {
  const made = document.createElementNS(document.querySelector("svg").namespaceURI, kind);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
