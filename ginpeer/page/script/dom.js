// Elements by their ids, and new ones. Text goes into the page as text: by textContent, append, or
// an attribute that is only read aloud.
export const $ = (id) => document.getElementById(id);

export function make(kind, cls, ...inside) {
  const made = document.createElement(kind);
  if (cls) made.className = cls;
  made.append(...inside.filter((part) => part !== null && part !== ""));
  return made;
}
