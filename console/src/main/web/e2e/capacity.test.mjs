import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { drawnColors } from './drawing.mjs';
import { close, misread, shownNumbers, unitOf } from './formula.mjs';
import { resolver } from './sources.mjs';
import {
  APPLICATIONS,
  PLAN,
  openPage,
  recordedEvents,
  settle,
  show,
  startBrowser,
  startConsole,
  untilRead,
} from './start.mjs';
import { explainedBy, untracedTexts } from './texts.mjs';

/** The last plan of `idla plan` on the screen What if?, made by the command for the first application. */

const LEARNER = 'electricity/0';
const CARD = 'section:has(> header #capacity)';

let browser;
let server;
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'idla-capacity-'));
  const [command, ...first] = PLAN;
  execFileSync(
    command,
    [
      ...[...first, APPLICATIONS[0], '--work-dir', folder, '--memory', '16KiB,32KiB,48KiB,64KiB'],
      ...['--device', 'nvme:reads=3GB/s,writes=2GB/s,latency=80us,price=0.1'],
      ...['--device', 'disk:reads=200MB/s,writes=100MB/s,latency=4ms,price=0.01'],
      ...['--dram-price', '2.5', '--target', '10%', '--events-per-second', '20'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  server = await startConsole(['--work-dir', folder]);
  browser = await startBrowser();
  await untilRead(server.address, recordedEvents());
});

after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, { recursive: true });
});

async function opened(learner) {
  const opening = await openPage(browser);
  await opening.page.goto(server.address + '#token=' + server.token);
  await opening.page.waitForSelector('main .card');
  await show(opening.page, server.address, 'what-if', learner);
  const card = opening.page.locator(CARD);
  await card.locator('code').first().waitFor();
  return { ...opening, card };
}

async function answer(application) {
  return (await fetch(server.address + 'api/applications/' + application + '/capacity')).json();
}

/** Compares each number of the card with the plan; returns their paths. */
async function compare(card, capacity) {
  const resolve = resolver({ capacity });
  const numbers = await shownNumbers(card);
  for (const shown of numbers) {
    const said = shown.path + ' is shown as ' + shown.text;
    assert.ok(close(shown.value, resolve(shown.path)), said + ', and is ' + resolve(shown.path));
    assert.equal(misread(shown, unitOf(shown.path), 0), '', said);
  }
  return numbers.map((shown) => shown.path);
}

test('the plan that the command has kept is drawn with its numbers, light and dark', async () => {
  const { page, wrong, card } = await opened(LEARNER);
  const { plan } = await answer('electricity');
  assert.deepEqual(plan, JSON.parse(readFileSync(join(folder, 'capacity/electricity.json'), 'utf8')));
  const text = await card.innerText();
  assert.match(text, /SIMULATED/);
  assert.match(text, /The cheapest that takes at most 10\.00 % longer/);
  for (const title of ['Seconds of a training step', 'Seconds of an update', 'Cost of the memory a month']) {
    assert.ok(text.includes(title), title);
  }
  assert.equal(await card.locator('tbody tr').count(), plan.predicted.rows.length);
  assert.equal(await card.locator('tr.happened').count(), 1, 'the cheapest that meets the target is marked');
  const paths = await compare(card, plan);
  for (const name of ['measured.stepSeconds', 'predicted.rows.0.bestSeconds', 'predicted.rows.0.monthPrice']) {
    assert.ok(paths.includes('capacity.' + name), name);
  }
  const explained = explainedBy([plan, (await answer('electricity')).command]);
  const untraced = (await untracedTexts(page)).filter((each) => text.includes(each.trim()) && !explained(each));
  assert.deepEqual(untraced, []);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await settle(page);
    for (let chart = 0; chart < 3; chart++) {
      assert.ok((await drawnColors(card.locator('canvas').nth(chart))) > 3, colorScheme + ' ' + chart);
    }
    if (process.env.IDLA_PLAN_PICTURES) {
      await card.screenshot({ path: join(process.env.IDLA_PLAN_PICTURES, 'capacity-' + colorScheme + '.png') });
    }
  }
  assert.deepEqual(wrong, []);
});

test('the pointer reads each budget', async () => {
  const { page, wrong, card } = await opened(LEARNER);
  const { plan } = await answer('electricity');
  const area = card.locator('.chart-area').first();
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  const budgets = new Set();
  for (let step = 0; step <= 20; step++) {
    await page.mouse.move(box.x + 80 + ((box.width - 115) * step) / 20, box.y + box.height / 2);
    const when = await card.locator('.legend-when').first().innerText();
    budgets.add(when);
    assert.match(when, /^fast memory [\d.]+\s[KMG]iB$/);
    await compare(card, plan);
  }
  assert.ok(budgets.size > 1, [...budgets].join());
  assert.deepEqual(wrong, []);
});

test('without a plan the screen names the command', async () => {
  const { card } = await opened('avazu/0');
  const said = await answer('avazu');
  assert.equal(said.plan, null);
  const text = await card.innerText();
  assert.match(text, /No curve: there is no plan of this application yet\./);
  assert.ok(text.includes(said.command), text);
  assert.match(said.command, /^\.\/idla plan \S*avazu\.yaml --work-dir /);
  assert.equal(await card.locator('canvas').count(), 0);
});

test('a plan of another network is not drawn, and what differs is said', async (t) => {
  const file = join(folder, 'capacity/electricity.json');
  const kept = readFileSync(file, 'utf8');
  t.after(() => writeFileSync(file, kept));
  const other = JSON.parse(kept);
  other.basis.further['training.mini-batch'] = '7';
  writeFileSync(file, JSON.stringify(other));
  const { card } = await opened(LEARNER);
  const text = await card.innerText();
  assert.match(text, /the last plan is of other settings/);
  assert.match(text, /training\.mini-batch: 7 before, \d+ now/);
  assert.equal(await card.locator('canvas').count(), 0);
});
