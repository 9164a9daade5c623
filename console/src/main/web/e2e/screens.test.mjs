import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { close, evaluate, shownNumbers } from './formula.mjs';
import { reachesEverything } from './keyboard.mjs';
import { lineageOf } from './models.mjs';
import {
  MODELS,
  SCREENS,
  SHOTS,
  opened as openedPage,
  recordedEvents,
  show,
  startBrowser,
  startConsole,
  untilRead,
} from './start.mjs';

/** Each screen against a recording that is wholly in the past: numbers, rules of the browser, keyboard, looks. */

/** What a rate is of, at least. */
const RATE_MILLIS = 10_000;
/** Updates that their screen shows at a time. */
const SHOWN_UPDATES = 25;
/** Screens with numbers that the page computes. */
const COMPUTING = ['health', 'memory', 'overview', 'quality', 'updates', 'why'];
const LEARNERS = ['electricity/0', 'avazu/0'];
/** Numbers of the status that no screen shows, and why. */
const NOT_SHOWN = [
  /^inputOffsets\./, // positions, not counts
  /^progress\.training$/, // said in words
  /^gate\.held$/, // said in words
  /^gate\.comparedWith$/, // absent if it is 0
  /^decision\.nextFiringInSeconds$/, // absent if no time is known
  /^engine\.threads$/, // absent if the engine is not known
  /^tables\.outOfRange$/, // absent if it is 0
];

let server;
let browser;
let events;

