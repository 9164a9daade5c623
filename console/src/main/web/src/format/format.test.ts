import { describe, expect, test } from 'vitest';
import { bytes, count, counted, money, percent, short } from './number.ts';
import { age, clockMillis, duration } from './time.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

describe('numbers', () => {
  test('have separators', () => {
    expect(count(1234567)).toBe('1,234,567');
    expect(count(0)).toBe('0');
    expect(count(null)).toBe('\u2013');
    expect(count(Number.NaN)).toBe('\u2013');
  });
  test('keep three significant digits', () => {
    expect(short(1234.56)).toBe('1,235');
    expect(short(123.456)).toBe('123');
    expect(short(9.9999)).toBe('10.0');
    expect(short(0.99999)).toBe('1.00');
    expect(short(1.23456)).toBe('1.23');
    expect(short(0.0012345)).toBe('0.00123');
    expect(short(-0.5)).toBe('-0.500');
    expect(short(1e-12)).toBe('1.00e-12');
    expect(short(0)).toBe('0');
    expect(money(3.2e-6)).toBe('0.00000320');
  });
  test('have units', () => {
    expect(plain(percent(0.8481))).toBe('84.8 %');
    expect(plain(percent(0.99981))).toBe('99.98 %');
    expect(plain(percent(1))).toBe('100.0 %');
    expect(plain(percent(0.9999, 0))).toBe('99.99 %');
    expect(plain(bytes(1023))).toBe('1,023 B');
    expect(plain(bytes(1536))).toBe('1.50 KiB');
    expect(plain(bytes(64 * 1024 * 1024))).toBe('64.0 MiB');
    expect(plain(counted(1, 'sample'))).toBe('1 sample');
    expect(plain(counted(2000, 'sample'))).toBe('2,000 samples');
  });
});

describe('durations', () => {
  test.each([
    [0, '0 s'],
    [0.0000012, '1.20 µs'],
    [0.0012, '1.20 ms'],
    [0.9996, '1.00 s'],
    [0.8, '800 ms'],
    [3.4, '3.40 s'],
    [59.99, '1 min'],
    [125, '2 min 5 s'],
    [3599.6, '1 h'],
    [11520, '3 h 12 min'],
    [352800, '4 d 2 h'],
    [-125, '-2 min 5 s'],
  ])('%f s', (seconds, text) => expect(plain(duration(seconds))).toBe(text));
  test('an age is whole seconds', () => {
    expect(plain(age(0.3))).toBe('less than 1 s');
    expect(plain(age(12.9))).toBe('12 s');
  });
  test('a time of day has milliseconds', () => {
    expect(clockMillis(1795416489743)).toMatch(/^\d\d:\d\d:09\.743$/);
  });
});
