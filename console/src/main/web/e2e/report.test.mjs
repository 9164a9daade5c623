import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { APPLICATIONS, LEARNERS, RECORDING, REPORT, SCREENS, opened, recordedEvents, startBrowser } from './start.mjs';

/** The file that `idla report` writes, opened from the disk without a network. */

const NEEDS_SERVER = ['what-if'];

let browser;
let folder;
let address;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'idla-report-'));
  const file = join(folder, 'report.html');
  const [command, ...first] = REPORT;
  const done = spawnSync(command, [...first, RECORDING, ...APPLICATIONS, '--html', file], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stdout + done.stderr);
  address = pathToFileURL(file).href;
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const learner of LEARNERS) {
  test('from the disk, every screen of ' + learner + ' stands and asks nobody', { timeout: 120_000 }, async (t) => {
    const { page, wrong } = await opened(t, browser, { offline: true });
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    for (const screen of SCREENS) {
      await page.goto(address + '#' + screen + '/' + learner);
      await page.waitForSelector('nav a[aria-current][href^="#' + screen + '/"]');
      await page.waitForSelector('main .card, main .quiet-line');
      const text = await page.textContent('main');
      assert.ok(!/undefined|NaN|\[object/.test(text), screen + ': ' + text.slice(0, 300));
      if (screen !== 'overview') {
        assert.equal(await page.textContent('.screen-head b'), learner);
      }
      if (NEEDS_SERVER.includes(screen)) {
        assert.match(text, /report/i, screen + ' says that it needs a server');
      }
    }
    assert.equal(await page.textContent('header [role=status]'), 'Report');
    assert.equal(await page.locator('header .access').count(), 0, 'nothing can be written');
    assert.deepEqual(
      asked.filter((url) => !url.startsWith('file:') && !url.startsWith('data:')),
      [],
    );
    assert.deepEqual(wrong, []);
    assert.deepEqual(await page.evaluate(() => window.violations), []);
  });
}

test('its numbers are those of the newest events', { timeout: 60_000 }, async (t) => {
  const { page } = await opened(t, browser, { offline: true });
  await page.goto(address + '#overview/electricity/0');
  await page.waitForSelector('.overview tbody tr');
  for (const application of ['electricity', 'avazu']) {
    const newest = recordedEvents()
      .filter((event) => event.application === application)
      .at(-1);
    const shown = page.locator('[data-of="' + application + '/0"][data-path="samples.received"]').first();
    assert.equal(Number(await shown.getAttribute('data-value')), newest.status.samples.received);
  }
});
