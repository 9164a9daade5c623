import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MODELS, SCREENS, SHOTS, openPage, show, startBrowser, startConsole } from './start.mjs';

/**
 * The pictures of the documentation, only when they are asked for (1 for all, or names of screens): of the console at IDLA_CONSOLE_URL (with its token), or
 * of the recording. They are made smaller with pngquant if that is there.
 */
const WANTED = process.env.IDLA_SCREENSHOTS ?? '';
const NAMES = { 'dead-letters': 'letters', 'what-if': 'whatif' };
/** Only a console of a running job has them. */
const LETTERS = 'dead-letters';

test('screenshots', { skip: WANTED === '', timeout: 240_000 }, async (t) => {
  const running = process.env.IDLA_CONSOLE_URL;
  const server = running ? null : await startConsole();
  const browser = await startBrowser();
  t.after(async () => {
    await browser.close();
    await server?.stop();
  });
  const [address, token] = running ? running.split('#token=') : [server.address, ''];
  mkdirSync(SHOTS, { recursive: true });
  for (const colorScheme of ['light', 'dark']) {
    const { page, context } = await openPage(browser, { colorScheme });
    if (token) {
      await page.goto(address + '#token=' + token);
      await page.waitForSelector('main .card');
    }
    for (const screen of WANTED === '1' ? SCREENS : WANTED.split(',')) {
      if (server && (screen === LETTERS || (screen === 'models' && MODELS === ''))) {
        continue;
      }
      await show(page, address, screen, 'electricity/0');
      await page.waitForTimeout(1500);
      if (screen === 'why') {
        // Between two updates, if they are far enough apart.
        await page
          .waitForFunction(
            () =>
              parseFloat(document.querySelector('.charge-text').textContent) > 40 &&
              !document.querySelector('.answer').textContent.includes('running'),
            null,
            { timeout: 20_000 },
          )
          .catch(() => undefined);
      }
      const file = join(SHOTS, (NAMES[screen] ?? screen) + '-' + colorScheme + '.png');
      await page.screenshot({ path: file });
      spawnSync('pngquant', ['--force', '--ext', '.png', '--speed', '1', '--strip', file]);
    }
    await context.close();
  }
});
