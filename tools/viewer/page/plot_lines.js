// Where the values of a history are in its pictures: places in time, and the path of a line.
export const WIDTH = 1000;
export const HEIGHT = 160;
const MARGIN = 8;
const MOST_POINTS = 2000; // of a line: more cannot be seen apart
const MOST_DOTS = 80;

/** @typedef {import('./series.js').Sample} Sample */

/** Where saves are from 0 to 1. The last save has some room after it, so that it can be seen. */
export function scaleOf(times) {
  const span = times.at(-1) - times[0];
  const whole = span + (times.length > 1 ? span / (times.length - 1) : 0) || 1;
  return (save) => (save < times.length ? (times[save] - times[0]) / whole : 1);
}

/**
 * At most about MOST_POINTS: of samples that share a place, the first, last, least and greatest.
 * @param {Sample[]} samples
 */
export function thinned(samples, scale) {
  if (samples.length <= MOST_POINTS) return samples;
  const placeOf = ([save]) => Math.floor((scale(save) * MOST_POINTS) / 4);
  const kept = [];
  for (let begin = 0, end; begin < samples.length; begin = end) {
    const place = placeOf(samples[begin]);
    let [low, high] = [begin, begin];
    for (end = begin; end < samples.length && placeOf(samples[end]) === place; ++end) {
      if ((samples[end][1] ?? 0) < (samples[low][1] ?? 0)) low = end;
      if ((samples[end][1] ?? 0) > (samples[high][1] ?? 0)) high = end;
    }
    const chosen = [...new Set([begin, low, high, end - 1])].sort((a, b) => a - b);
    kept.push(...chosen.map((i) => samples[i]));
  }
  return kept;
}

/** The greatest number below `count` of which `isBefore` holds, else 0. */
function lastBefore(count, isBefore) {
  let [low, high] = [0, count];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The last sample that is not after a save; the first one, if all are after it. */
export const sampleAt = (samples, save) =>
  lastBefore(samples.length, (i) => samples[i][0] <= save);

/** The save that is at a place from 0 to 1. */
export const saveAt = (scale, saves, place) => lastBefore(saves, (save) => scale(save) <= place);

/** The paths of a line; places are those of the picture. */
export function lineOf(samples, scale) {
  const numbers = samples.map(([, number]) => number).filter((number) => number != null);
  const any = numbers.length > 0;
  const low = numbers.reduce((a, b) => Math.min(a, b), Infinity);
  const high = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
  const x = (save) => Number((scale(save) * WIDTH).toFixed(2));
  const y = (number) => {
    const share = (number - low) / (high - low);
    // The range may be none, or beyond that of numbers.
    if (!Number.isFinite(share)) return HEIGHT / 2;
    return Number((HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN)).toFixed(2));
  };
  const made = { any, low, high, line: '', dots: '', absent: '',
                 zero: low < 0 && high > 0 ? `M0 ${y(0)}H${WIDTH}` : '' };
  let isDown = false;
  samples.forEach(([save, number], i) => {
    const end = i + 1 < samples.length ? x(samples[i + 1][0]) : WIDTH;
    if (number == null) {
      made.absent += `M${x(save)} 0H${end}V${HEIGHT}H${x(save)}z`;
    } else {
      made.line += `${isDown ? `V${y(number)}` : `M${x(save)} ${y(number)}`}H${end}`;
      if (samples.length <= MOST_DOTS) made.dots += `M${x(save)} ${y(number)}h0`;
    }
    isDown = number != null;
  });
  if (samples[0][0] > 0) made.absent += `M0 0H${x(samples[0][0])}V${HEIGHT}H0z`;
  return made;
}
