import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SCREENS, opened, show, startBrowser } from './start.mjs';

/** A demo as users start it: broker, job and console of their own, and the page while models are trained. */

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../../..');
const START_MILLIS = 180_000;
const SECONDS = 60;
/** Statuses come about once a second. */
const SHOWN_STATUSES = 12;
/** What the topic says is on the page so much later, at most: the median, as the machine may be busy. */
const MOST_MILLIS = 2_000;

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
  t.after(async () => {
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

test('what a demo says is on the page two seconds later', { timeout: 400_000 }, async (t) => {
  const { address } = await startDemo(t);
  const { page, wrong, hosts } = await opened(t, browser);
  const told = follow(address);
  t.after(() => told.stop());
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
  assert.ok(median <= MOST_MILLIS, 'a status is on the page after ' + median + ' ms');

  for (const screen of SCREENS.filter((each) => each !== 'what-if' && each !== 'overview')) {
    await show(page, address, screen, 'demo/0');
    const numbers = await page.$$eval('[data-path][data-of="demo/0"]', (elements) =>
      elements.map((element) => [element.dataset.path, element.dataset.value]),
    );
    const statuses = told.statuses.slice(-20).map((event) => event.status);
    for (const [path, value] of numbers.filter(([name]) => at(statuses.at(-1), name) !== undefined)) {
      assert.ok(
        statuses.some((status) => String(at(status, path)) === value),
        screen + ': ' + path + ' is ' + value + ', which no status of the last 20 says',
      );
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...hosts], [new URL(address).host]);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
});
