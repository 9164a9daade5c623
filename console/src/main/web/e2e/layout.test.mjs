import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { reachesEverything } from './keyboard.mjs';
import { openedWithModels } from './models.mjs';
import { LEARNERS, SCREENS, recordedEvents, show, startBrowser, startConsole, untilRead } from './start.mjs';

/** Each screen against a recording that is wholly in the past: keyboard, accessibility, widths. */

let server;
let browser;

before(async () => {
  server = await startConsole();
  browser = await startBrowser();
  await untilRead(server.address, recordedEvents());
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

test('the keyboard reaches every control of every screen', { timeout: 600_000 }, async (t) => {
  const { page } = await openedWithModels(t, browser);
  for (const learner of LEARNERS) {
    for (const screen of SCREENS) {
      await show(page, server.address, screen, learner);
      await reachesEverything(page, screen + ' of ' + learner);
    }
  }
});

test(
  'accessibility rules of WCAG 2.1 and contrast hold on every screen in both themes',
  { timeout: 600_000 },
  async (t) => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const colorScheme of ['light', 'dark']) {
      const { page } = await openedWithModels(t, browser, { colorScheme });
      for (const learner of LEARNERS) {
        for (const screen of SCREENS) {
          await show(page, server.address, screen, learner);
          assert.deepEqual(await page.evaluate(poorTexts), [], screen + ' of ' + learner + ', ' + colorScheme);
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
  },
);

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

test('no screen is wider than the window', { timeout: 600_000 }, async (t) => {
  for (const width of [1280, 900, 390]) {
    const { page } = await openedWithModels(t, browser, { viewport: { width, height: 800 } });
    for (const screen of SCREENS) {
      await show(page, server.address, screen, LEARNERS[0]);
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.ok(over <= 0, screen + ' is ' + over + ' px too wide at ' + width);
    }
  }
});

test('no column is cut off in a desktop window', { timeout: 600_000 }, async (t) => {
  for (const width of [1280, 1440]) {
    const { page } = await openedWithModels(t, browser, { viewport: { width, height: 800 } });
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
    await show(page, server.address, 'models', LEARNERS[0]);
    const wide = await page.$eval('.table-box.lineage', (box) => {
      for (const row of box.querySelectorAll('tbody tr')) {
        row.querySelector('.rail svg').setAttribute('width', '100');
        row.children[3].textContent = '12 min 45 s ago';
        row.children[6].textContent = 'Serves, pinned in 12 processes';
      }
      return box.scrollWidth - box.clientWidth;
    });
    assert.ok(wide <= 0, 'with five branches the versions are ' + wide + ' px too wide at ' + width);
    assert.ok(tables >= LEARNERS.length, 'only ' + tables + ' tables');
  }
});

test('headings, landmarks, table headers and text alternatives are there', { timeout: 120_000 }, async (t) => {
  const { page } = await openedWithModels(t, browser);
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
