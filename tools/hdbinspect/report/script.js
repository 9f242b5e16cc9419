// The page is complete without this script. It switches between light and dark colours, and shows the slots
(() => {
  "use strict";
  const root = document.documentElement;
  const button = document.getElementById("theme");
  if (button) {
    const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    const name = () => { button.textContent = dark() ? "Light colours" : "Dark colours"; };
    button.hidden = false;
    button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
    name();
  }
  addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
  const number = (text) => Number(text).toLocaleString("en");
  for (const map of document.querySelectorAll("svg[data-cells]")) {
    const cells = map.dataset.cells.split(" ");
    const words = map.dataset.words.split(" ");
    const columns = Number(map.dataset.columns);
    const width = Number(map.dataset.width);
    const slots = Number(map.dataset.slots);
    const readout = map.parentElement.querySelector("output");
    const cursor = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    cursor.setAttribute("class", "cursor");
    cursor.setAttribute("width", "10");
    cursor.setAttribute("height", "10");
    let at = -1;
    const show = (cell) => {
      if (cell < 0 || cell >= cells.length) return;
      at = cell;
      cursor.setAttribute("x", String((cell % columns) * 10 - 0.5));
      cursor.setAttribute("y", String(Math.floor(cell / columns) * 10 - 0.5));
      if (!cursor.isConnected) map.append(cursor);
      const first = cell * width;
      const last = Math.min(first + width, slots) - 1;
      const parts = cells[cell].split(",");
      const counts = words.map((word, i) => [word, parts[i] || "0"]).filter((pair) => pair[1] !== "0");
      const text = counts.map((pair) => `${number(pair[1])} ${pair[0]}`).join(", ") || map.dataset.none;
      const low = parts[words.length];
      const high = parts[words.length + 1] || low;
      const generations = !low ? "" : low === high ? `; generation ${number(low)}` : `; generations ${number(low)} to ${number(high)}`;
      readout.textContent = (first === last ? `Slot ${number(first)}: ` : `Slots ${number(first)} to ${number(last)}: `) + text + generations;
    };
    map.addEventListener("pointermove", (event) => {
      const box = map.getBoundingClientRect();
      const column = Math.floor(((event.clientX - box.left) / box.width) * columns);
      const rows = Math.ceil(cells.length / columns);
      show(Math.floor(((event.clientY - box.top) / box.height) * rows) * columns + Math.min(column, columns - 1));
    });
    map.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
      if (!step) return;
      event.preventDefault();
      show(at < 0 ? 0 : at + step);
    });
  }
})();
