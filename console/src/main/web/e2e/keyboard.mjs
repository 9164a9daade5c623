import assert from 'node:assert/strict';

/** What people do who use no mouse. */

/** How often the controls of a screen are counted anew, because the page has drawn some of them again meanwhile. */
const TRIES = 3;

/** Presses Tab until every control had the focus; fails if one is not reached, or the focus cannot be seen. */
export async function reachesEverything(page, what) {
  for (let tries = 1; ; tries++) {
    const { wanted, missed } = await reached(page, what);
    if (missed.length === 0) {
      return wanted;
    }
    assert.ok(tries < TRIES, what + ': not reached by Tab: ' + missed.join(' '));
  }
}

async function reached(page, what) {
  const wanted = await page.evaluate(() => {
    document.activeElement?.blur();
    document.querySelectorAll('[data-control]').forEach((element) => element.removeAttribute('data-control'));
    const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, [tabindex="0"]')];
    const reachable = controls.filter((element) => !element.disabled && element.checkVisibility());
    reachable.forEach((element, index) => element.setAttribute('data-control', String(index)));
    return reachable.map((element) => element.outerHTML.slice(0, 120));
  });
  const seen = new Set();
  for (let press = 0; press < wanted.length + 3; press++) {
    await page.keyboard.press('Tab');
    const control = await page.evaluate(() => {
      const element = document.activeElement;
      const outline = element ? getComputedStyle(element).outlineStyle : 'none';
      return { index: element?.getAttribute('data-control') ?? null, visible: outline !== 'none' };
    });
    if (control.index !== null) {
      seen.add(Number(control.index));
      assert.ok(control.visible, 'the focus can be seen on ' + what);
    }
  }
  return { wanted: wanted.length, missed: wanted.filter((_, index) => !seen.has(index)) };
}

/** Presses Tab until an element has the focus. */
export async function tabTo(page, selector, most = 200) {
  for (let press = 0; press < most; press++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) {
      return;
    }
    await page.keyboard.press('Tab');
  }
  assert.fail(selector + ' is not reached by Tab');
}

/** Fails if Tab leads out of the open dialog into the page behind it, in either direction. */
export async function staysInDialog(page) {
  const controls = await page.locator('dialog[open]').locator('button, input, textarea').count();
  for (const key of ['Tab', 'Shift+Tab']) {
    for (let press = 0; press < 2 * controls + 2; press++) {
      await page.keyboard.press(key);
      const where = await page.evaluate(() => {
        const element = document.activeElement;
        // Between the last and the first control the browser itself has the focus.
        return element === document.body || element?.closest('dialog[open]') ? '' : element?.outerHTML.slice(0, 80);
      });
      assert.equal(where, '', key + ' leaves the dialog');
    }
  }
}
