// Where the tables of the graph of references are: boxes in layers, from left to right.
export const BOX = { width: 236, head: 30, row: 22 };
const COLUMN_GAP = 84;
const BOX_GAP = 26;
const MARGIN = 52; // room for loops at the right
const SWEEPS = 6;

/**
 * @typedef {object} GraphNode
 * @property {string} name of the table
 * @property {number} live
 * @property {GraphField[]} fields
 *
 * @typedef {object} GraphField
 * @property {import('./links.js').Link} link
 * @property {{node: number, live: number, stale: number}[]} targets
 *
 * @typedef {{layer: number[], x: number[], y: number[], width: number, height: number}} Layout
 */

/** @param {GraphNode} node */
export const heightOf = ({ fields }) => BOX.head + BOX.row * fields.length;

/**
 * @param {GraphNode[]} nodes
 * @returns {Layout}
 */
export function layoutOf(nodes) {
  const targets = nodes.map((node, i) =>
    node.fields.flatMap((field) => field.targets.map((target) => target.node))
      .filter((target) => target !== i));
  const layer = layersOf(targets);
  return { layer, ...placesOf(nodes, columnsOf(targets, layer)) };
}

/**
 * A table is to the right of all tables that refer to it, except for references that close a
 * circle.
 */
function layersOf(targets) {
  const marks = targets.map(() => 'fresh');
  const finished = [];
  const forward = targets.map(() => []);
  const visit = (node) => {
    marks[node] = 'open';
    for (const target of targets[node]) {
      if (marks[target] === 'open') continue; // closes a circle
      forward[node].push(target);
      if (marks[target] === 'fresh') visit(target);
    }
    marks[node] = 'done';
    finished.unshift(node);
  };
  // Those that nothing refers to first: they belong to the left.
  const incoming = targets.map(() => 0);
  for (const target of targets.flat()) ++incoming[target];
  for (const node of [...targets.keys()].sort((a, b) => incoming[a] - incoming[b]))
    if (marks[node] === 'fresh') visit(node);
  const layer = targets.map(() => 0);
  for (const node of finished)
    for (const target of forward[node]) layer[target] = Math.max(layer[target], layer[node] + 1);
  return layer;
}

/** Boxes of a layer near those that they are joined with, so that few arrows cross. */
function columnsOf(targets, layer) {
  const columns = Array.from({ length: Math.max(-1, ...layer) + 1 }, () => []);
  layer.forEach((at, node) => columns[at].push(node));
  const joined = targets.map((list) => [...list]);
  targets.forEach((list, node) => list.forEach((target) => joined[target].push(node)));
  const rank = [];
  const number = () => columns.forEach((column) =>
    column.forEach((node, i) => { rank[node] = (i + 0.5) / column.length; }));
  number();
  for (let sweep = 0; sweep < SWEEPS; ++sweep) {
    for (const column of columns) {
      const mean = new Map(column.map((node) => {
        const others = joined[node];
        const sum = others.reduce((total, other) => total + rank[other], 0);
        return [node, others.length ? sum / others.length : rank[node]];
      }));
      column.sort((a, b) => mean.get(a) - mean.get(b));
      number();
    }
  }
  return columns;
}

function placesOf(nodes, columns) {
  const heights = columns.map((column) =>
    column.reduce((sum, node) => sum + heightOf(nodes[node]) + BOX_GAP, -BOX_GAP));
  const height = Math.max(0, ...heights);
  const [x, y] = [[], []];
  columns.forEach((column, i) => {
    let top = Math.floor((height - heights[i]) / 2);
    for (const node of column) {
      x[node] = 2 + i * (BOX.width + COLUMN_GAP);
      y[node] = top + 2;
      top += heightOf(nodes[node]) + BOX_GAP;
    }
  });
  return { x, y, width: columns.length * (BOX.width + COLUMN_GAP) - COLUMN_GAP + MARGIN,
           height: height + 4 };
}

/**
 * An arrow from a row of a box to the head of another.
 * @param {Layout} layout
 * @param {{from: number, row: number, to: number, isStale: boolean}} arrow
 */
export function arrowOf({ layer, x, y }, { from, row, to, isStale }) {
  const shift = isStale ? 4 : 0;
  const y1 = y[from] + BOX.head + BOX.row * row + BOX.row / 2 + shift;
  const y2 = y[to] + BOX.head / 2 + shift * 2;
  const fromLeft = layer[to] < layer[from]; // against the order of layers
  const toRight = layer[to] <= layer[from]; // arrives at the right side
  const x1 = x[from] + (fromLeft ? 0 : BOX.width);
  const x2 = x[to] + (toRight ? BOX.width : 0);
  const tip = toRight ? 7 : -7;
  const reach = layer[from] === layer[to] ? 44 : Math.max(44, Math.abs(x2 - x1) / 2);
  const c1 = x1 + (fromLeft ? -reach : reach);
  const c2 = x2 + (toRight ? reach : -reach);
  return { line: `M${x1} ${y1}C${c1} ${y1} ${c2} ${y2} ${x2 + tip} ${y2}`,
           tip: `M${x2} ${y2}l${tip} -5v10z` };
}
