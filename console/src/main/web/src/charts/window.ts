/** Which part of a series is drawn. */

/** First position whose time is not before; times ascend. */
export function firstAtOrAfter(times: ArrayLike<number>, millis: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) < millis) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** The values from a position on as uPlot takes them: null where nothing is known. */
export function plain(values: Float64Array, from: number, scale = 1): (number | null)[] {
  const out: (number | null)[] = new Array(Math.max(0, values.length - from));
  for (let index = from; index < values.length; index++) {
    const value = values[index] as number;
    out[index - from] = Number.isNaN(value) ? null : value * scale;
  }
  return out;
}

/** At most so many of the marks, evenly chosen, always with the newest. */
export function thinned<T>(marks: T[], most: number): T[] {
  if (marks.length <= most) {
    return marks;
  }
  const step = Math.ceil(marks.length / most);
  const offset = (marks.length - 1) % step;
  return marks.filter((_, index) => index % step === offset);
}

/** The value that so large a share of the known values does not exceed; undefined if none is known. */
export function quantile(values: (number | null)[], share: number): number | undefined {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  return known[Math.min(known.length - 1, Math.floor(known.length * share))];
}

/** Stretches in which the value is above a limit. */
export function stretchesAbove(
  times: Float64Array,
  values: Float64Array,
  from: number,
  limit: number,
): [number, number][] {
  const found: [number, number][] = [];
  let begin = -1;
  for (let row = from; row < values.length; row++) {
    const above = (values[row] as number) > limit;
    if (above && begin < 0) {
      begin = row;
    } else if (!above && begin >= 0) {
      found.push([times[begin] as number, times[row] as number]);
      begin = -1;
    }
  }
  if (begin >= 0) {
    found.push([times[begin] as number, times[times.length - 1] as number]);
  }
  return found;
}

/** Distances between labels of an axis of bytes: powers of two. */
export const BYTE_STEPS = Array.from({ length: 50 }, (_, power) => 2 ** power);

/** Sums of the columns from the first to each: the upper edges of stacked areas. */
export function stacked(columns: (number | null)[][]): (number | null)[][] {
  const sums: (number | null)[][] = [];
  columns.forEach((column, index) => {
    const below = sums[index - 1];
    sums.push(column.map((value, row) => (value === null ? null : value + (below?.[row] ?? 0))));
  });
  return sums;
}
