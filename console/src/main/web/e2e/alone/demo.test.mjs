import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { close, compute, shownNumbers } from '../formula.mjs';
import { resolver } from '../sources.mjs';
import { IDLA, SCREENS, endAfter, opened, show, startBrowser } from '../start.mjs';

/**
 * A demo as users start it: broker, job and console of their own, and the page while models are trained. How soon the page
 * shows something is part of it, so this needs a processor of its own.
 */

const START_MILLIS = 180_000;
/** Longer than the test, which ends it. */
const SECONDS = 240;
/** Statuses come about once a second. */
const SHOWN_STATUSES = 12;
/** What the topic says is on the page so much later, at most. */
const MOST_MILLIS = 2_000;
/** The page asks for the model folder again after a publication, at most so often. */
const PAGE_READS_MODELS_MILLIS = 4_000;
/** As the page does, src/store/learner.ts. */
const RATE_MILLIS = 10_000;
const LEARNER = 'demo/0';
/** Answers that numbers come from, by the last step of their addresses. */
const ANSWERS = {
  models: 'models',
  subscribers: 'subscribers',
  'dead-letters': 'letters',
  'what-if': 'whatIf',
};
const ANSWER_ROOTS = ['moves', 'models', 'subscribers', 'letters', 'whatIf'];
/** Numbers that grow while they are compared. */
const GROWING = /^moves\.|^models\.(serving|current)$/;

let browser;

before(async () => {
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
});

