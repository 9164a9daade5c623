import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { PAGE, SCREENS, openPage, recordedEvents, startBrowser } from './start.mjs';

/** Two hours of eight learners through the real page: what the page keeps stays bounded. */

const LEARNERS = 8;
const SECONDS = 2 * 3600;
const UPDATE_EVERY_SECONDS = 2;
const MOST_MIB = 150;
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

let browser;
let server;
let address;
let templates;

before(async () => {
  const events = recordedEvents().filter((event) => event.application === 'electricity');
  templates = Object.fromEntries(
    ['FIRED', 'STAGED', 'PUBLISHED'].map((type) => [type, events.findLast((event) => event.type === type)]),
  );
  templates.STATUS = { ...templates.PUBLISHED, type: 'STATUS', update: undefined };
  server = createServer(answer);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = 'http://127.0.0.1:' + server.address().port + '/';
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  server?.close();
  server?.closeAllConnections();
});

/** What differs between the events of a kind: its places in the text are marked so. */
const PLACE = /"@(\w+)@"/;

/** The text of an event of a kind, cut at the places where a value goes: each second piece is the name of one. */
function patternOf(type) {
  const event = structuredClone(templates[type]);
  event.application = '@application@';
  event.atMillis = '@atMillis@';
  event.status.samples.received = '@received@';
  event.status.stages.mature = '@second@';
  if (event.update) {
    event.update.number = '@number@';
    event.update.firing.atMillis = '@atMillis@';
    event.update.firing.grounds.reason = '@reason@';
    if (event.update.published) {
      event.update.published = { version: '@number@', atMillis: '@atMillis@' };
    }
  }
  return JSON.stringify(event).split(PLACE);
}

/** All events of all learners, a second at a time. */
function* story() {
  const patterns = Object.fromEntries(Object.keys(templates).map((type) => [type, patternOf(type)]));
  for (let second = 1; second <= SECONDS; second++) {
    let piece = '';
    for (let learner = 0; learner < LEARNERS; learner++) {
      const number = second / UPDATE_EVERY_SECONDS;
      const values = {
        application: 'stream-' + learner,
        atMillis: 1_795_000_000_000 + second * 1000,
        received: second * 100 + learner,
        second,
        number,
        reason: 'waiting has cost ' + second / 7 + ' sample-seconds, an update costs ' + number / 3,
      };
      const types = second % UPDATE_EVERY_SECONDS === 0 ? ['FIRED', 'STAGED', 'PUBLISHED', 'STATUS'] : ['STATUS'];
      for (const type of types) {
        const text = patterns[type].map((part, index) => (index % 2 === 0 ? part : JSON.stringify(values[part])));
        piece += 'event: decision\ndata: ' + text.join('') + '\n\n';
      }
    }
    yield piece;
  }
}

async function stream(response) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.setMaxListeners(0);
  response.write('event: hello\ndata: {"nowMillis":1795000000000}\n\n');
  await new Promise((resume) => setTimeout(resume, 1500));
  for (const piece of story()) {
    if (response.destroyed) {
      return;
    }
    if (!response.write(piece)) {
      await new Promise((resume) => {
        response.once('drain', resume);
        response.once('close', resume);
      });
    }
  }
}

function answer(request, response) {
  const path = new URL(request.url, address).pathname;
  const json = (value) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
  if (path === '/api/stream') {
    void stream(response);
  } else if (path === '/api/console') {
    json({
      version: 'test',
      source: 'recording',
      sourceName: 'synthetic',
      nowMillis: 1,
      writable: false,
      connected: true,
      problem: '',
      applications: [],
    });
  } else if (path === '/api/learners') {
    json([]);
  } else if (path.endsWith('/history')) {
    json({ names: [], atMillis: [], values: [] });
  } else if (path.endsWith('/moves')) {
    json({ counts: {}, points: [] });
  } else if (path.endsWith('/models')) {
    json({ problem: '', current: 0, serving: 0, pin: null, aliases: {}, versions: [] });
  } else if (path.endsWith('/subscribers')) {
    json({ readable: true, problem: '', more: false, subscribers: [] });
  } else if (path.endsWith('/dead-letters')) {
    json({ problem: '', total: 0, letters: [] });
  } else if (path.endsWith('/what-if')) {
    json({ problem: 'nothing is recorded', rows: [] });
  } else if (path.endsWith('/capacity')) {
    json({ problem: 'nothing is planned', command: 'idla plan', differences: [], plan: null });
  } else if (path.startsWith('/api/')) {
    json([]);
  } else {
    const file = path === '/' ? 'index.html' : path.slice(1);
    response.writeHead(200, { 'Content-Type': TYPES[extname(file)] }).end(readFileSync(join(PAGE, file)));
  }
}

test('two hours of eight learners stay below ' + MOST_MIB + ' MB', { timeout: 600_000 }, async () => {
  const { page, wrong } = await openPage(browser);
  const session = await page.context().newCDPSession(page);
  await page.goto(address);
  const last = SECONDS * 100 + LEARNERS - 1;
  await page.waitForFunction(
    (value) =>
      [...document.querySelectorAll('[data-path="samples.received"]')].some(
        (each) => Number(each.dataset.value) === value,
      ),
    last,
    { timeout: 580_000, polling: 500 },
  );
  for (const screen of SCREENS) {
    await page.click('nav a[href^="#' + screen + '/"]');
    await page.waitForSelector('main .card, main .quiet-line').catch((error) => {
      throw new Error(screen + ' shows nothing; the page said ' + JSON.stringify(wrong), { cause: error });
    });
    const all = page.locator('main .segments button:has-text("All")');
    for (let each = 0; each < (await all.count()); each++) {
      await all.nth(each).click();
    }
    await page.waitForTimeout(300);
  }
  await page.click('nav a[href^="#updates/"]');
  await page.waitForSelector('.updates tbody tr');
  await session.send('HeapProfiler.collectGarbage');
  const used = await session.send('Runtime.getHeapUsage');
  const megabytes = (used.usedSize + (used.embedderHeapUsedSize ?? 0) + (used.backingStorageSize ?? 0)) / 1e6;
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
  const resident = processInfo
    .filter((process) => process.type === 'renderer')
    .map((process) => /VmRSS:\s+(\d+) kB/.exec(readFileSync('/proc/' + process.id + '/status', 'utf8'))?.[1])
    .map((kilobytes) => Number(kilobytes) / 1000);
  console.log('resident set of the largest renderer, the code of the browser included: %d MB', Math.max(...resident));
  console.log('kept: ' + megabytes.toFixed(1) + ' MB', JSON.stringify(used));
  assert.ok(megabytes < MOST_MIB, megabytes + ' MB');
  assert.deepEqual(wrong, []);
});
