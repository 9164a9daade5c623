import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

/** Starts the console's server and the browser for tests. */

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '../../../../..');
export const IDLA = join(root, 'idla');
export const RECORDING = process.env.IDLA_RECORDING ?? join(root, 'console/src/test/resources/recording.jsonl.gz');
/** Folder of the recording's models, if it is there. */
export const MODELS = process.env.IDLA_RECORDING_MODELS ?? '';
export const PAGE = join(here, '../../resources/web');
export const SHOTS = join(root, 'docs/console');

/** Processes of tests end before the optimizing compiler of Java has paid for itself. */
process.env.IDLA_JAVA_OPTS ??= '-XX:TieredStopAtLevel=1';

const COMMAND = process.env.IDLA_CONSOLE_COMMAND?.split(' ') ?? [IDLA, 'console'];
/** How the report command is run. */
export const REPORT = process.env.IDLA_REPORT_COMMAND?.split(' ') ?? [IDLA, 'report'];
/** How the command that plans is run. */
export const PLAN = process.env.IDLA_PLAN_COMMAND?.split(' ') ?? [IDLA, 'plan'];
/** Application files of the recording. */
export const APPLICATIONS = ['electricity.yaml', 'avazu.yaml', 'bikes.yaml'].map((name) => join(here, name));
const CHROMIUM = process.env.IDLA_CHROMIUM ?? '/usr/bin/chromium';
const START_MILLIS = 120_000;
/** A page on which nothing has changed for so long stands. */
const STILL_MILLIS = 350;
/** Where events come in, something always changes. */
const MOVING_MILLIS = 700;
/** Answers that take longer are not waited for. */
const ANSWER_MILLIS = 10_000;

/** Requests of a page that are under way, but for its stream of events, which has no end. */
const underWay = new WeakMap();

export const SCREENS = [
  'overview',
  'why',
  'updates',
  'quality',
  'stages',
  'models',
  'memory',
  'dead-letters',
  'what-if',
  'health',
];

/** Learners of the recording. */
export const LEARNERS = ['electricity/0', 'avazu/0', 'bikes/0'];

/** The recorded events, in their order. */
export function recordedEvents() {
  const bytes = readFileSync(RECORDING);
  const text = (RECORDING.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Starts the server, which reads a recording; `address` ends with a slash. */
export async function startConsole(options = [], port = 0, recording = RECORDING) {
  const models = MODELS === '' ? [] : ['--models-dir', MODELS];
  const [command, ...first] = COMMAND;
  const child = spawn(
    command,
    [...first, ...APPLICATIONS, '--recording', recording, ...models, '--port', String(port), ...options],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  const line = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the console did not start: ' + said)), START_MILLIS);
    const take = (chunk) => {
      said += chunk;
      const found = /console at (http\S+?\/)#token=(\S+)/.exec(said);
      if (found) {
        clearTimeout(timer);
        resolve(found);
      }
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('exit', (code) => reject(new Error('the console ended with ' + code + ': ' + said)));
  });
  return {
    address: line[1],
    token: line[2],
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) {
          resolve();
          return;
        }
        child.removeAllListeners('exit');
        child.on('exit', resolve);
        child.kill('SIGTERM');
      }),
  };
}

/** Waits until the server has read the whole recording. */
export async function untilRead(address, events) {
  const newest = Math.max(...events.map((event) => event.atMillis));
  for (let look = 0; look < 300; look++) {
    const learners = await (await fetch(address + 'api/learners')).json();
    if (learners.some((learner) => learner.last.atMillis === newest)) {
      return;
    }
    await new Promise((resume) => setTimeout(resume, 100));
  }
  throw new Error('the console did not read the recording');
}

export async function startBrowser() {
  if (!existsSync(CHROMIUM)) {
    throw new Error(CHROMIUM + ' is missing: install the package chromium, or name another one in IDLA_CHROMIUM');
  }
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A page that notes what must not happen: errors, requests to others, violations of the content security policy. */
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', (error) => wrong.push('error: ' + error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      wrong.push(message.type() + ': ' + message.text() + ' ' + message.location().url);
    }
  });
  page.on('dialog', (dialog) => {
    wrong.push('dialog: ' + dialog.message());
    void dialog.dismiss();
  });
  const hosts = new Set();
  const requests = new Set();
  underWay.set(page, requests);
  page.on('request', (request) => {
    const url = new URL(request.url());
    hosts.add(url.host);
    if (url.pathname !== '/api/stream') {
      requests.add(request);
    }
  });
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => {
      window.violations.push(event.violatedDirective + ' ' + event.blockedURI);
    });
  });
  return { context, page, wrong, hosts };
}

/** Goes to a screen and waits until it stands. */
export async function show(page, address, screen, learner) {
  await page.goto(address + '#' + screen + '/' + learner);
  await page.waitForSelector('nav a[aria-current]');
  await page.waitForFunction(
    (id) =>
      document
        .querySelector('nav a[aria-current]')
        ?.getAttribute('href')
        ?.startsWith('#' + id + '/'),
    screen,
  );
  // The first events of a recording may still be on their way.
  await page.waitForFunction(
    (id) => document.querySelector('header select')?.selectedOptions[0]?.textContent === id,
    learner,
  );
  await page.waitForSelector('main .card, main .quiet-line');
  if (screen === 'what-if') {
    await page.waitForSelector('table', { timeout: 60_000 });
  }
  await settle(page);
}

/** Waits until all answers are there and the page is still, or moves only because events come in. */
export async function settle(page) {
  const requests = underWay.get(page);
  const until = Date.now() + ANSWER_MILLIS;
  do {
    await page.evaluate(
      ([still, moving]) =>
        new Promise((resolve) => {
          const done = () => {
            observer.disconnect();
            clearTimeout(timer);
            clearTimeout(last);
            resolve();
          };
          let timer = setTimeout(done, still);
          const last = setTimeout(done, moving);
          const observer = new MutationObserver(() => {
            clearTimeout(timer);
            timer = setTimeout(done, still);
          });
          observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
        }),
      [STILL_MILLIS, MOVING_MILLIS],
    );
  } while (requests.size > 0 && Date.now() < until);
}

/** What ends with a test. */
const endings = new WeakMap();

/** Ends the last one, and the others even if that fails. */
async function endAll(ends) {
  const end = ends.pop();
  if (end) {
    try {
      await end();
    } finally {
      await endAll(ends);
    }
  }
}

/** Ends something after the test, the last one first: a page must not ask a server that is gone. */
export function endAfter(t, end) {
  if (!endings.has(t)) {
    const ends = [];
    endings.set(t, ends);
    t.after(() => endAll(ends));
  }
  endings.get(t).push(end);
}

/** A server that ends with the test. */
export async function started(t, options, port) {
  const server = await startConsole(options, port);
  endAfter(t, () => server.stop());
  return server;
}

/** A page that closes with the test. */
export async function opened(t, browser, options) {
  const tab = await openPage(browser, options);
  endAfter(t, async () => {
    // The page asks until it is closed; what the test was about to answer then reaches nobody.
    await tab.page.unrouteAll({ behavior: 'ignoreErrors' });
    await tab.context.close();
  });
  return tab;
}
