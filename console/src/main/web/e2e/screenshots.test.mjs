import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasData, startRun } from './run.mjs';
import { SCREENS, SHOTS, openPage, settle, show, startBrowser } from './start.mjs';

/**
 * Pictures of all screens, of a job that runs, light and dark; skipped where its data is not there. They are kept in the documentation if
 * IDLA_SCREENSHOTS is 1, or names screens; pngquant makes them smaller if it is there.
 */
const KEPT = process.env.IDLA_SCREENSHOTS ?? '';
const NAMES = { 'dead-letters': 'letters', 'what-if': 'whatif' };
/** What must be on a picture, as it is what the screen is for. */
const PARTS = {
  overview: ['.overview tbody tr:nth-child(3)', '#findings'],
  why: ['#decision', '#price', 'figure.chart canvas'],
  updates: ['.timeline .lane i', '.updates tbody tr', '#comparison'],
  quality: ['#quality', '#by-class', '#gate-events', 'figure.chart canvas'],
  stages: ['.stages-cell, figure.chart canvas', 'form, input[type=text]'],
  models: ['.lineage tbody tr:nth-child(5)', '.lineage .alias', '#subscribers'],
  memory: ['#memory-samples', '#memory-rows', 'table'],
  'dead-letters': ['main tbody tr'],
  'what-if': ['main tbody tr:nth-child(8)'],
  health: ['.checks'],
};
const RATES = { electricity: 250, avazu: 60, bikes: 60 };
/** So many events make pictures with something to see; what must be on them is there after fewer. */
const ENOUGH =
  KEPT === '' ? { electricity: 2_000, avazu: 400, bikes: 400 } : { electricity: 9_000, avazu: 2_000, bikes: 2_000 };

async function until(what, run, look) {
  for (let second = 0; second < 300; second++) {
    run.check();
    if (await look()) {
      return;
    }
    await new Promise((resume) => setTimeout(resume, 1000));
  }
  assert.fail(what);
}

test('pictures of all screens', { skip: hasData() ? false : 'no data', timeout: 900_000 }, async (t) => {
  const run = await startRun(RATES);
  t.after(run.stop);
  try {
    await takePictures(t, run);
    run.check();
  } catch (failed) {
    console.error('the job said: ' + run.said());
    throw failed;
  }
});

async function takePictures(t, run) {
  const api = async (path) => (await fetch(run.address + 'api/' + path)).json();
  const write = async (path, body) => {
    const headers = { Authorization: 'Bearer ' + run.token, 'Content-Type': 'application/json' };
    const answer = await fetch(run.address + 'api/' + path, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(answer.status, 200, path + ': ' + (await answer.text()));
  };
  run.start(
    ...['models', 'follow', 'electricity', '--work-dir', run.models, '--bootstrap-servers', run.servers],
    ...['--subscribers-topic', 'electricity-subscribers', '--name', 'checkout-1'],
  );
  await until('too few events came', run, async () => {
    const received = (await api('learners')).map((each) => [each.application, each.last.status.samples.received]);
    return received.length === Object.keys(RATES).length && received.every(([name, count]) => count >= ENOUGH[name]);
  });
  const { serving } = await api('learners/electricity/0/models');
  await write('learners/electricity/0/alias', { name: 'champion', version: serving });
  await write('applications/electricity/explain', { id: '#100' });
  const explained = run.address + 'api/learners/electricity/0/samples?id=' + encodeURIComponent('#100');
  await until('the sample was not explained', run, async () => (await fetch(explained)).ok);

  const browser = await startBrowser();
  t.after(() => browser.close());
  const folder = KEPT === '' ? mkdtempSync(join(tmpdir(), 'idla-pictures-')) : SHOTS;
  t.after(() => KEPT !== '' || rmSync(folder, { recursive: true }));
  mkdirSync(folder, { recursive: true });
  const { page, wrong } = await openPage(browser);
  await page.goto(run.address + '#token=' + run.token);
  await page.waitForSelector('main .card');
  for (const screen of KEPT === '' || KEPT === '1' ? SCREENS : KEPT.split(',')) {
    await show(page, run.address, screen, screen === 'memory' ? 'avazu/0' : 'electricity/0');
    if (screen === 'updates') {
      await page.locator('.updates input[type=checkbox]').nth(2).check();
      await page.locator('.updates input[type=checkbox]').nth(5).check();
    }
    if (screen === 'stages') {
      await page.fill('main input[type=text]', '#100');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.sample');
    }
    for (const part of PARTS[screen]) {
      await page.waitForSelector(part, { timeout: 15_000, state: 'attached' });
    }
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      // The header stays on top of the window, so it must be at the top of the page.
      await page.evaluate(() => {
        document.activeElement?.blur();
        scrollTo(0, 0);
      });
      await settle(page);
      const file = join(folder, (NAMES[screen] ?? screen) + '-' + colorScheme + '.png');
      await page.screenshot({ path: file, fullPage: true, animations: 'disabled' });
      if (KEPT !== '') {
        spawnSync('pngquant', ['--force', '--ext', '.png', '--speed', '1', '--strip', file]);
      }
      assert.ok(statSync(file).size > 10_000, file + ' shows something');
    }
  }
  assert.deepEqual(wrong, []);
}
