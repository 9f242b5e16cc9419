// Where the reader of the page is, kept in the part of the address after #, so that back, forward
// and bookmarks work.

/**
 * @typedef {object} Route
 * @property {string} view overview, table, slots, changes or history; plot or diff
 * @property {string} [table]
 * @property {number} [slot] the record that is open
 * @property {string} [where] a filter
 * @property {string} [find] a text to search for
 * @property {string} [sort] fields, comma separated; -FIELD is descending
 * @property {string} [field] of the history
 */

const NUMBERS = new Set(['slot']);

/** @returns {Route} */
export function parseRoute(hash = location.hash) {
  const route = { view: 'overview' };
  for (const [name, value] of new URLSearchParams(hash.replace(/^#/, '')))
    route[name] = NUMBERS.has(name) ? Number(value) : value;
  return route;
}

/** @param {Route} route */
export function formatRoute(route) {
  const values = Object.entries(route).filter(([, value]) => value !== undefined && value !== '');
  return '#' + new URLSearchParams(values.map(([name, value]) => [name, String(value)]));
}

/** @param {Route} route */
export function go(route, replace = false) {
  const hash = formatRoute(route);
  if (hash === location.hash) return;
  if (replace) {
    history.replaceState(null, '', hash);
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else {
    location.hash = hash;
  }
}
