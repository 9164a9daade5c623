/** Computes what a number on a page claims to be computed from, and reads the text that shows it. */

const TOKEN = /\s*([A-Za-z_][\w.]*|\d+(?:\.\d+)?(?:e[-+]?\d+)?|[-+*/(),])/gy;

/** A unit is the powers of samples (or whatever else is counted), seconds, bytes and money in it. */
const SHARE = [0, 0, 0, 0];
const COUNT = [1, 0, 0, 0];
const SECONDS = [0, 1, 0, 0];
const BYTES = [0, 0, 1, 0];
const UNITS = [
  [/(accuracy|f1|\.top[35]|\.calibration\.\d+\.(predicted|actual))$/i, SHARE],
  [/BytesPerSecond$/, [0, -1, 1, 0]],
  [/(Bytes|\bbytes)(\.\d+)?$|^letters\..*\.length$/, BYTES],
  [/monthPrice$/, [0, 0, 0, 1]],
  [/^capacity\.predicted\.target$/, SHARE],
  [/[eE]ventsPerSecond$/, [1, -1, 0, 0]],
  [/PricePerSecond$/, [0, -1, 0, 1]],
  [/PricePerSampleSecond$/, [-1, -1, 0, 1]],
  [/sampleSeconds$|^whatif\..*(cost|unavoidable)$/i, [1, 1, 0, 0]],
  [/Seconds$|\bseconds$|Millis$|secondsPerSample$|\.predicted\.\w+$|\.step\.\w+$|\.began$|^published\.|^now$/, SECONDS],
  [/^rate\(/, [1, -1, 0, 0]],
];

/** The unit of a path; what is not listed counts something. */
export function unitOf(path) {
  return UNITS.find(([pattern]) => pattern.test(path))?.[1] ?? COUNT;
}

const FUNCTIONS = {
  min: ([a, b]) => ({ value: Math.min(a.value, b.value), unit: a.unit ?? b.unit }),
  max: ([a, b]) => ({ value: Math.max(a.value, b.value), unit: a.unit ?? b.unit }),
  ceil: ([a]) => ({ value: Math.ceil(a.value), unit: a.unit }),
  sqrt: ([a]) => ({ value: Math.sqrt(a.value), unit: a.unit?.map((power) => power / 2) }),
  /** no share, whatever its argument is */
  exp: ([a]) => ({ value: Math.exp(a.value), unit: COUNT }),
  /** how many numbers of a list there are, or those that are not below one number and not above another */
  count: ([list, least, most]) => ({
    value: numbers(list).filter((each) => least === undefined || (each >= least.value && each <= most.value)).length,
    unit: COUNT,
  }),
  sum: ([list]) => ({ value: numbers(list).reduce((sum, each) => sum + each, 0), unit: list.unit }),
  /** what so large a share of the numbers of some lists does not exceed */
  quantile: ([share, ...lists]) => {
    const sorted = lists.flatMap(numbers).sort((a, b) => a - b);
    return { value: sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share.value))], unit: lists[0].unit };
  },
  /** how often a list goes above a limit */
  stretches: ([list, limit]) => {
    const above = list.value.map((each) => each > limit.value);
    return { value: above.filter((each, index) => each && !above[index - 1]).length, unit: COUNT };
  },
};

function numbers(list) {
  return list.value.filter((each) => typeof each === 'number' && !Number.isNaN(each));
}

/**
 * @param resolve gives the number at a path, or the list of numbers; undefined if there is none. It is also asked for
 *     `rate(path)`
 * @returns the value, NaN where a path leads to no number, and its unit, undefined for a mere number
 */
export function compute(formula, resolve) {
  const tokens = [...formula.matchAll(TOKEN)].map((match) => match[1]);
  if (tokens.join('') !== formula.replaceAll(/\s/g, '')) {
    throw new Error('no formula: ' + formula);
  }
  let at = 0;
  const take = (wanted) => {
    if (wanted !== undefined && tokens[at] !== wanted) {
      throw new Error(wanted + ' is missing in ' + formula);
    }
    return tokens[at++];
  };
  const sum = () => {
    let left = product();
    while (tokens[at] === '+' || tokens[at] === '-') {
      const sign = take() === '+' ? 1 : -1;
      const right = product();
      left = { value: left.value + sign * right.value, unit: left.unit ?? right.unit };
    }
    return left;
  };
  const product = () => {
    let left = single();
    while (tokens[at] === '*' || tokens[at] === '/') {
      const power = take() === '*' ? 1 : -1;
      const right = single();
      left = {
        value: left.value * right.value ** power,
        unit: right.unit ? right.unit.map((each, index) => (left.unit?.[index] ?? 0) + power * each) : left.unit,
      };
    }
    return left;
  };
  const leaf = (path) => ({ value: resolve(path) ?? Number.NaN, unit: unitOf(path) });
  const single = () => {
    const token = take();
    if (token === '(') {
      const value = sum();
      take(')');
      return value;
    }
    if (/^\d/.test(token)) {
      return { value: Number(token) };
    }
    if (tokens[at] !== '(') {
      return leaf(token);
    }
    take('(');
    if (token === 'rate') {
      const path = take();
      take(')');
      return leaf('rate(' + path + ')');
    }
    const values = [sum()];
    while (tokens[at] === ',') {
      take();
      values.push(sum());
    }
    take(')');
    if (!FUNCTIONS[token]) {
      throw new Error('no function ' + token + ' for ' + formula);
    }
    return FUNCTIONS[token](values);
  };
  const result = sum();
  if (at !== tokens.length) {
    throw new Error('too much in ' + formula);
  }
  return result;
}

