import { NBSP, count } from '../format/number.ts';

/** Where a number comes from, as Num in parts.tsx says it. */
export interface Source {
  path?: string;
  formula?: string;
}

/** A number in a text. */
export interface Figure extends Source {
  value: number | null | undefined;
  format?: (value: number | null | undefined) => string;
}

/** A text with numbers in it. What others wrote is a part of its own. */
export type Words = (string | Figure)[];

export function plainText(words: Words): string {
  return words.map((each) => (typeof each === 'string' ? each : (each.format ?? count)(each.value))).join('');
}

/** "1 sample", "2 samples". */
export function things(figure: Figure, one: string, many = one + 's'): Words {
  return [figure, NBSP + (figure.value === 1 ? one : many)];
}

/** "a, b and c". */
export function listed(all: Words[]): Words {
  return all.flatMap((each, index): Words => {
    if (index === 0) {
      return each;
    }
    return [index < all.length - 1 ? ', ' : ' and ', ...each];
  });
}
