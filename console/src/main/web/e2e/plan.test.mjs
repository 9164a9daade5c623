import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { drawnColors } from './drawing.mjs';
import { close, compute, misread, shownNumbers, unitOf } from './formula.mjs';
import { resolver } from './sources.mjs';
import { openPage, recordedEvents, settle, show, startBrowser, startConsole, untilRead } from './start.mjs';
import { explainedBy, untracedTexts } from './texts.mjs';

/** The plan of a step on the screen of the memory, of a recording to whose end a planned training is added. */

const LEARNER = 'electricity/0';
const KIB = 1024;
const STEP = { predicted: 0.0123, measured: 0.0131, unplanned: 0.0152, bound: 0.0118 };
/** Of a network of eight layers: the first activations leave in the forward pass and come back. */
const PLAN = {
  planner: 'autovm',
  refused: 'autotm: its step takes 1.023 times as long as that of autovm',
  kernels: 24,
  kernelsPerPoint: 1,
  backwardKernel: 9,
  updateKernel: 17,
  budgetBytes: 512 * KIB,
  peakBytes: 768 * KIB,
  aliveBytes: points(alive),
  fastBytes: points((kernel) => Math.min(480, alive(kernel))),
  fetchedBytes: points((kernel) => (kernel >= 10 && kernel < 14 ? 80 : 0)),
  writtenBackBytes: points((kernel) => (kernel < 4 ? 80 : 0)),
  evictedBytes: points((kernel) => (kernel >= 4 && kernel < 8 ? 80 : 0)),
};

let browser;
let server;
let folder;
let update;

function alive(kernel) {
  return kernel < 9 ? 128 + 80 * kernel : Math.max(128, 768 - 80 * (kernel - 8));
}

function points(kibibytes) {
  return Array.from({ length: 24 }, (_, kernel) => KIB * kibibytes(kernel));
}

before(async () => {
  const events = recordedEvents();
  const staged = events.findLast(
    (event) => event.application + '/' + event.partition === LEARNER && event.update?.training?.tensors,
  );
  const atMillis = Math.max(...events.map((event) => event.atMillis)) + 5;
  update = structuredClone(staged.update);
  update.number = Math.max(...events.map((event) => event.update?.number ?? 0)) + 1;
  update.training.tensors.policy = 'auto';
  update.training.tensors.plan = {
    planner: PLAN.planner,
    step: STEP,
    planningSeconds: 0.4,
    differingSteps: 0,
    rerunKernels: 0,
    refused: PLAN.refused,
  };
  const about = { ...staged, atMillis, update, moves: undefined, message: '' };
  const added = [
    { ...about, type: 'STAGED' },
    { ...about, type: 'PLANNED', plan: { ...PLAN, planner: 'autotm', refused: '' } },
    { ...about, type: 'PLANNED', plan: PLAN },
  ];
  folder = mkdtempSync(join(tmpdir(), 'idla-plan-'));
  const recording = join(folder, 'planned.jsonl');
  writeFileSync(recording, [...events, ...added].map((event) => JSON.stringify(event)).join('\n') + '\n');
  server = await startConsole([], 0, recording);
  browser = await startBrowser();
  await untilRead(server.address, added);
});

after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, { recursive: true });
});

async function opened() {
  const opening = await openPage(browser);
  await opening.page.goto(server.address + '#token=' + server.token);
  await opening.page.waitForSelector('main .card');
  await show(opening.page, server.address, 'memory', LEARNER);
  await opening.page.waitForSelector('#memory-plan');
  return opening;
}

async function compare(card) {
  const known = {
    plan: await (await fetch(server.address + 'api/learners/' + LEARNER + '/plan')).json(),
    updates: new Map([[update.number, update]]),
  };
  const resolve = resolver(known);
  const numbers = await shownNumbers(card);
  for (const shown of numbers) {
    const said = (shown.path ?? shown.formula) + ' is shown as ' + shown.text;
    const { value, unit } = shown.path
      ? { value: resolve(shown.path), unit: unitOf(shown.path) }
      : compute(shown.formula, resolve);
    assert.ok(close(shown.value, value), said + ' (' + shown.value + '), and is ' + value);
    assert.equal(misread(shown, unit, 0), '', said);
  }
  return numbers.map((shown) => shown.path ?? shown.formula);
}

test('the newest plan is shown with its numbers, light and dark', async () => {
  const { page, wrong } = await opened();
  const card = page.locator('section:has(> header #memory-plan)');
  const text = await card.innerText();
  assert.match(text, /The plan of autovm is followed/);
  assert.match(text, /Not followed: autotm: its step takes 1\.023 times/);
  const shown = await compare(card);
  for (const name of Object.keys(STEP)) {
    assert.ok(shown.includes('updates.' + update.number + '.training.tensors.plan.step.' + name), name);
  }
  for (const source of ['plan.budgetBytes', 'plan.peakBytes', 'plan.kernels', 'sum(plan.evictedBytes)']) {
    assert.ok(shown.includes(source), source);
  }
  const explained = explainedBy([PLAN, update]);
  const untraced = (await untracedTexts(page)).filter((each) => text.includes(each) && !explained(each));
  assert.deepEqual(untraced, []);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await settle(page);
    assert.ok((await drawnColors(card.locator('canvas'))) > 5, colorScheme + ': lines, area and lanes have colours');
    if (process.env.IDLA_PLAN_PICTURES) {
      await card.screenshot({ path: join(process.env.IDLA_PLAN_PICTURES, 'plan-' + colorScheme + '.png') });
    }
  }
  assert.deepEqual(wrong, []);
});

test('the pointer reads each kernel', async () => {
  const { page, wrong } = await opened();
  const card = page.locator('section:has(> header #memory-plan)');
  const area = card.locator('.chart-area');
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  const kernels = new Set();
  for (let step = 1; step < 30; step++) {
    await page.mouse.move(box.x + 80 + ((box.width - 115) * step) / 30, box.y + box.height / 2);
    const when = await card.locator('.legend-when').innerText();
    kernels.add(when);
    assert.match(when, /^kernel \d+$/);
    await compare(card);
  }
  assert.ok(kernels.size > 15, [...kernels].join());
  assert.deepEqual(wrong, []);
});

test('a learner without a plan shows none', async () => {
  const { page } = await openPage(browser);
  await page.goto(server.address + '#token=' + server.token);
  await page.waitForSelector('main .card');
  await show(page, server.address, 'memory', 'avazu/0');
  assert.equal(await page.locator('#memory-plan').count(), 0);
  const answer = await (await fetch(server.address + 'api/learners/avazu/0/plan')).json();
  assert.equal(answer.plan ?? null, null);
});
