// One value as the worker describes it: a text, or a text with a kind and where it leads.
import { formatRoute } from './route.js';
import { visible } from './text.js';

/**
 * @typedef {object} CellValue
 * @property {string} text
 * @property {string} [kind] null, stale, foreign, live, number, several, damaged (it cannot be read) or
 *   unknown (of a handle: the slot that it names cannot be read)
 * @property {string} [table] of the record that a handle names
 * @property {number} [slot]
 */

/** @param {{value: string | CellValue}} props */
export function Cell({ value }) {
  if (typeof value === 'string') return <bdi>{visible(value)}</bdi>;
  if (value === undefined) return '';
  if (value.kind === 'live') {
    return (
      <a href={formatRoute({ view: 'table', table: value.table, slot: value.slot })}
         title={value.title && visible(value.title)}>
        <bdi>{visible(value.text)}</bdi>
      </a>
    );
  }
  return (
    <span class={value.kind} title={value.title && visible(value.title)}>
      <bdi>{visible(value.text)}</bdi>
      {value.kind === 'stale' && <span class="tag">stale</span>}
      {value.kind === 'foreign' && <span class="tag">foreign</span>}
      {value.kind === 'unknown' && <span class="tag">unreadable</span>}
    </span>
  );
}
