import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { NUMBERS, close, compute, misread, readNumbers, shownNumbers, unitOf } from './formula.mjs';
import { lettersOf, lineageOf, openedWithModels, subscribersOf } from './models.mjs';
import { resolver } from './sources.mjs';
import {
  APPLICATIONS,
  LEARNERS,
  MODELS,
  SCREENS,
  recordedEvents,
  show,
  startBrowser,
  startConsole,
  untilRead,
} from './start.mjs';
import { explainedBy, untracedTexts } from './texts.mjs';

/** Each screen against a recording that is wholly in the past: numbers, and what can be looked up. */

/** What a rate is of, at least. */
const RATE_MILLIS = 10_000;
/** Updates that their screen shows at a time. */
const SHOWN_UPDATES = 25;
/** Screens with numbers that the page computes. */
const COMPUTING = ['health', 'memory', 'models', 'overview', 'quality', 'stages', 'updates', 'what-if', 'why'];
/** Places of a chart that the pointer goes to. */
const POINTED = 40;
/** Numbers of the status that no screen shows, and why. */
const NOT_SHOWN = [
  /^inputOffsets\./, // positions, not counts
  /^progress\.training$/, // said in words
  /^gate\.held$/, // said in words
  /^pinned\.until$/, // said in words
  /^gate\.comparedWith$/, // absent if it is 0
  /^decision\.nextFiringInSeconds$/, // absent if no time is known
  /^engine\.threads$/, // absent if the engine is not known
  /^tables\.outOfRange$/, // absent if it is 0
];

let server;
let browser;
let events;
/** What is known of each learner. */
let known;

