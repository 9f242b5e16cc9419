// FORMAT.md, section 4.9: what dropped tables issued.

import { layoutOf } from './handles.js';
import { kMaxNameBytes } from './limits.js';
import { compareBytes, shownText } from './wire.js';

/**
 * @typedef {object} Space
 * @property {number} typeId
 * @property {import('./handles.js').Layout} layout
 * @property {string} name
 * @property {number} highest
 * @property {number} floor
 * @property {number} slots that have a pair
 */

/**
 * @param {import('./wire.js').Cursor} cursor over the extension
 * @param {number} highestTypeId
 * @returns {Space[]}
 */
export function readDropped(cursor, highestTypeId) {
  const count = cursor.varint();
  cursor.require(count > 0, 'dropped handles of no table');
  /** @type {Space[]} */
  const spaces = [];
  /** @type {Uint8Array|undefined} */
  let last;
  for (let i = 0; i < count; ++i) {
    const typeId = cursor.u16();
    const bits = cursor.take(3);
    const layout = layoutOf(bits[0], bits[1], bits[2]);
    if (!layout) cursor.fail('an invalid layout of dropped handles');
    const name = cursor.textBytes(kMaxNameBytes);
    if (layout.type === 0) {
      cursor.require(typeId === 0, 'a type id without type bits');
    } else {
      cursor.require(typeId > 0 && typeId < 2 ** layout.type && typeId <= highestTypeId,
        'a wrong type id of dropped handles');
      cursor.require(name.length === 0, 'a name of handles with a type id');
    }
    const key = new Uint8Array([typeId >> 8, typeId & 255, ...bits, ...name]);
    cursor.require(!last || compareBytes(last, key) < 0, 'dropped handles do not rise');
    last = key;
    const highest = cursor.varint();
    const floor = cursor.varint();
    cursor.require(highest >= 1 && highest <= layout.lastGeneration, 'a wrong generation');
    cursor.require(floor <= highest, 'a floor above the highest generation');
    const slots = cursor.varint();
    cursor.require(floor > 0 || slots > 0, 'dropped handles of no slot');
    let slot = -1;
    for (let k = 0; k < slots; ++k) {
      slot += 1 + cursor.varint();
      cursor.require(slot < layout.mostSlots, 'a slot that the layout lacks');
      const generation = cursor.varint();
      cursor.require(generation > floor && generation <= highest, 'a wrong generation of a slot');
    }
    spaces.push({ typeId, layout, name: shownText(name), highest, floor, slots });
  }
  cursor.end('the list of dropped handles');
  return spaces;
}
