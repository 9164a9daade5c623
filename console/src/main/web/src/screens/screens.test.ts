import { plainText } from '../store/fixture.ts';
import { expect, test } from 'vitest';
import { byReason, generalized } from './DeadLetters.tsx';
import { servingWhy } from './Models.tsx';
import { stateOf } from './Subscribers.tsx';
import { scaleOf } from './Updates.tsx';
import { problemOf } from './WhatIf.tsx';
import { shownSeconds, sentence } from './Why.tsx';
import { parseRoute, route } from '../store/session.ts';

test('reasons that differ in numbers or quotes are one', () => {
  expect(generalized("column 3: 'abc' is not a number")).toBe(generalized("column 14: 'x y' is not a number"));
  const letter = (reason: string) => ({
    id: '0-1',
    atMillis: 0,
    topic: 't',
    partition: 0,
    offset: 1,
    reason,
    origin: '',
    text: '',
    binary: false,
    length: 0,
    cut: false,
    obstacle: '',
  });
  expect(byReason([letter('a 1'), letter('b'), letter('a 2')])).toEqual([
    { key: 'a N', words: 'a N', count: 2 },
    { key: 'b', words: 'b', count: 1 },
  ]);
});

test('why a version serves is said', () => {
  const models = { current: 5, serving: 5, pin: null, problem: '', aliases: {}, versions: [] };
  const why = (change: object) => plainText(servingWhy({ ...models, ...change }));
  expect(why({})).toBe('the newest published version');
  const pin = { version: 3, reason: 'by hand', by: 'a', atMillis: 1, until: 0 };
  expect(why({ serving: 3, pin })).toBe('pinned; version 5 is newer');
  expect(why({ pin: { ...pin, until: 4 } })).toBe('the newest published version');
  expect(why({ serving: 0 })).toContain('first model');
});

test('the state of a subscriber is the worst that is true of it', () => {
  const good = {
    name: 'web-1',
    host: 'h',
    alias: '',
    version: 5,
    sinceMillis: 1,
    stalenessMillis: 61_000,
    stale: false,
    refused: 2,
    lastError: '',
    retired: 0,
    ageMillis: 1,
    silent: false,
  };
  expect(stateOf(good, 5)).toEqual({ severity: 'good', word: 'Serves' });
  expect(stateOf(good, 6).severity).toBe('quiet');
  expect(stateOf({ ...good, alias: 'champion' }, 6).severity).toBe('good');
  expect(stateOf({ ...good, lastError: 'torn' }, 5).word).toBe('Error');
  expect(stateOf({ ...good, lastError: 'torn', stalenessMillis: 200 }, 5).word).toBe('Error');
  expect(stateOf({ ...good, version: 0, lastError: 'torn' }, 5).word).toBe('No version');
  expect(stateOf({ ...good, version: 0, stale: true }, 5).word).toBe('Stale');
  expect(stateOf({ ...good, silent: true, stale: true }, 5).word).toBe('Silent');
});

test('a bar chart of updates is not flattened by one outlier', () => {
  expect(scaleOf([1, 1, 1, 100])).toBe(3);
  expect(scaleOf([1, 2])).toBe(2);
  expect(scaleOf([])).toBeGreaterThan(0);
});

test('inputs of a simulation are checked', () => {
  expect(problemOf('', '', '')).toBe('');
  expect(problemOf('10', '0.5', '0')).toBe('');
  expect(problemOf('0', '', '')).toContain('above 0');
  expect(problemOf('', 'abc', '')).toContain('not a number');
  expect(problemOf('', '', '-1')).toContain('below 0');
});

test('the span of the charge holds the newest updates', () => {
  expect(shownSeconds(Float64Array.of(), 1000)).toBe(10);
  expect(
    shownSeconds(
      Float64Array.from({ length: 100 }, (_, index) => index * 1000),
      100_000,
    ),
  ).toBe(30);
  expect(shownSeconds(Float64Array.of(0), 9e9)).toBe(600);
});

test('a reason becomes a sentence', () => {
  expect(sentence('no sample waits')).toBe('No sample waits.');
  expect(sentence('Done.')).toBe('Done.');
});

test('a route names screen and learner', () => {
  expect(parseRoute(route('quality', 'a b/3'))).toEqual({ screen: 'quality', learner: 'a b/3' });
  expect(parseRoute('')).toEqual({ screen: '', learner: '' });
  expect(parseRoute('#why/%E0%A4%A')).toEqual({ screen: 'why', learner: '' });
});
