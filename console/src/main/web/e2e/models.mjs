import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MODELS, opened } from './start.mjs';

/** Who serves the models of a learner: one as it should be, one that is silent, one that refuses versions. */
export function subscribersOf(learner, lastError = 'version 426 does not load: model.zip has 12 bytes, not 32,665') {
  const serving = learner.startsWith('avazu') ? 1102 : 422;
  const subscriber = (name, change = {}) => ({
    name,
    host: 'web.example',
    alias: '',
    version: serving,
    sinceMillis: 1795417011000,
    stalenessMillis: 120,
    stale: false,
    refused: 0,
    lastError: '',
    retired: 0,
    ageMillis: 4_000,
    silent: false,
    ...change,
  });
  return {
    readable: true,
    problem: '',
    more: false,
    subscribers: [
      subscriber('checkout-1'),
      subscriber('checkout-2', { ageMillis: 95_000, silent: true }),
      subscriber('trial-1', { alias: 'shadow', version: serving - 1, refused: 3, stalenessMillis: 61_000, lastError }),
    ],
  };
}

/** What the server answers for a store with two branches, one abandoned, one version pinned, two named, one damaged. */
const ANSWER = readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'models.json'), 'utf8');

/** The same with the version numbers of the learner. */
export function lineageOf(learner) {
  const more = learner.startsWith('avazu') ? 680 : 0;
  return JSON.parse(ANSWER, (name, value) =>
    ['version', 'parent', 'current', 'serving'].includes(name) && value > 0 ? value + more : value,
  );
}

/** Dead letters of two kinds and one more, of which not all are shown at once. */
export function lettersOf(application) {
  const letter = (index, reason, change = {}) => ({
    id: (index % 2) + '-' + (1700 - index),
    atMillis: 1795417011123 - 3_723_000 * index,
    topic: application + '-events',
    partition: index % 2,
    offset: 1_204_311 - index,
    reason,
    origin: 'part-7.csv:' + (90_000 + index),
    text: '3,' + index + ',x',
    binary: false,
    length: 700 + 97 * index,
    cut: false,
    obstacle: '',
    ...change,
  });
  return {
    problem: '',
    total: 1_312,
    letters: [
      ...Array.from({ length: 27 }, (_, index) =>
        letter(index, 'column ' + index + ": 'x" + index + "' is not a number"),
      ),
      letter(27, 'it has 4 fields, not 7'),
      letter(28, 'it has 5 fields, not 7'),
      letter(29, 'it is larger than 1 MiB', { length: 1_300_000, cut: true, obstacle: 'it was cut to 64 KiB' }),
    ],
  };
}

/** A page that closes with the test; where the recording has no models, it shows those of this file. */
export async function openedWithModels(t, browser, options) {
  const tab = await opened(t, browser, options);
  if (MODELS === '') {
    await tab.page.route('**/api/learners/*/*/models', (route) =>
      route.fulfill({ json: lineageOf(new URL(route.request().url()).pathname.split('/').slice(3, 5).join('/')) }),
    );
  }
  return tab;
}
