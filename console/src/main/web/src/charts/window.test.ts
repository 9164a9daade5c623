import { expect, test } from 'vitest';
import { firstAtOrAfter, plain, quantile, stacked, stretchesAbove, thinned } from './window.ts';

test('the first position of a span is found', () => {
  const times = Float64Array.of(10, 20, 30);
  expect([5, 10, 11, 30, 31].map((at) => firstAtOrAfter(times, at))).toEqual([0, 0, 1, 2, 3]);
  expect(firstAtOrAfter([], 1)).toBe(0);
});

test('what is not known is null', () => {
  expect(plain(Float64Array.of(1, Number.NaN, 3), 1)).toEqual([null, 3]);
});

test('marks are thinned, the newest stays', () => {
  const marks = Array.from({ length: 100 }, (_, index) => index);
  expect(thinned(marks, 100)).toBe(marks);
  const few = thinned(marks, 24);
  expect(few.length).toBeLessThanOrEqual(24);
  expect(few[few.length - 1]).toBe(99);
});

test('areas are stacked, gaps stay', () => {
  expect(
    stacked([
      [1, null],
      [2, null],
      [3, null],
    ]),
  ).toEqual([
    [1, null],
    [3, null],
    [6, null],
  ]);
});

test('a quantile leaves out what is not known', () => {
  expect(quantile([3, null, 1, 2], 0.5)).toBe(2);
  expect(quantile([3, 1], 1)).toBe(3);
  expect(quantile([null], 0.5)).toBeUndefined();
});

test('stretches above a limit have a begin and an end', () => {
  const times = Float64Array.of(0, 1, 2, 3, 4);
  expect(stretchesAbove(times, Float64Array.of(1, 2, 2, 1, 3), 0, 1)).toEqual([
    [1, 3],
    [4, 4],
  ]);
});
