import { NBSP } from '../format/number.ts';

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
export type TextParts = (string | Figure)[];

/** "1 sample", "2 samples". */
export function countedText(figure: Figure, one: string, many = one + 's'): TextParts {
  return [figure, NBSP + (figure.value === 1 ? one : many)];
}

/** "a, b and c". */
export function joinedTexts(all: TextParts[]): TextParts {
  return all.flatMap((each, index): TextParts => {
    if (index === 0) {
      return each;
    }
    return [index < all.length - 1 ? ', ' : ' and ', ...each];
  });
}
