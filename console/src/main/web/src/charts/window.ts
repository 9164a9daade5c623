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

/** Sums of the columns from the first to each: the upper edges of stacked areas. */
export function stacked(columns: (number | null)[][]): (number | null)[][] {
  const sums: (number | null)[][] = [];
  columns.forEach((column, index) => {
    const below = sums[index - 1];
    sums.push(column.map((value, row) => (value === null ? null : value + (below?.[row] ?? 0))));
  });
  return sums;
}
