// The search over all pages and names, and the choice of light or dark.
"use strict";

const root = document.documentElement;
const kept = (() => {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // a browser that keeps nothing
  }
})();
if (kept) root.dataset.theme = kept;

/** Pages that have all words, the best first: [score, entry]. A name counts more than a text. */
function search(pages, words) {
  const found = [];
  for (const entry of pages) {
    const [, title, , text] = entry.lower ??= entry.map((part) => part.toLowerCase());
    let score = 0;
    for (const word of words) {
      const last = title.split(/::|\//).pop();
      const value = title === word || last === word ? 100
        : last.startsWith(word) ? 40
          : title.includes(word) ? 20
            : text.includes(word) ? 1 + Math.min(text.split(word).length, 9) : 0;
      if (value === 0) {
        score = 0;
        break;
      }
      score += value;
    }
    if (score > 0) found.push([score, entry]);
  }
  // Of equal ones the shorter name; what was changed once is not what somebody looks for first.
  const value = ([score, entry]) => (entry[2] === "Changelog" ? score / 10 : score);
  return found.sort((a, b) => value(b) - value(a) || a[1][1].length - b[1][1].length);
}

/** Appends a text with the words marked. */
function append(parent, text, words) {
  let at = 0;
  const lower = text.toLowerCase();
  while (at < text.length) {
    const next = words.map((word) => [lower.indexOf(word, at), word])
      .filter(([place]) => place >= 0).sort((a, b) => a[0] - b[0])[0];
    parent.append(text.slice(at, next ? next[0] : undefined));
    if (!next) return;
    const mark = document.createElement("mark");
    mark.textContent = text.slice(next[0], next[0] + next[1].length);
    parent.append(mark);
    at = next[0] + next[1].length;
  }
}

function line(entry, words) {
  const [place, title, page, text] = entry;
  const item = document.createElement("li");
  const link = item.appendChild(document.createElement("a"));
  link.href = place;
  append(link, title, words);
  const small = link.appendChild(document.createElement("small"));
  const first = Math.max(0, entry.lower[3].indexOf(words[0]) - 40);
  const around = (first ? "…" : "") + text.slice(first, first + 120);
  append(small, (page === title ? "" : `${page}: `) + around, words);
  return item;
}

function start() {
  const form = document.querySelector("form");
  const input = document.querySelector("#search");
  const list = document.querySelector("#found");
  const button = document.querySelector("#theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const shown = () => root.dataset.theme ?? (dark.matches ? "dark" : "light");
  const label = () => (button.textContent = shown() === "dark" ? "Light" : "Dark");
  form.hidden = button.hidden = false;
  label();
  dark.addEventListener("change", label);
  button.addEventListener("click", () => {
    root.dataset.theme = shown() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      // it holds for this page then
    }
    label();
  });

  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.hidden = words.length === 0;
    if (!window.pages || list.hidden) return;
    const found = search(window.pages, words);
    list.querySelector("p").textContent = found.length === 0 ? "Nothing found"
      : found.length === 1 ? "1 place" : `${found.length} places`;
    list.querySelector("ul").replaceChildren(
      ...found.slice(0, 40).map(([, entry]) => line(entry, words)));
  };
  input.addEventListener("focus", () => {
    if (window.pages || document.querySelector("#index")) return;
    const script = document.createElement("script");
    script.id = "index";
    script.src = "search.js";
    script.addEventListener("load", show);
    document.head.append(script);
  });
  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  const links = () => [input, ...list.querySelectorAll("a")];
  form.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      links()[Math.max(0, links().indexOf(document.activeElement) + step)]?.focus();
    } else if (event.key === "Escape") {
      list.hidden = true;
      input.focus();
    }
  });
  document.addEventListener("click", (event) => {
    if (!form.contains(event.target)) list.hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/input|textarea/i.test(document.activeElement.tagName)) {
      event.preventDefault();
      input.focus();
    }
  });
  document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest" });
  if (location.hash === "") scrollTo(0, 0);
}
document.addEventListener("DOMContentLoaded", start);
