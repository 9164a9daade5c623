/** Computes what a number on a page claims to be computed from: + - * / max, brackets, numbers, and paths. */

const TOKEN = /\s*([A-Za-z_][\w.]*|\d+(?:\.\d+)?(?:e-?\d+)?|[-+*/(),])/gy;

/**
 * @param resolve gives the number at a path; undefined if there is none
 * @returns NaN where a path leads to no number
 */
export function evaluate(formula, resolve) {
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
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-') {
      value = take() === '+' ? value + product() : value - product();
    }
    return value;
  };
  const product = () => {
    let value = single();
    while (tokens[at] === '*' || tokens[at] === '/') {
      value = take() === '*' ? value * single() : value / single();
    }
    return value;
  };
  const single = () => {
    const token = take();
    if (token === '(') {
      const value = sum();
      take(')');
      return value;
    }
    if (token === 'max') {
      take('(');
      const first = sum();
      take(',');
      const second = sum();
      take(')');
      return Math.max(first, second);
    }
    return /^\d/.test(token) ? Number(token) : (resolve(token) ?? Number.NaN);
  };
  const value = sum();
  if (at !== tokens.length) {
    throw new Error('too much in ' + formula);
  }
  return value;
}

/** Whether two numbers are the same but for the order in which a computer adds and multiplies. */
export function close(one, other) {
  return Math.abs(one - other) <= 1e-9 * Math.max(1e-12, Math.abs(one), Math.abs(other));
}

/** All numbers of a page: those with a path, and those with a formula. */
export async function shownNumbers(page) {
  return page.$$eval('.num[data-value]', (elements) =>
    elements.map((element) => ({
      path: element.getAttribute('data-path'),
      formula: element.getAttribute('data-formula'),
      of: element.getAttribute('data-of'),
      value: Number(element.getAttribute('data-value')),
      text: element.textContent,
    })),
  );
}