before(async () => {
  events = recordedEvents();
  server = await startConsole();
  browser = await startBrowser();
  await untilRead(server.address, events);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

function at(object, path) {
  let value = object;
  for (const step of path.split('.')) {
    value = value?.[step];
  }
  return typeof value === 'boolean' ? Number(value) : value;
}

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

/** What the recording says of a learner. */
function truth(learner) {
  const own = events.filter((event) => event.application + '/' + event.partition === learner);
  let last = own[0];
  const updates = new Map();
  const moves = {};
  for (const event of own) {
    if (event.atMillis >= last.atMillis) {
      last = event;
    }
    if (event.update) {
      updates.set(event.update.number, { ...updates.get(event.update.number), ...event.update });
    }
    for (const [move, count] of Object.entries(event.moves?.counts ?? {})) {
      moves[move] = (moves[move] ?? 0) + count;
    }
  }
  return { last, updates, moves };
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
async function rateOf(learner) {
  const { atMillis, names, values } = await answer('history', learner);
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

/** A page; without the recording's models it gets others, which have a branch and a pin. */
async function openScreens(t, options) {
  const opened = await openedPage(t, browser, options);
  if (MODELS === '') {
    await opened.page.route('**/api/learners/*/*/models', (route) =>
      route.fulfill({ json: lineageOf(new URL(route.request().url()).pathname.split('/').slice(3, 5).join('/')) }),
    );
  }
  return opened;
}

test('every number on every screen is the one of the event', { timeout: 240_000 }, async (t) => {
  const { page, wrong, hosts } = await openScreens(t);
  const seen = new Map(LEARNERS.map((learner) => [learner, new Set()]));
  let checked = 0;
  const computed = new Set();
  for (const learner of LEARNERS) {
    const known = truth(learner);
    const application = await applicationOf(learner);
    for (const screen of SCREENS) {
      await show(page, server.address, screen, learner);
      const whatIf = screen === 'what-if' ? await answer('what-if?weight=' + application.weight, learner) : null;
      const models = MODELS === '' ? lineageOf(learner) : await answer('models', learner);
      let money = 0;
      for (const shown of await shownNumbers(page)) {
        const of = shown.of === learner ? known : truth(shown.of);
        assert.ok(shown.path || shown.formula, screen + ': ' + shown.text + ' comes from somewhere');
        if (shown.formula) {
          const resolve = (path) =>
            path.startsWith('updates.')
              ? at(of.updates.get(Number(path.split('.')[1])), path.split('.').slice(2).join('.'))
              : path.startsWith('application.')
                ? application[path.slice('application.'.length)]
                : at(of.last.status, path);
          const expected = shown.formula.startsWith('rate(')
            ? await rateOf(shown.of)
            : evaluate(shown.formula, resolve);
          assert.ok(
            close(shown.value, expected),
            screen + ' of ' + learner + ': ' + shown.formula + ' is ' + expected + ' and shown as ' + shown.text,
          );
          computed.add(screen);
          money += screen === 'updates' ? 1 : 0;
          continue;
        }
        const [first, second, ...rest] = shown.path.split('.');
        let expected;
        if (first === 'updates') {
          expected = at(of.updates.get(Number(second)), rest.join('.'));
        } else if (first === 'moves') {
          expected = of.moves[shown.path.slice('moves.'.length)] ?? 0;
        } else if (first === 'models' && rest[0] === 'files') {
          const version = models.versions.find((each) => each.version === Number(second));
          expected = version.files.find((file) => file.name === rest.slice(1).join('.')).bytes;
        } else if (first === 'models') {
          const version = models.versions.find((each) => each.version === Number(second));
          expected = version ? at(version, rest.join('.')) : models[second];
        } else if (first === 'whatif') {
          expected = at(whatIf, shown.path.slice('whatif.'.length));
        } else {
          expected = at(of.last.status, shown.path);
          seen.get(shown.of)?.add(shown.path);
        }
        assert.equal(
          shown.value,
          expected,
          screen + ' of ' + learner + ': ' + shown.path + ' of ' + shown.of + ' is shown as ' + shown.text,
        );
        assert.match(shown.text, /\d|no sample|training|due|in /, shown.path + ' has a text');
        checked++;
      }
      if (screen === 'updates') {
        assert.equal(money, amounts(known.updates, application), 'amounts of money of ' + learner);
      }
    }
    const missing = numbersIn(known.last.status).filter(
      (path) => !seen.get(learner).has(path) && !NOT_SHOWN.some((pattern) => pattern.test(path)),
    );
    assert.deepEqual(missing, [], 'numbers of the status that no screen shows for ' + learner);
  }
  assert.ok(checked > 500, 'only ' + checked + ' numbers were compared');
  assert.deepEqual([...computed].sort(), COMPUTING, 'screens with numbers that were computed again');
  assert.deepEqual(wrong, []);
  assert.deepEqual([...hosts], [new URL(server.address).host]);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
});

test('the first paint comes within a second', async (t) => {
  const { page } = await openScreens(t);
  await page.goto(server.address);
  await page.waitForSelector('main .card');
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  assert.ok(paint > 0 && paint <= 1000, 'first paint after ' + paint + ' ms');
});

test('the keyboard reaches every control of every screen', { timeout: 240_000 }, async (t) => {
  const { page } = await openScreens(t);
  for (const learner of LEARNERS) {
    for (const screen of SCREENS) {
      await show(page, server.address, screen, learner);
      await reachesEverything(page, screen + ' of ' + learner);
    }
  }
});

test('accessibility rules of WCAG 2.1 hold on every screen', { timeout: 240_000 }, async (t) => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  for (const colorScheme of ['light', 'dark']) {
    const { page } = await openScreens(t, { colorScheme });
    for (const learner of LEARNERS) {
      for (const screen of SCREENS) {
        await show(page, server.address, screen, learner);
        await page.evaluate(axe);
        const found = await page.evaluate(() =>
          window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }),
        );
        assert.ok(found.passes.length > 10, 'rules were applied to ' + screen);
        assert.deepEqual(
          found.violations.map((each) => each.id + ': ' + each.nodes.map((node) => node.html).slice(0, 3)),
          [],
          screen + ' of ' + learner + ', ' + colorScheme,
        );
      }
    }
  }
});

test('texts have enough contrast in both themes', { timeout: 240_000 }, async (t) => {
  for (const colorScheme of ['light', 'dark']) {
    const { page } = await openScreens(t, { colorScheme });
    for (const screen of SCREENS) {
      await show(page, server.address, screen, LEARNERS[0]);
      assert.deepEqual(await page.evaluate(poorTexts), [], screen + ', ' + colorScheme);
    }
  }
});

/** Runs in the page: texts with a contrast below 4.5 (3 for large ones) against what is behind them. */
function poorTexts() {
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = (top, below) => top.slice(0, 3).map((part, index) => part * top[3] + below[index] * (1 - top[3]));
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      layers.push(parse(getComputedStyle(at).backgroundColor));
      if (layers[layers.length - 1][3] === 1) {
        break;
      }
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const light = (color) => {
    const [r, g, b] = color.map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const poor = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (
      texts.currentNode.textContent.trim() === '' ||
      !element.checkVisibility() ||
      element.closest('.hidden, :disabled, noscript, script, option')
    ) {
      continue;
    }
    const style = getComputedStyle(element);
    const back = behind(element);
    const front = over(parse(style.color), back);
    const [high, low] = [light(front), light(back)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    const large =
      parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      poor.push(texts.currentNode.textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(2));
    }
  }
  return poor;
}

test('no screen is wider than the window', { timeout: 240_000 }, async (t) => {
  for (const width of [1280, 900, 390]) {
    const { page } = await openScreens(t, { viewport: { width, height: 800 } });
    for (const screen of SCREENS) {
      await show(page, server.address, screen, LEARNERS[0]);
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.ok(over <= 0, screen + ' is ' + over + ' px too wide at ' + width);
    }
  }
});

test('no column is cut off in a desktop window', { timeout: 240_000 }, async (t) => {
  for (const width of [1280, 1440]) {
    const { page } = await openScreens(t, { viewport: { width, height: 800 } });
    let tables = 0;
    for (const learner of LEARNERS) {
      for (const screen of SCREENS) {
        await show(page, server.address, screen, learner);
        const cut = await page.$$eval('.table-box', (boxes) =>
          boxes.map((box) => [box.getAttribute('aria-label'), box.scrollWidth - box.clientWidth]),
        );
        for (const [label, over] of cut) {
          assert.ok(over <= 0, screen + ' of ' + learner + ': "' + label + '" is ' + over + ' px too wide at ' + width);
        }
        tables += cut.length;
      }
    }
    await show(page, server.address, 'updates', LEARNERS[0]);
    const over = await page.$eval('.table-box.updates', (box) => {
      for (const row of box.querySelectorAll('tbody tr')) {
        row.children[1].textContent = '12,345';
        row.children[4].textContent = '1,107 + 256';
        row.children[7].querySelector('small').textContent = 'wait 0.00000168';
      }
      return box.scrollWidth - box.clientWidth;
    });
    assert.ok(over <= 0, 'after many updates their table is ' + over + ' px too wide at ' + width);
    assert.ok(tables >= LEARNERS.length, 'only ' + tables + ' tables');
  }
});

test('headings, landmarks, table headers and text alternatives are there', { timeout: 120_000 }, async (t) => {
  const { page } = await openScreens(t);
  for (const screen of SCREENS) {
    await show(page, server.address, screen, LEARNERS[0]);
    const found = await page.evaluate(() => ({
      h1: document.querySelectorAll('h1').length,
      landmarks: ['header', 'nav', 'main'].every((name) => document.querySelector(name) !== null),
      tables: [...document.querySelectorAll('table')].filter(
        (table) => !table.querySelector('th[scope]') || !table.caption,
      ).length,
      charts: [...document.querySelectorAll('figure.chart')].filter(
        (chart) => !/\d|[a-z]{3}/.test(chart.querySelector('figcaption p')?.textContent ?? ''),
      ).length,
      unnamed: [...document.querySelectorAll('button, input, select, textarea')].filter(
        (control) =>
          !(
            control.getAttribute('aria-label') ||
            control.textContent.trim() ||
            control.closest('label')?.textContent.trim()
          ),
      ).length,
    }));
    assert.deepEqual(found, { h1: 1, landmarks: true, tables: 0, charts: 0, unnamed: 0 }, screen);
  }
});

test('the learner stays chosen from screen to screen, and is a link', async (t) => {
  const { page } = await openScreens(t);
  await show(page, server.address, 'quality', 'avazu/0');
  await page.click('nav a:has-text("Memory")');
  await page.waitForSelector('h2:has-text("Rows of embedding tables")');
  assert.match(page.url(), /#memory\/avazu\/0$/);
  await page.selectOption('header select', 'electricity/0');
  await page.waitForSelector('h2:has-text("Tensors while training")');
  assert.match(page.url(), /#memory\/electricity\/0$/);
});

test('two updates are compared side by side', async (t) => {
  const { page } = await openScreens(t);
  await show(page, server.address, 'updates', 'electricity/0');
  const boxes = page.locator('.updates input[type=checkbox]');
  await boxes.nth(1).check();
  await boxes.nth(4).check();
  const table = page.locator('.table-box[aria-label="Two updates side by side"]');
  await table.waitFor();
  const known = truth('electricity/0');
  for (const shown of await table
    .locator('[data-path]')
    .evaluateAll((all) =>
      all.map((each) => [each.getAttribute('data-path'), Number(each.getAttribute('data-value'))]),
    )) {
    const [, number, ...rest] = shown[0].split('.');
    assert.equal(shown[1], at(known.updates.get(Number(number)), rest.join('.')), shown[0]);
  }
});

test('a sample that was explained can be looked up', async (t) => {
  const explained = events.find((event) => event.sample?.found)?.sample;
  const { page } = await openScreens(t);
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
});

test('the YAML lines of a rule can be copied', { timeout: 90_000 }, async (t) => {
  const { page } = await openScreens(t, { permissions: ['clipboard-read', 'clipboard-write'] });
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