/** Starts a demo; `address` is that of its console. */
async function startDemo(t) {
  const folder = mkdtempSync(join(tmpdir(), 'idla-demo-'));
  const child = spawn(
    IDLA,
    ['demo', '--seconds', String(SECONDS), '--work-dir', join(folder, 'work'), '--console-port', '0'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise((resolve) => child.on('exit', resolve));
  endAfter(t, async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  let said = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the demo has no console: ' + said)), START_MILLIS);
    const take = (chunk) => {
      said += chunk;
      const found = /console at (http\S+?\/)#token=(\S+)/.exec(said);
      if (found) {
        clearTimeout(timer);
        resolve({ address: found[1] });
      }
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    ended.then((code) => reject(new Error('the demo ended with ' + code + ': ' + said)));
  });
}

/** Notes the events that the console tells; `stop` ends it. */
function follow(address) {
  const abort = new AbortController();
  const statuses = [];
  const reading = (async () => {
    const response = await fetch(address + 'api/stream', { signal: abort.signal });
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop();
      for (const line of lines.filter((each) => each.startsWith('data: '))) {
        const event = JSON.parse(line.slice('data: '.length));
        if (event.status) {
          statuses.push(event);
        }
      }
    }
  })().catch(() => {
    // The demo ended, or this was stopped. A stream that breaks before shows as statuses that nobody told.
  });
  return {
    statuses,
    stop: async () => {
      abort.abort();
      await reading;
    },
  };
}

/** Events a second over the seconds before each of the last statuses. */
function rates(statuses) {
  return statuses.slice(-40).flatMap((newest) => {
    const before = statuses.filter((event) => newest.atMillis - event.atMillis >= RATE_MILLIS);
    const oldest = before.at(-1) ?? statuses[0];
    const seconds = (newest.atMillis - oldest.atMillis) / 1000;
    return seconds > 0 ? [(newest.status.samples.received - oldest.status.samples.received) / seconds] : [];
  });
}

/** The updates by number, without the trainings that ended at some time or later. */
function updatesAt(updates, untilMillis) {
  return new Map(
    updates.map(({ training, ...rest }) => [
      rest.number,
      (rest.stagedAtMillis ?? 0) < untilMillis ? { ...rest, training } : rest,
    ]),
  );
}

/** How far a computed number may be off that depends on what only the page knows exactly. */
function toleranceOf(source, value, nowMillis) {
  if (source.includes('rate(')) {
    return value > 1e11 ? MOST_MILLIS + 0.2 * Math.abs(value - nowMillis) : 0.2 * Math.abs(value);
  }
  if (/\bnow\b/.test(source)) {
    return MOST_MILLIS;
  }
  // The page and the server keep other points of the history.
  return source.includes('stretches(') ? 1 : 0;
}

/** Computes a number from all that the page may have known of it, one after the other: most are equal to the first. */
function* possibleValues(common, { variants, rates, logs, statuses }, path, formula) {
  for (const answer of variants) {
    for (const rate of rates) {
      for (const updates of logs) {
        for (const { status, atMillis } of statuses) {
          const resolve = resolver({ ...common, ...answer, updates, status, atMillis, rate });
          yield path ? resolve(path) : compute(formula, resolve).value;
        }
      }
    }
  }
}

test('what a demo says is on the page two seconds later', { timeout: 400_000 }, async (t) => {
  const { address } = await startDemo(t);
  const { page, wrong, hosts } = await opened(t, browser);
  const told = follow(address);
  endAfter(t, () => told.stop());
  /** What the server has told the page: models, subscribers, dead letters and simulations. */
  const asked = { models: [], subscribers: [], letters: [], whatIf: [] };
  page.on('response', (response) => {
    const what = ANSWERS[new URL(response.url()).pathname.split('/').at(-1)];
    if (response.ok() && what) {
      response.json().then(
        (answer) => asked[what].push(answer),
        () => {
          // The page went on before it had read it all.
        },
      );
    }
  });
  await page.goto(address);
  await page.waitForSelector('.overview tbody tr', { timeout: 120_000 });

  const shown = await page.evaluate(
    (most) =>
      new Promise((resolve) => {
        const seen = [];
        let last = '';
        const look = () => {
          const value = document.querySelector('[data-path="samples.received"]')?.getAttribute('data-value') ?? '';
          if (value !== last) {
            last = value;
            seen.push({ value: Number(value), atMillis: Date.now() });
          }
          if (seen.length > most) {
            resolve(seen.slice(1));
          } else {
            requestAnimationFrame(look);
          }
        };
        look();
      }),
    SHOWN_STATUSES,
  );
  const delays = shown.map(({ value, atMillis }) => {
    const first = told.statuses.find((event) => event.status.samples.received === value);
    assert.ok(first, 'the page shows ' + value + ' received samples, which no status said');
    return atMillis - first.atMillis;
  });
  delays.sort((a, b) => a - b);
  const median = delays[delays.length >> 1];
  console.log('from a status to the page: median %d ms, longest %d ms of %d', median, delays.at(-1), delays.length);
  assert.ok(delays.at(-1) <= MOST_MILLIS, 'a status is on the page after ' + delays.at(-1) + ' ms');

  // The page knows statuses from before this test listened: rates are equal when neither needs them any more.
  const heard = () => told.statuses.at(-1).atMillis - told.statuses[0].atMillis;
  for (let look = 0; look < 200 && heard() < RATE_MILLIS + MOST_MILLIS; look++) {
    await page.waitForTimeout(100);
  }

  const api = async (path) => (await fetch(address + 'api/' + path)).json();
  const ofLearner = (what) => api('learners/' + LEARNER + '/' + what);
  const [application] = (await api('console')).applications;
  const kinds = { status: 0, computed: 0 };
  for (const screen of SCREENS) {
    await show(page, address, screen, LEARNER);
    const answers = async () => {
      const [moves, models, subscribers, letters] = await Promise.all([
        ofLearner('moves'),
        ofLearner('models'),
        ofLearner('subscribers'),
        api('applications/' + application.name + '/dead-letters?limit=200'),
      ]);
      return { moves: moves.counts, models, subscribers, letters };
    };
    const before = await answers();
    // What is known now is on the page after that.
    await page.waitForTimeout(screen === 'stages' || screen === 'models' ? MOST_MILLIS + PAGE_READS_MODELS_MILLIS : 0);
    const readMillis = Date.now();
    const newest = told.statuses.length - 1;
    const numbers = await shownNumbers(page);
    assert.deepEqual(
      numbers.filter((each) => each.of !== LEARNER).map(({ text }) => text),
      [],
      screen + ': numbers of nobody',
    );
    const after = await answers();
    const updates = (await ofLearner('updates?limit=2000')).map(({ update, ...times }) => ({ ...times, ...update }));
    const common = {
      now: readMillis,
      events: told.statuses,
      updates: updatesAt(updates, Infinity),
      history: await ofLearner('history'),
      notes: await ofLearner('events?limit=500'),
      application,
      whatIf: asked.whatIf.at(-1),
    };
    // What the page may show: the newest status, and those that are not older than it may be late.
    const statuses = told.statuses.filter(
      (event, index) => index >= newest || event.atMillis >= readMillis - MOST_MILLIS,
    );
    // The page may have heard of a training later than this test: of each that ended lately, and of those after it.
    const ended = [Infinity, ...updates.map((each) => each.stagedAtMillis ?? 0)].filter(
      (millis) => millis >= readMillis - MOST_MILLIS,
    );
    const logs = ended.map((untilMillis) => updatesAt(updates, untilMillis));
    const computedRates = rates(told.statuses);
    for (const { path, formula, value, text } of numbers) {
      const source = path ?? formula;
      const where = screen + ': ' + source + ' is shown as ' + value + ' (' + text + ')';
      assert.ok(source, where + ', which comes from nowhere');
      const kind = ANSWER_ROOTS.find((root) => new RegExp('\\b' + root + '\\.', 'i').test(source)) ?? 'status';
      // Of answers there are several: they change all the time, so what the page was told counts as well.
      const variants =
        kind === 'status'
          ? [after]
          : [before, after, ...(asked[kind] ?? []).map((answer) => ({ ...after, [kind]: answer }))];
      const among = {
        variants,
        rates: source.includes('rate(') ? computedRates : [0],
        logs: source.includes('updates.') ? logs : [common.updates],
        statuses,
      };
      const off = toleranceOf(source, value, readMillis);
      const compared = [];
      let found = false;
      for (const each of possibleValues(common, among, path, formula)) {
        compared.push(each);
        found = close(each, value) || Math.abs(each - value) <= off;
        if (found) {
          break;
        }
      }
      assert.ok(
        found || (GROWING.test(path) && value >= compared[0] && value <= Math.max(...compared)),
        where + ', and computed again ' + compared.slice(0, 1) + ' to ' + compared.slice(-3),
      );
      const group = formula
        ? 'computed'
        : kind === 'status' && /^(updates|notes)\./.test(path)
          ? path.split('.')[0]
          : kind;
      kinds[group] = (kinds[group] ?? 0) + 1;
    }
  }
  console.log('numbers compared: %s', JSON.stringify(kinds));
  for (const kind of ['status', 'computed', 'updates', 'moves', 'models', 'whatIf']) {
    assert.ok(kinds[kind] > 0, 'no number of ' + kind + ' was compared');
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...hosts], [new URL(address).host]);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
});
