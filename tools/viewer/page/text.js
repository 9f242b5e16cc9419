// How texts and numbers are shown.

// Control and format characters, ends of lines, halves of pairs.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A text of a file, with characters that cannot be seen or that turn others around as \u{...}. */
export function visible(text, most = 500) {
  const cut = text.length > most ? text.slice(0, most) : text;
  const shown = cut.replace(HIDDEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
  return text.length > most ? `${shown}… (${grouped(text.length)} characters)` : shown;
}

/** As `visible`, for places with room for so many characters. */
export function label(text, most) {
  const shown = visible(text, most);
  return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown;
}

/** The order of texts as bytes of UTF-8, which is that of their code points. */
export function textOrder(a, b) {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; ++i) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rankOf(x) - rankOf(y);
  }
  return a.length - b.length;
}

// Halves of pairs, whose characters come after all others.
const rankOf = (unit) => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

/** @param {number | bigint} number */
export function grouped(number) {
  return number.toLocaleString('en').replaceAll(',', "\u2009");
}

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let unit = -1;
  do { bytes /= 1024; ++unit; } while (bytes >= 1024 && unit < units.length - 1);
  return `${bytes.toFixed(1)} ${units[unit]}`;
}

export function plural(count, one, many = one + 's') {
  return `${grouped(count)} ${count === 1 || count === 1n ? one : many}`;
}

/** @param {number} milliseconds since 1970 */
export function date(milliseconds) {
  const time = new Date(Number(milliseconds));
  if (Number.isNaN(time.getTime())) return `${milliseconds} ms since 1970`;
  return time.toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
}

/** @param {number | bigint} milliseconds of play */
export function duration(milliseconds) {
  const seconds = Number(milliseconds) / 1000;
  const whole = Math.floor(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  if (hours) return `${grouped(hours)} h ${minutes} min ${whole % 60} s`;
  return minutes ? `${minutes} min ${whole % 60} s` : `${seconds.toFixed(3)} s`;
}

/** "64 to 127", or "64" of one number. */
export function rangeText(first, last) {
  return first === last ? grouped(first) : `${grouped(first)} to ${grouped(last)}`;
}

/** A part of a whole: "12 %", "3.4 %", "< 0.1 %". */
export function percent(part, whole) {
  if (whole === 0) return '–';
  if (part === 0) return '0 %';
  const share = (100 * part) / whole;
  if (share < 0.05) return '< 0.1 %';
  return `${share.toFixed(share < 9.95 ? 1 : 0)} %`;
}