/** From here on a number is a time of day in epoch milliseconds. */
const EPOCH = 1e11;

/** Whether two numbers are the same but for the order in which a computer adds and multiplies. */
export function close(one, other) {
  const size = Math.max(1e-12, Math.abs(one), Math.abs(other));
  return Math.abs(one - other) <= (size > EPOCH ? 1e-2 : 1e-9 * size);
}

const SUFFIXES = {
  '%': [0.01, SHARE],
  µs: [1e-6, SECONDS],
  ms: [1e-3, SECONDS],
  s: [1, SECONDS],
  B: [1, BYTES],
  KiB: [2 ** 10, BYTES],
  MiB: [2 ** 20, BYTES],
  GiB: [2 ** 30, BYTES],
  TiB: [2 ** 40, BYTES],
  'B/s': [1, [0, -1, 1, 0]],
  'KiB/s': [2 ** 10, [0, -1, 1, 0]],
  'MiB/s': [2 ** 20, [0, -1, 1, 0]],
  'GiB/s': [2 ** 30, [0, -1, 1, 0]],
  '/s': [1, [1, -1, 0, 0]],
  'sample-s': [1, [1, 1, 0, 0]],
};
/** Seconds of a unit, and how far off a duration may be whose first unit that is. */
const LONG = { min: [60, 0.5], h: [3600, 30], d: [86_400, 1800] };
/** Texts that stand for a time without naming it. */
const WORDS = ['due', 'a training runs'];

/** The number in a text, how far it may be from the one that was meant, and its unit: undefined if the text has none. */
export function readNumber(text) {
  const long = /^([-+]?)(\d+) (min|h|d)(?: (\d+) (s|min|h))?$/.exec(text);
  if (long) {
    const [, sign, large, unit, small, smallUnit] = long;
    const [seconds, off] = LONG[unit];
    const rest = small === undefined ? 0 : Number(small) * (LONG[smallUnit]?.[0] ?? 1);
    return { value: (sign === '-' ? -1 : 1) * (Number(large) * seconds + rest), off, unit: SECONDS };
  }
  const plain = /^([-+]?[\d,]+(?:\.(\d+))?(?:e([-+]?\d+))?) ?(\D*)$/.exec(text);
  if (!plain || (plain[4] !== '' && !SUFFIXES[plain[4]])) {
    return null;
  }
  const [, digits, places = '', power = '0', suffix] = plain;
  const [scale, unit] = SUFFIXES[suffix] ?? [1, undefined];
  return {
    value: Number(digits.replaceAll(',', '')) * scale,
    off: 0.5 * 10 ** (Number(power) - places.length) * scale,
    unit,
  };
}

/**
 * What is wrong with the text of a number, empty if nothing: it must show the value in the unit of where that comes from,
 * or without one. A time of day is shown as it is here, or as the time to it or from it.
 */
export function misread({ text: shown, value, path }, unit, nowMillis) {
  const text = shown.replaceAll('\u00a0', ' ').trim();
  const inSeconds = !unit || String(unit) === String(SECONDS);
  if (/^(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(\.\d{3})?$/.test(text)) {
    const wanted = localTime(value);
    return inSeconds && wanted.includes(text) ? '' : 'is ' + wanted;
  }
  if (WORDS.includes(text)) {
    return inSeconds ? '' : 'is not a time';
  }
  const ahead = text.startsWith('in ');
  const isEpoch = inSeconds && Math.abs(value) > EPOCH;
  let wanted = isEpoch
    ? ((value - nowMillis) / 1000) * (ahead ? 1 : -1)
    : value / (/Millis$/.test(path ?? '') ? 1000 : 1);
  if (text === 'less than 1 s') {
    return inSeconds && wanted < 1 ? '' : 'is ' + wanted + ' s';
  }
  const read = readNumber(text.replace(/^in /, ''));
  if (!read) {
    return 'cannot be read';
  }
  if (read.unit === undefined) {
    wanted = value;
  } else if (unit && String(read.unit) !== String(unit)) {
    return 'has another unit than ' + value + ' of ' + unit;
  }
  // Ages are in whole seconds that have passed; what is ahead is rounded to a tenth before.
  const wholeSeconds = /^[1-9]\d* s$/.test(text);
  const off = wholeSeconds ? 1 : read.off + (ahead ? 0.05 : 0);
  return Math.abs(read.value - wanted) <= off * 1.001 ? '' : 'is ' + wanted;
}

/** Day and time of day as the page writes it, to the millisecond. */
function localTime(millis) {
  const at = new Date(Math.floor(millis));
  const two = (part) => String(part).padStart(2, '0');
  const day = at.getFullYear() + '-' + two(at.getMonth() + 1) + '-' + two(at.getDate());
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  return day + ' ' + time + '.' + String(at.getMilliseconds()).padStart(3, '0');
}

/** All numbers of a page, or of a part of it: those with a path, and those with a formula. */
export async function shownNumbers(part) {
  return part.locator(NUMBERS).evaluateAll(readNumbers);
}

/** Where numbers are shown. */
export const NUMBERS = '.num[data-value]';

/** Runs in the page: what elements say of the numbers that they show. */
export function readNumbers(elements) {
  return elements.map((element) => ({
    path: element.getAttribute('data-path'),
    formula: element.getAttribute('data-formula'),
    of: element.getAttribute('data-of'),
    value: Number(element.getAttribute('data-value')),
    text: element.textContent,
  }));
}
