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
  // Lines and bands over time: what the value is at the pointer, and from which save on.
  for (const picture of document.querySelectorAll("[data-plot]")) {
    const samples = picture.dataset.plot.split("\n").map((line) => {
      const [at, save, value] = line.split("\t");
      return { at: Number(at), save, value };
    });
    const readout = picture.closest("figure").querySelector("output");
    const svg = picture.namespaceURI.endsWith("svg");
    const pointer = svg ? document.createElementNS("http://www.w3.org/2000/svg", "path") : document.createElement("span");
    pointer.setAttribute("class", "pointer");
    let shown = -1;
    const show = (index, at) => {
      if (index < 0 || index >= samples.length) return;
      shown = index;
      if (svg) pointer.setAttribute("d", `M${at * 1000} 0V160`);
      else pointer.style.left = `${at * 100}%`;
      if (!pointer.isConnected) picture.append(pointer);
      const next = samples[index + 1];
      readout.textContent = `${samples[index].value}   from ${samples[index].save}${next ? ` to before ${next.save}` : " on"}`;
    };
    picture.addEventListener("pointermove", (event) => {
      const box = picture.getBoundingClientRect();
      const at = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      show(Math.max(0, samples.findLastIndex((sample) => sample.at <= at)), at);
    });
    picture.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const index = shown < 0 ? 0 : Math.min(samples.length - 1, Math.max(0, shown + step));
      show(index, samples[index].at);
    });
  }
})();
