// What takes the space of a save: stored and raw bytes of tables, of their fields, and of the file
// itself. The numbers are those of the overview of hdbinspect.
import { kHeadBytes } from '../reader/frame.js';
import { padded } from '../reader/geometry.js';
import { chainsTo, schemaPath } from './fields.js';

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {'table'|'file'} kind
 * @property {number} stored
 * @property {number} raw
 * @property {Share[]} fields of a table: the largest first
 *
 * @typedef {object} Share what a field or another part of a table takes
 * @property {string} name
 * @property {boolean} isField
 * @property {number} stored
 * @property {number} raw
 */

const HEADS = 'block heads and indexes';
const SLOTS = ['slot states', 'slot generations', 'dense positions'];
const OTHERS = { catalog: 'schemas and tables, twice' };

const bySize = (a, b) => b.stored - a.stored;

class PartOf {
  constructor(name, kind) {
    this.name = name;
    this.kind = kind;
    this.shares = new Map();
  }
  add(name, stored, raw, isField = false) {
    if (stored <= 0 && raw <= 0) return;
    const share = this.shares.get(name) ?? { name, isField, stored: 0, raw: 0 };
    share.stored += stored;
    share.raw += raw;
    this.shares.set(name, share);
  }
  /** @returns {Part} */
  done() {
    const fields = [...this.shares.values()].sort(bySize);
    const sum = (of) => fields.reduce((total, share) => total + share[of], 0);
    return { name: this.name, kind: this.kind, stored: sum('stored'), raw: sum('raw'), fields };
  }
}

/**
 * Tables, the largest first, then the parts that belong to none.
 * @param {import('./save_data.js').SaveData} save
 * @returns {Promise<Part[]>}
 */
export async function sizesOf(save, work) {
  const { snapshot } = save;
  const tables = snapshot.tables.map((table) => new PartOf(table.name, 'table'));
  const others = new Map();
  const { blocks } = snapshot;
  let counted = 0;
  for (const [number, block] of blocks.entries()) {
    await work.step(number, blocks.length);
    const total = kHeadBytes + padded(block.stored);
    counted += total;
    const isOfTable = block.typeName === 'rows' || block.typeName === 'free_list';
    const table = isOfTable && snapshot.tables[block.table];
    if (table) {
      await addBlock(snapshot, number, block, total, tables[table.number]);
    } else if (block.typeName === 'pack') {
      await addPack(snapshot, number, block, total, tables);
    } else {
      const name = OTHERS[block.typeName] ?? block.typeName.replaceAll('_', ' ');
      if (!others.has(name)) others.set(name, new PartOf(name, 'file'));
      others.get(name).add(name, total, block.raw + kHeadBytes);
    }
  }
  const rest = new PartOf('header, directory and footer', 'file');
  rest.add(rest.name, save.blob.size - counted, save.blob.size - counted);
  const done = (parts) => parts.map((part) => part.done()).sort(bySize);
  return [...done(tables), ...done([...others.values(), rest])];
}

async function addBlock(snapshot, number, block, total, part) {
  const table = snapshot.tables[block.table];
  let chunks = 0;
  try {
    if (block.typeName === 'free_list') {
      part.add('free list', block.stored, block.raw);
      chunks = block.stored;
    } else {
      const paths = pathsOf(table);
      const opened = await snapshot.file.block(number, { table: table.name }, false);
      for (const { column, stored, raw } of opened.chunks) {
        part.add(SLOTS[column] ?? paths[column - 3], stored, raw, column >= 3);
        chunks += stored;
      }
    }
  } catch (error) {
    if (!error.code) throw error;
    return part.add('damaged blocks', total, block.raw);
  }
  // They are written as they are.
  return part.add(HEADS, total - chunks, total - chunks);
}

/** Small tables share a block: what a table has of it is in proportion to its raw bytes. */
async function addPack(snapshot, number, block, total, parts) {
  const { file } = snapshot;
  const inside = snapshot.tables.filter((table) => file.places[table.number].pack === number);
  const storedOf = (raw) => Math.floor((raw * block.stored) / block.raw);
  const wholes = [];
  try {
    for (const table of inside) {
      const { source } = await file.packed(table.descriptor);
      const paths = pathsOf(table);
      const part = parts[table.number];
      const { listed, storage } = table.descriptor;
      let [stored, raw] = [storedOf(4 * listed), 4 * listed];
      part.add('free list', stored, raw);
      for (let column = 0; column < 3 + paths.length; ++column) {
        if (column === 2 && storage !== 'dense') continue;
        const size = source.size(column);
        part.add(SLOTS[column] ?? paths[column - 3], storedOf(size), size, column >= 3);
        stored += storedOf(size);
        raw += size;
      }
      wholes.push({ part, stored, whole: storedOf(raw) });
    }
  } catch (error) {
    if (!error.code) throw error;
    return parts[inside[0]?.number ?? 0]?.add('damaged blocks', total, block.raw);
  }
  // The first one counts what is left of the block.
  const [first, ...others] = wholes;
  if (first) first.whole = total - others.reduce((sum, { whole }) => sum + whole, 0);
  for (const { part, stored, whole } of wholes) part.add(HEADS, whole - stored, whole - stored);
  return undefined;
}

/** What the columns of a table are called: those of one field have one name. */
function pathsOf(table) {
  const paths = [];
  const put = (node, path) => {
    for (let i = node.firstColumn; i < node.endColumn; ++i) paths[i] = path.replace(/\?$/, '');
  };
  put(table.root, '');
  for (const chain of chainsTo(table.root, () => true)) put(chain.at(-1), schemaPath(chain));
  return paths;
}