before(async () => {
  events = recordedEvents();
  server = await startConsole();
  browser = await startBrowser();
  await untilRead(server.address, events);
  known = new Map();
  for (const learner of LEARNERS) {
    // One after the other: the server simulates once at a time.
    known.set(learner, await truth(learner));
  }
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

function numbersIn(object, prefix = '') {
  return Object.entries(object).flatMap(([name, value]) => {
    if (Array.isArray(value) || value === null) {
      return [];
    }
    if (typeof value === 'object') {
      return numbersIn(value, prefix + name + '.');
    }
    return typeof value === 'number' || typeof value === 'boolean' ? [prefix + name] : [];
  });
}

/** What the recording says of a learner, with what is needed of the console's answers: see resolver(). */
async function truth(learner) {
  const own = events.filter((event) => event.application + '/' + event.partition === learner);
  let last = own[0];
  const updates = new Map();
  const moves = {};
  for (const event of own) {
    if (event.atMillis >= last.atMillis) {
      last = event;
    }
    if (event.update) {
      const before = updates.get(event.update.number);
      updates.set(event.update.number, { ...before, ...event.update, ...timesOf(event, before) });
    }
    for (const [move, count] of Object.entries(event.moves?.counts ?? {})) {
      moves[move] = (moves[move] ?? 0) + count;
    }
  }
  const application = await applicationOf(learner);
  const history = await answer('history', learner);
  return {
    status: last.status,
    atMillis: last.atMillis,
    now: Math.max(...events.map((event) => event.atMillis)),
    events: own,
    updates,
    moves,
    notes: own.map(({ atMillis, type, update }) => ({ atMillis, type, updateNumber: update?.number })),
    application,
    history,
    rate: rateOf(history),
    models: MODELS === '' ? lineageOf(learner) : await answer('models', learner),
    subscribers: staleSubscribers(learner),
    letters: lettersOf(application.name),
    whatIf: await answer('what-if?weight=' + application.weight, learner),
  };
}

/** When an update was staged, at first, and held. */
function timesOf({ type, atMillis, update }, before) {
  const isStaged = type === 'STAGED' || (type === 'DROPPED' && update.training);
  return {
    ...(isStaged && before?.stagedAtMillis === undefined ? { stagedAtMillis: atMillis } : {}),
    ...(type === 'HELD' ? { heldAtMillis: atMillis } : {}),
  };
}

/** One of those who serve models is stale. */
function staleSubscribers(learner) {
  const reported = subscribersOf(learner);
  reported.subscribers[2].stale = true;
  return reported;
}

/** The application of a learner, as the page has it. */
async function applicationOf(learner) {
  const { applications } = await (await fetch(server.address + 'api/console')).json();
  return applications.find((application) => learner.startsWith(application.name + '/'));
}

/** Amounts of money on the screen of updates: what each cost in waiting, and in training if it was trained. */
function amounts(updates, application) {
  const shown = [...updates.values()].sort((a, b) => b.number - a.number).slice(0, SHOWN_UPDATES);
  return application.machinePricePerSecond === null ? 0 : shown.length + shown.filter((each) => each.training).length;
}

/** Events a second as the server has them, over the last ten seconds at least. */
function rateOf({ atMillis, names, values }) {
  const received = values[names.indexOf('samples.received')];
  const newest = atMillis.length - 1;
  const oldest = Math.max(
    0,
    atMillis.findLastIndex((at) => atMillis[newest] - at >= RATE_MILLIS),
  );
  return (1000 * (received[newest] - received[oldest])) / (atMillis[newest] - atMillis[oldest]);
}

async function answer(what, learner) {
  return (await fetch(server.address + 'api/learners/' + learner + '/' + what)).json();
}

/**
 * Compares all numbers of a page, or of a part of it, with what they come from, and their texts with the numbers.
 *
 * @returns the numbers
 */
async function compareNumbers(part, where) {
  const numbers = await shownNumbers(part);
  compareAll(numbers, where);
  return numbers;
}

/** Compares numbers that a page has shown with what they come from. */
function compareAll(numbers, where) {
  for (const shown of numbers) {
    const source = shown.path ?? shown.formula;
    const said = where + ': ' + source + ' of ' + shown.of + ' is shown as ' + shown.text;
    assert.ok(source, said + ', and comes from nowhere');
    const resolve = resolver(known.get(shown.of));
    const { value, unit } = shown.path
      ? { value: resolve(shown.path), unit: unitOf(shown.path) }
      : compute(shown.formula, resolve);
    assert.ok(
      shown.path ? shown.value === value : close(shown.value, value),
      said + ' (' + shown.value + '), and is ' + value,
    );
    const { now, atMillis, status } = known.get(shown.of);
    assert.equal(misread(shown, unit, now), '', said);
    assert.ok(shown.text !== 'due' || atMillis + 1000 * shown.value <= now, said + ', and is not due');
    assert.ok(shown.text !== 'a training runs' || status.progress.training, said + ', and none runs');
  }
}

/** Texts with a digit that nothing explains. */
async function unexplained(page, explained) {
  return (await untracedTexts(page)).filter((text) => !explained(text));
}

/** All texts that others wrote: events, answers, application files. */
async function textsOfOthers() {
  const answers = await Promise.all(
    [...known.keys()].flatMap((learner) => ['updates', 'events', 'moves'].map((what) => answer(what, learner))),
  );
  const info = await (await fetch(server.address + 'api/console')).json();
  const learners = await (await fetch(server.address + 'api/learners')).json();
  const files = APPLICATIONS.map((file) => readFileSync(file, 'utf8'));
  const plans = await Promise.all(
    LEARNERS.map(async (learner) =>
      (await fetch(server.address + 'api/applications/' + learner.split('/')[0] + '/capacity')).json(),
    ),
  );
  const { models, subscribers, letters, whatIf } = Object.fromEntries(
    ['models', 'subscribers', 'letters', 'whatIf'].map((name) => [name, [...known.values()].map((each) => each[name])]),
  );
  return [events, answers, info, learners, files, models, subscribers, letters, whatIf, plans];
}

test('every number on every screen is the one of the event', { timeout: 600_000 }, async (t) => {
  const { page, wrong, hosts } = await openedWithModels(t, browser);
  await page.route('**/api/learners/*/*/subscribers', (route) =>
    route.fulfill({ json: staleSubscribers(new URL(route.request().url()).pathname.split('/').slice(3, 5).join('/')) }),
  );
  const explained = explainedBy(await textsOfOthers());
  const seen = new Map(LEARNERS.map((learner) => [learner, new Set()]));
  const checked = { paths: 0, formulas: 0 };
  const computed = new Set();
  for (const learner of LEARNERS) {
    for (const screen of SCREENS) {
      const where = screen + ' of ' + learner;
      await show(page, server.address, screen, learner);
      if (screen === 'models') {
        await page.locator('button:has-text("Manifest")').first().click();
      }
      const numbers = await compareNumbers(page, where);
      for (const { path, formula, of } of numbers) {
        checked[path ? 'paths' : 'formulas']++;
        if (path) {
          seen.get(of).add(path);
        } else {
          computed.add(screen);
        }
      }
      assert.deepEqual(await unexplained(page, explained), [], where + ': texts with digits that nothing explains');
      if (screen === 'updates') {
        const { updates, application } = known.get(learner);
        const money = numbers.filter(({ formula }) => formula?.includes('application.'));
        assert.equal(money.length, amounts(updates, application), 'amounts of money of ' + learner);
      }
    }
    const missing = numbersIn(known.get(learner).status).filter(
      (path) => !seen.get(learner).has(path) && !NOT_SHOWN.some((pattern) => pattern.test(path)),
    );
    assert.deepEqual(missing, [], 'numbers of the status that no screen shows for ' + learner);
  }
  console.log('numbers compared: %s', JSON.stringify(checked));
  assert.ok(checked.paths > 1000 && checked.formulas > 150, 'only ' + JSON.stringify(checked) + ' were compared');
  assert.deepEqual([...computed].sort(), COMPUTING, 'screens with numbers that were computed again');
  assert.deepEqual(wrong, []);
  assert.deepEqual([...hosts], [new URL(server.address).host]);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
});

test('every value of a chart under the pointer is the one of its time', { timeout: 600_000 }, async (t) => {
  const { page, wrong } = await openedWithModels(t, browser);
  await page.addInitScript('window.readNumbers = ' + readNumbers);
  const checked = { charts: 0, times: 0, values: 0 };
  for (const learner of LEARNERS) {
    for (const screen of SCREENS) {
      await show(page, server.address, screen, learner);
      const charts = page.locator('figure.chart:has(canvas):not(:has(.chart-empty))');
      for (let chart = 0; chart < (await charts.count()); chart++) {
        const { times, values } = await pointAlong(page, charts.nth(chart), screen + ' of ' + learner);
        checked.charts++;
        checked.times += times;
        checked.values += values;
      }
    }
  }
  console.log('under the pointer: %s', JSON.stringify(checked));
  assert.ok(checked.charts >= 25 && checked.values > 2_000, 'only ' + JSON.stringify(checked) + ' were compared');
  assert.deepEqual(wrong, []);
});

/** Compares what the legend of a chart shows while the pointer goes along it. */
async function pointAlong(page, chart, where) {
  const title = where + ', ' + (await chart.locator('h3').textContent());
  const area = chart.locator('.u-over');
  await area.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await area.boundingBox();
  // The pointer itself goes to the first place; the page tells the chart of the others, which is a tenth of the work.
  await page.mouse.move(x + (0.5 / POINTED) * width, y + height / 2);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const first = await shownNumbers(chart.locator('.legend'));
  const legends = await area.evaluate(legendsAlong, { places: POINTED, numbers: NUMBERS });
  assert.deepEqual(legends[0], first, title + ': the legend of the first place');
  const times = new Set();
  let values = 0;
  for (const numbers of legends) {
    compareAll(numbers, title);
    assert.ok(numbers.length > 0, title + ': the legend has no time');
    times.add(numbers.at(-1).value);
    values += numbers.length - 1;
  }
  await page.mouse.move(0, 0);
  assert.ok(times.size > 1, title + ': the pointer moves, and the legend stays at ' + [...times]);
  return { times: times.size, values };
}

/** Runs in the page: the numbers of a chart's legend at each place of the pointer, which moves over what lies on top. */
async function legendsAlong(area, { places, numbers }) {
  const legend = area.closest('figure.chart').querySelector('.legend');
  const { left, top, width, height } = area.getBoundingClientRect();
  const clientY = top + height / 2;
  const legends = [];
  for (let place = 0; place < places; place++) {
    const clientX = left + ((place + 0.5) / places) * width;
    const move = new MouseEvent('mousemove', { bubbles: true, view: window, clientX, clientY });
    document.elementFromPoint(clientX, clientY).dispatchEvent(move);
    // The legend is drawn before the next frame.
    await new Promise((done) => requestAnimationFrame(done));
    legends.push(window.readNumbers([...legend.querySelectorAll(numbers)]));
  }
  return legends;
}

test('every number of dead letters is the one of the answer', { timeout: 120_000 }, async (t) => {
  const { page, wrong } = await openedWithModels(t, browser);
  await page.route('**/api/console', async (route) => {
    const info = await (await route.fetch()).json();
    await route.fulfill({ json: { ...info, source: 'kafka' } });
  });
  await page.route('**/dead-letters?*', (route) => route.fulfill({ json: lettersOf('electricity') }));
  const explained = explainedBy(await textsOfOthers());
  await show(page, server.address, 'dead-letters', 'electricity/0');
  await page.waitForSelector('.letters tbody tr');
  let checked = 0;
  const reasons = page.locator('.reason-list button');
  assert.equal(await reasons.count(), 4);
  for (let reason = 0; reason < 4; reason++) {
    await reasons.nth(reason).click();
    const where = 'dead letters of the ' + reason + 'th reason';
    checked += (await compareNumbers(page, where)).length;
    assert.deepEqual(await unexplained(page, explained), [], where + ': texts with digits that nothing explains');
  }
  assert.ok(checked > 200, 'only ' + checked + ' numbers were compared');
  assert.deepEqual(wrong, []);
});

test('a number in a wrong text, and a text that nobody wrote, are found', () => {
  const now = 1_795_417_000_000;
  const wrong = (text, value, path) => misread({ text, value, path }, unitOf(path), now) !== '';
  for (const [text, value, path] of [
    ['1.94', 1.9369, 'prequential.classification.logLoss'],
    ['85.1 %', 0.8512, 'prequential.classification.accuracy'],
    ['1.50\u00a0KiB', 1536, 'tables.fastBytes'],
    ['2\u00a0min 5\u00a0s', 125_000, 'subscribers.a.ageMillis'],
    ['5\u00a0s', now - 5_900, 'last.atMillis'],
  ]) {
    assert.ok(!wrong(text, value, path), text);
  }
  for (const [text, value, path] of [
    ['193.7 %', 1.9369, 'prequential.classification.logLoss'],
    ['1.93', 1.9369, 'prequential.classification.logLoss'],
    ['1,536 s', 1536, 'tables.fastBytes'],
    ['1.50\u00a0MiB', 1536, 'tables.fastBytes'],
    ['1 d 11 h', 125_000, 'subscribers.a.ageMillis'],
    ['7\u00a0s', now - 5_900, 'last.atMillis'],
    ['00:00:01', now, 'last.atMillis'],
    ['soon', now, 'last.atMillis'],
  ]) {
    assert.ok(wrong(text, value, path), text);
  }
  const explained = explainedBy([{ message: 'waiting has cost 0.12 sample-seconds, an update costs 3' }]);
  assert.deepEqual(
    ['Waiting has cost 0.12 sample-seconds', '12 s', '3', '4 updates', 'SHA-256'].filter((text) => !explained(text)),
    ['12 s', '3', '4 updates'],
  );
});

test('the learner stays chosen from screen to screen, and is a link', async (t) => {
  const { page } = await openedWithModels(t, browser);
  await show(page, server.address, 'quality', 'avazu/0');
  await page.click('nav a:has-text("Memory")');
  await page.waitForSelector('h2:has-text("Rows of embedding tables")');
  assert.match(page.url(), /#memory\/avazu\/0$/);
  await page.selectOption('header select', 'electricity/0');
  await page.waitForSelector('h2:has-text("Tensors while training")');
  assert.match(page.url(), /#memory\/electricity\/0$/);
});

test('two updates are compared side by side', async (t) => {
  const { page } = await openedWithModels(t, browser);
  await show(page, server.address, 'updates', 'electricity/0');
  const boxes = page.locator('.updates input[type=checkbox]');
  await boxes.nth(1).check();
  await boxes.nth(4).check();
  const table = page.locator('.table-box[aria-label="Two updates side by side"]');
  await table.waitFor();
  const numbers = await compareNumbers(table, 'comparison');
  assert.ok(numbers.filter((each) => each.formula).length > 10, 'changes are compared');
});

test('a sample that was explained can be looked up', async (t) => {
  const explained = events.find((event) => event.sample?.found)?.sample;
  const { page } = await openedWithModels(t, browser);
  await show(page, server.address, 'stages', 'electricity/0');
  await page.fill('input[type=text]', explained.asked);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.sample');
  const text = await page.textContent('.sample');
  for (const fact of Object.keys(explained.facts)) {
    assert.ok(text.includes(fact), fact);
  }
  for (const rule of Object.keys(explained.strengths)) {
    assert.ok(text.includes(rule), rule);
  }
  const sample = await answer('samples?id=' + encodeURIComponent(explained.asked), 'electricity/0');
  assert.deepEqual(sample.answer, explained);
  known.get('electricity/0').sample = sample;
  const numbers = await compareNumbers(page.locator('.sample'), 'sample');
  assert.ok(numbers.length >= 4 + Object.keys(explained.facts).length + Object.keys(explained.strengths).length);
  assert.deepEqual(await unexplained(page, explainedBy([...(await textsOfOthers()), sample])), []);
});

test('the YAML lines of a rule can be copied', { timeout: 90_000 }, async (t) => {
  const { page } = await openedWithModels(t, browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  await show(page, server.address, 'what-if', 'electricity/0');
  await page.click('button[aria-label="Copy YAML for area"]');
  await page.waitForSelector('button:has-text("Copied")');
  const text = await page.evaluate(() => navigator.clipboard.readText());
  // The recorded application has prices in money, and refuses the ratio beside them.
  assert.equal(
    text,
    'update:\n  rule: area\n  machine-price-per-second: 0.0004\n  staleness-price-per-sample-second: 0.0000004\n',
  );
});
