import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { close, evaluate, shownNumbers } from './formula.mjs';
import { SCREENS, endAfter, opened, show, startBrowser } from './start.mjs';

/** A demo as users start it: broker, job and console of their own, and the page while models are trained. */

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../../..');
const START_MILLIS = 180_000;
const SECONDS = 75;
/** Statuses come about once a second. */
const SHOWN_STATUSES = 12;
/** What the topic says is on the page so much later, at most. */
const MOST_MILLIS = 2_000;
/** The page asks for the model folder again after a publication, at most so often. */
const PAGE_READS_MODELS_MILLIS = 4_000;
/** As the page does, src/store/learner.ts. */
const RATE_MILLIS = 10_000;
const LEARNER = 'demo/0';

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
    join(root, 'idla'),
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

function at(object, path) {
  const value = path.split('.').reduce((inner, step) => inner?.[step], object);
  return typeof value === 'boolean' ? Number(value) : value;
}

/** A number of the model folder: of a version, of a file of one, or of all. */
function modelNumber(models, version, rest) {
  const known = models.versions.find((each) => each.version === Number(version));
  if (rest[0] === 'files') {
    return known?.files.find((file) => file.name === rest.slice(1).join('.'))?.bytes;
  }
  return rest.length === 0 ? models[version] : at(known, rest.join('.'));
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

test('what a demo says is on the page two seconds later', { timeout: 400_000 }, async (t) => {
  const { address } = await startDemo(t);
  const { page, wrong, hosts } = await opened(t, browser);
  const told = follow(address);
  endAfter(t, () => told.stop());
  /** What the server has told the page of the models. */
  const asked = [];
  page.on('response', (response) => {
    if (response.ok() && response.url().endsWith('/models')) {
      response.json().then(
        (models) => asked.push(models),
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
  const [application] = (await api('console')).applications;
  const kinds = { status: 0, updates: 0, moves: 0, models: 0, computed: 0 };
  for (const screen of SCREENS.filter((each) => each !== 'what-if')) {
    await show(page, address, screen, LEARNER);
    const before = {
      moves: await api('learners/' + LEARNER + '/moves'),
      models: await api('learners/' + LEARNER + '/models'),
    };
    // What is known now is on the page after that.
    await page.waitForTimeout(screen === 'stages' || screen === 'models' ? MOST_MILLIS + PAGE_READS_MODELS_MILLIS : 0);
    const readMillis = Date.now();
    const newest = told.statuses.length - 1;
    const numbers = (await shownNumbers(page)).filter((each) => each.of === LEARNER || each.of === null);
    const after = {
      moves: await api('learners/' + LEARNER + '/moves'),
      models: await api('learners/' + LEARNER + '/models'),
    };
    // What the page may show: the newest status, and those that are not older than it may be late.
    const statuses = told.statuses
      .filter((event, index) => index >= newest || event.atMillis >= readMillis - MOST_MILLIS)
      .map((event) => event.status);
    const updates = new Map((await api('learners/' + LEARNER + '/updates')).map((each) => [each.number, each.update]));
    for (const { path, formula, value, text } of numbers) {
      const where = screen + ': ' + (path ?? formula ?? text) + ' is shown as ' + value;
      const [first, second, ...rest] = (path ?? '').split('.');
      const update = (name) => {
        const [, number, ...steps] = name.split('.');
        return at(updates.get(Number(number)), steps.join('.'));
      };
      if (formula?.startsWith('rate(')) {
        const computed = rates(told.statuses);
        assert.ok(
          computed.some((each) => Math.abs(value - each) <= 0.2 * each),
          where + ', and computed again ' + computed.slice(-3),
        );
        kinds.computed++;
      } else if (formula) {
        const results = statuses.map((status) =>
          evaluate(formula, (name) =>
            name.startsWith('updates.')
              ? update(name)
              : name.startsWith('application.')
                ? application[name.slice('application.'.length)]
                : at(status, name),
          ),
        );
        assert.ok(
          results.some((each) => close(each, value)),
          where + ', and computed again ' + results.slice(-3),
        );
        kinds.computed++;
      } else if (first === 'updates') {
        assert.equal(value, update(path), where);
        kinds.updates++;
      } else if (first === 'moves') {
        const move = path.slice('moves.'.length);
        const least = before.moves.counts[move] ?? 0;
        assert.ok(value >= least && value <= (after.moves.counts[move] ?? 0), where + ', at least ' + least);
        kinds.moves++;
      } else if (first === 'models') {
        // Versions are published and deleted all the time, so what the page was told counts as well.
        const known = [before.models, after.models, ...asked].map((models) => modelNumber(models, second, rest));
        assert.ok(
          known.includes(value) || (rest.length === 0 && value >= known[0] && value <= known[1]),
          where + ', and is ' + known,
        );
        kinds.models++;
      } else {
        assert.ok(path, where + ', which comes from nowhere');
        assert.ok(
          statuses.some((status) => at(status, path) === value),
          where + ', which no status of the ' + MOST_MILLIS + ' ms before says',
        );
        kinds.status++;
      }
    }
  }
  console.log('numbers compared: %s', JSON.stringify(kinds));
  for (const [kind, count] of Object.entries(kinds)) {
    assert.ok(count > 0, 'no number of ' + kind + ' was compared');
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...hosts], [new URL(address).host]);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
});
