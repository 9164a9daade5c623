import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { reachesEverything, staysInDialog, tabTo } from './keyboard.mjs';
import { lineageOf, subscribersOf } from './models.mjs';
import {
  PAGE,
  SCREENS,
  opened,
  recordedEvents,
  show,
  startBrowser,
  startConsole,
  started,
  untilRead,
} from './start.mjs';

/** The page while events come in, while the server is away, with hostile texts, and when it writes. */

const HOSTILE = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
const TOKEN = 'secret-token';

let browser;
const events = recordedEvents();

/** The server of the tests that need none of their own: all they write ends in the browser. */
let server;

before(async () => {
  browser = await startBrowser();
  server = await startConsole();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Makes a recording look like a console that accepts writes, and notes the requests. */
async function writable(page, answers = {}) {
  const written = [];
  await page.route('**/api/console', async (route) => {
    const response = await route.fetch();
    const info = await response.json();
    await route.fulfill({ json: { ...info, writable: true, source: 'kafka' } });
  });
  await page.route(
    (url) => url.pathname.startsWith('/api/'),
    async (route) => {
      const request = route.request();
      if (request.method() !== 'POST') {
        await route.fallback();
        return;
      }
      const path = new URL(request.url()).pathname;
      written.push({ path, body: request.postDataJSON(), authorization: request.headers()['authorization'] });
      const answer = answers[path] ?? { status: 200, json: { message: 'asked' } };
      await route.fulfill(answer);
    },
  );
  await page.route('**/api/learners/*/*/models', (route) => route.fulfill({ json: lineageOf('electricity/0') }));
  return written;
}

/** An event that could not be read, and can be sent again. */
function brokenLetter() {
  return {
    id: '0-17',
    atMillis: 1,
    topic: 't',
    partition: 0,
    offset: 5,
    reason: 'broken',
    origin: 'a.csv:4',
    text: 'broken,line',
    binary: false,
    length: 11,
    cut: false,
    obstacle: '',
  };
}

test('who serves what is shown where subscribers report themselves', { timeout: 120_000 }, async (t) => {
  const { page, wrong } = await opened(t, browser);
  await page.route('**/api/learners/*/*/models', (route) => route.fulfill({ json: lineageOf('electricity/0') }));
  // Nobody can report himself to recorded events.
  await show(page, server.address, 'models', 'electricity/0');
  assert.equal(await page.locator('#subscribers').count(), 0);
  await page.route('**/api/learners/*/*/subscribers', (route) =>
    route.fulfill({ json: subscribersOf('electricity/0') }),
  );
  await page.waitForSelector('#subscribers', { timeout: 30_000 });
  const rows = page.locator('section[aria-labelledby="subscribers"] tbody tr');
  assert.equal(await rows.count(), 3);
  assert.match(await rows.nth(0).textContent(), /checkout-1web\.examplev422.*Serves0$/);
  assert.match(await rows.nth(1).textContent(), /Silent/);
  assert.match(await rows.nth(2).textContent(), /v421 follows shadow.*Error3version 426 does not load/);
  const serving = page.locator('.lineage tbody tr').nth(4);
  assert.match(await serving.textContent(), /^v422.*in 2.processes/);
  assert.deepEqual(wrong, []);
});

test('of a version that cannot be read nothing is claimed', { timeout: 120_000 }, async (t) => {
  const { page, wrong } = await opened(t, browser);
  const written = await writable(page);
  await page.goto(server.address + '#token=' + TOKEN);
  await page.waitForSelector('header button:has-text("Can write")');
  await show(page, server.address, 'models', 'electricity/0');
  const row = page.locator('.lineage tbody tr:has(th:has-text("v420"))');
  assert.match(await row.textContent(), /^v420not known.*not known.*not known.*Damaged/);
  assert.doesNotMatch(await row.textContent(), /none|0.B/);
  assert.equal(await row.locator('button:has-text("Pin"), button:has-text("Alias")').count(), 0);
  await row.locator('button').click();
  assert.match(await page.textContent('.manifest'), /manifest\.json/);
  assert.equal(await page.locator('.manifest table, .manifest .digest').count(), 0);
  assert.deepEqual(written, []);
  assert.deepEqual(wrong, []);
});

test('an answer about one sample is not shown for the next one', { timeout: 120_000 }, async (t) => {
  const { page, wrong } = await opened(t, browser);
  await writable(page, {
    '/api/applications/electricity/explain': { status: 200, json: { message: 'asked the learner' } },
  });
  const explained = events.find((event) => event.type === 'EXPLAINED' && event.sample.found).sample;
  let asked = '';
  let looksAfter = 0;
  await page.route('**/api/learners/*/*/samples?id=*', (route) => {
    const id = new URL(route.request().url()).searchParams.get('id');
    looksAfter += asked === 'second' ? 1 : 0;
    const late = id === 'first' && asked === 'second';
    const answer = id === 'second' ? { ...explained, found: false } : late ? explained : null;
    return route.fulfill({ json: { answer, moves: [] } });
  });
  await page.goto(server.address + '#token=' + TOKEN);
  await page.waitForSelector('header button:has-text("Can write")');
  await show(page, server.address, 'stages', 'electricity/0');
  const field = page.locator('section[aria-labelledby="sample"] input');
  for (asked of ['first', 'second']) {
    await field.fill(asked);
    await page.click('section[aria-labelledby="sample"] button');
    await page.waitForSelector('section[aria-labelledby="sample"] [role=status]:has-text("asked the learner")');
  }
  await page.waitForSelector('text=The learner does not have sample second');
  const seen = looksAfter;
  while (looksAfter < seen + 4) {
    await page.waitForTimeout(100);
  }
  const facts = await page.textContent('section[aria-labelledby="sample"]');
  assert.match(facts, /does not have sample second/);
  assert.doesNotMatch(facts, /Sample #/);
  assert.deepEqual(wrong, []);
});

test('a learner that the server does not know keeps no other from being shown', { timeout: 120_000 }, async (t) => {
  await untilRead(server.address, events);
  const { page } = await opened(t, browser);
  const asked = { 'electricity/0': 0, 'bikes/0': 0, 'avazu/0': 0 };
  await page.route('**/api/learners/*/*/updates?limit=*', (route) => {
    const learner = /learners\/([^/]+\/\d+)\//.exec(route.request().url())[1];
    asked[learner]++;
    return learner === 'avazu/0'
      ? route.fulfill({ status: 404, json: { error: 'no such learner' } })
      : route.fallback();
  });
  await show(page, server.address, 'overview', 'electricity/0');
  while (asked['avazu/0'] < 3) {
    await page.waitForTimeout(100);
  }
  assert.deepEqual({ ...asked, 'avazu/0': 0 }, { 'electricity/0': 1, 'bikes/0': 1, 'avazu/0': 0 });
  await page.click('nav a:has-text("Health")');
  assert.doesNotMatch(await page.textContent('.checks'), /could not be loaded/);
});

test('while events come in, nothing jumps and nothing fails', { timeout: 180_000 }, async (t) => {
  const server = await started(t, ['--replay-speed', '8']);
  const { page, wrong, hosts } = await opened(t, browser);
  await page.route('**/api/learners/*/*/models', (route) => route.fulfill({ json: lineageOf('electricity/0') }));
  await page.addInitScript(() => {
    window.shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        window.shifts += entry.hadRecentInput ? 0 : entry.value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
    window.paints = 0;
  });
  await page.goto(server.address);
  await page.waitForSelector('.overview tbody tr');
  const received = () =>
    page.$eval('[data-path="samples.received"]', (element) => Number(element.getAttribute('data-value')));
  const before = await received();
  await page.waitForFunction(
    (old) => Number(document.querySelector('[data-path="samples.received"]').dataset.value) > old,
    before,
  );
  for (const screen of SCREENS.filter((each) => each !== 'what-if')) {
    await show(page, server.address, screen, 'electricity/0');
    await page.evaluate(() => (window.shifts = 0));
    await page.waitForTimeout(900);
    const shifts = await page.evaluate(() => window.shifts);
    assert.ok(shifts < 0.1, screen + ' shifts by ' + shifts);
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...hosts], [new URL(server.address).host]);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
});

test(
  'a link to a learner that is silent shows no other, and asks nothing of another',
  { timeout: 120_000 },
  async (t) => {
    const { page, wrong } = await opened(t, browser);
    const written = await writable(page);
    let silent = true;
    await page.route('**/api/learners', async (route) => {
      const learners = await (await route.fetch()).json();
      await route.fulfill({ json: silent ? learners.filter((each) => each.application === 'avazu') : learners });
    });
    await untilRead(server.address, events);
    await page.goto(server.address + '#token=' + TOKEN);
    await page.waitForSelector('header button:has-text("Can write")');
    await page.goto(server.address + '#why/electricity/0');
    await page.waitForSelector('h2:has-text("electricity/0 has said nothing yet")');
    assert.match(await page.textContent('.screen-head'), /electricity\/0$/);
    assert.match(await page.title(), /electricity\/0/);
    assert.equal(await page.locator('button:has-text("Train now")').count(), 0);
    const others = page.locator('.known a');
    assert.deepEqual(await others.allTextContents(), ['avazu/0']);
    await others.first().click();
    await page.waitForSelector('.screen-head b:has-text("avazu/0")');
    await page.goBack();
    await page.waitForSelector('h2:has-text("electricity/0 has said nothing yet")');
    silent = false;
    await page.reload();
    await page.waitForSelector('button:has-text("Train now")');
    assert.match(await page.textContent('.screen-head'), /electricity\/0$/);
    assert.deepEqual(written, []);
    assert.deepEqual(wrong, []);
  },
);

test('when the server is away the page keeps what it has, says so, and goes on', { timeout: 240_000 }, async (t) => {
  let server = await started(t);
  const port = Number(new URL(server.address).port);
  const { page } = await opened(t, browser);
  await show(page, server.address, 'overview', 'electricity/0');
  await untilRead(server.address, events);
  const learners = new Set(events.map((event) => event.application + '/' + event.partition)).size;
  await page.waitForFunction((rows) => document.querySelectorAll('.overview tbody tr').length === rows, learners);
  const address = server.address;
  await server.stop();
  await page.waitForSelector('header [role=status]:has-text("Connection lost")');
  assert.equal(await page.locator('.overview tbody tr').count(), learners);
  await page.waitForTimeout(2200);
  assert.match(await page.textContent('header .link small'), /for \d+\s+s/);
  await page.click('nav a:has-text("Health")');
  assert.match(await page.textContent('.checks'), /Lost for/);
  server = await started(t, [], port);
  assert.equal(server.address, address);
  await page.click('header .link button');
  await page.waitForSelector('header [role=status]:has-text("Recording")', { timeout: 30_000 });
});

test(
  'without a server, without learners, and while connecting the page says why it is empty',
  { timeout: 60_000 },
  async (t) => {
    const { page } = await opened(t, browser);
    await page.route('**/api/learners', (route) => route.fulfill({ json: [] }));
    await page.route('**/api/stream', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: 'event: hello\ndata: {"nowMillis":1}\n\n' }),
    );
    await page.goto(server.address);
    await page.waitForSelector('h2:has-text("No learner has said anything yet")');
    assert.match(await page.textContent('main'), /electricity/);
    await page.unrouteAll();
    await page.route('**/api/**', (route) => route.abort());
    await page.reload();
    await page.waitForSelector('h2:has-text("The console does not answer")');
    await page.unrouteAll();
    const asked = [];
    // A request without a token is refused until the end: the page asks again on its own.
    await page.route('**/api/**', (route) => {
      const header = route.request().headers()['authorization'];
      asked.push(header);
      return header ? route.continue() : route.fulfill({ status: 401, json: { error: 'a token is needed' } });
    });
    await page.reload();
    await page.waitForSelector('h2:has-text("This console wants a token for reading")');
    await page.fill('main input[type=password]', TOKEN);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.overview tbody tr');
    assert.ok(asked.filter(Boolean).length > 0);
    assert.ok(asked.filter(Boolean).every((header) => header === 'Bearer ' + TOKEN));
  },
);

test('texts of others stay texts', { timeout: 120_000 }, async (t) => {
  const { page, wrong } = await opened(t, browser);
  const letter = {
    id: '0-1',
    atMillis: 1795417000000,
    topic: HOSTILE,
    partition: 0,
    offset: 5,
    reason: HOSTILE,
    origin: HOSTILE,
    text: HOSTILE,
    binary: false,
    length: HOSTILE.length,
    cut: false,
    obstacle: '',
  };
  await writable(page);
  await page.route('**/dead-letters?*', (route) =>
    route.fulfill({ json: { problem: HOSTILE, total: 1, letters: [letter] } }),
  );
  await page.route('**/api/learners/*/*/models', (route) => {
    const models = lineageOf('electricity/0');
    models.problem = HOSTILE;
    models.pin.reason = HOSTILE;
    models.versions[0].attributes = { [HOSTILE]: HOSTILE };
    return route.fulfill({ json: models });
  });
  await page.route('**/api/learners/*/*/subscribers', (route) => {
    const reported = subscribersOf('electricity/0', HOSTILE);
    Object.assign(reported, { problem: HOSTILE });
    Object.assign(reported.subscribers[0], { name: HOSTILE, host: HOSTILE, alias: HOSTILE });
    return route.fulfill({ json: reported });
  });
  await page.route('**/api/learners/*/*/events?*', (route) =>
    route.fulfill({ json: [{ atMillis: 1795417000000, type: 'DROPPED', updateNumber: 1, message: HOSTILE }] }),
  );
  await page.route('**/api/learners', async (route) => {
    const learners = await (await route.fetch()).json();
    for (const learner of learners) {
      learner.last.status.decision.grounds.reason = HOSTILE;
      learner.last.status.engine.reason = HOSTILE;
    }
    await route.fulfill({ json: learners });
  });
  await page.goto(server.address + '#token=' + TOKEN);
  await page.waitForSelector('.overview tbody tr');
  for (const screen of ['why', 'models', 'health', 'dead-letters']) {
    await show(page, server.address, screen, 'electricity/0');
    if (screen === 'models') {
      await page.locator('button:has-text("Manifest")').first().click();
    }
    assert.ok((await page.textContent('main')).includes('onerror'), screen + ' shows the text');
    assert.equal(await page.locator('main img, main script, main iframe').count(), 0, screen);
  }
  await page.click('button:has-text("Send again")');
  assert.equal(await page.inputValue('dialog textarea'), HOSTILE);
  assert.notEqual(await page.title(), 'owned');
  assert.deepEqual(wrong, []);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
});

test('writes carry the token, ask first, and say what was answered', { timeout: 120_000 }, async (t) => {
  const { page } = await opened(t, browser);
  const refused = '/api/learners/electricity/0/rollback';
  const written = await writable(page, { [refused]: { status: 409, json: { error: 'it has no parent any more' } } });
  const letter = brokenLetter();
  const request = { ...letter, id: '0-18', topic: 'c', text: 'no request', obstacle: 'it is a request and no event' };
  await page.route('**/dead-letters?*', (route) =>
    route.fulfill({ json: { problem: '', total: 2, letters: [letter, request] } }),
  );
  await page.goto(server.address + '#token=' + TOKEN);
  await page.waitForSelector('.overview tbody tr');
  assert.ok(!page.url().includes(TOKEN), 'the token leaves the address bar');
  await page.waitForSelector('header button:has-text("Can write")');

  await show(page, server.address, 'why', 'electricity/0');
  await page.click('button:has-text("Train now")');
  assert.equal(written.length, 0, 'it asks first');
  await page.waitForSelector('dialog[open]');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
  await page.click('button:has-text("Train now")');
  await page.click('dialog button:has-text("Train now")');
  await page.waitForSelector('.said:has-text("asked")');

  await show(page, server.address, 'models', 'electricity/0');
  await page.click('button[aria-label="Pin version 425"]');
  assert.ok(await page.locator('dialog button.accent').isDisabled(), 'a pin needs a reason');
  await page.fill('dialog input', 'looks better');
  await page.click('dialog button.accent');
  await page.waitForSelector('dialog', { state: 'detached' });
  assert.match(await page.textContent('.lineage tr:has(th:has-text("v422"))'), /champion/);
  assert.match(await page.textContent('.lineage tr:has(th:has-text("v426"))'), /shadow/);
  await page.click('button[aria-label="Give version 425 an alias"]');
  await page.getByLabel('Alias: letters').fill('challenger');
  await page.click('dialog button.accent');
  await page.waitForSelector('dialog', { state: 'detached' });
  await page.click('button[aria-label="Remove the alias shadow of version 426"]');
  await page.click('dialog button.accent');
  await page.waitForSelector('dialog', { state: 'detached' });
  await page.click('button:has-text("Unpin")');
  await page.click('dialog button.accent');
  await page.waitForSelector('dialog', { state: 'detached' });
  await page.click('button:has-text("Roll back")');
  await page.fill('dialog input', 'worse');
  await page.click('dialog button.accent');
  await page.waitForSelector('dialog .failed:has-text("it has no parent any more")');
  await page.keyboard.press('Escape');

  await show(page, server.address, 'dead-letters', 'electricity/0');
  assert.match(await page.textContent('tr:has-text("no request")'), /Cannot be sent again: it is a request/);
  assert.equal(await page.locator('button:has-text("Send again")').count(), 1);
  await page.click('button:has-text("Send again")');
  await page.fill('dialog textarea', 'whole,line');
  await page.click('dialog button.accent');
  await page.waitForSelector('dialog', { state: 'detached' });

  const bearer = { authorization: 'Bearer ' + TOKEN };
  assert.deepEqual(written, [
    { path: '/api/applications/electricity/train', body: {}, ...bearer },
    { path: '/api/learners/electricity/0/pin', body: { version: 425, reason: 'looks better' }, ...bearer },
    { path: '/api/learners/electricity/0/alias', body: { name: 'challenger', version: 425 }, ...bearer },
    { path: '/api/learners/electricity/0/alias', body: { name: 'shadow', remove: true }, ...bearer },
    { path: '/api/learners/electricity/0/unpin', body: {}, ...bearer },
    { path: refused, body: { reason: 'worse' }, ...bearer },
    { path: '/api/applications/electricity/dead-letters/resend', body: { id: '0-17', text: 'whole,line' }, ...bearer },
  ]);
});

test('who may write reaches everything by keys', { timeout: 240_000 }, async (t) => {
  const { page, wrong } = await opened(t, browser);
  const written = await writable(page);
  await page.route('**/dead-letters?*', (route) =>
    route.fulfill({ json: { problem: '', total: 1, letters: [brokenLetter()] } }),
  );
  await page.goto(server.address + '#token=' + TOKEN);
  await page.waitForSelector('header button:has-text("Can write")');
  let controls = 0;
  for (const screen of SCREENS.filter((each) => each !== 'what-if')) {
    await show(page, server.address, screen, 'electricity/0');
    if (screen === 'models' || screen === 'why' || screen === 'dead-letters') {
      await page.waitForSelector('.deed button, main td button');
      const deeds = page.locator('.deed button, main td button');
      assert.ok((await deeds.count()) > 0, screen + ' can change something');
      assert.equal(await page.locator('.deed button:disabled, main td button:disabled').count(), 0, screen);
    }
    controls += await reachesEverything(page, screen);
  }
  assert.ok(controls > 150, 'only ' + controls + ' controls');
  assert.deepEqual(written, []);
  assert.deepEqual(wrong, []);
});

test(
  'pin, repair and train by keys alone; dialogs keep the focus and give it back',
  { timeout: 120_000 },
  async (t) => {
    const { page, wrong } = await opened(t, browser);
    const written = await writable(page);
    await page.route('**/dead-letters?*', (route) =>
      route.fulfill({ json: { problem: '', total: 1, letters: [brokenLetter()] } }),
    );
    await page.goto(server.address + '#token=' + TOKEN);
    await page.waitForSelector('header button:has-text("Can write")');
    const opensAndCloses = async (button) => {
      await tabTo(page, button);
      await page.keyboard.press('Enter');
      await page.waitForSelector('dialog[open]');
      assert.ok(
        await page.evaluate(() => document.activeElement.closest('dialog[open]') !== null),
        'focus in the dialog',
      );
      await staysInDialog(page);
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
      assert.ok(
        await page.evaluate((of) => document.activeElement.matches(of), button),
        'the focus is back after Escape',
      );
      await page.keyboard.press('Space');
      await page.waitForSelector('dialog[open]');
    };
    const confirmed = async (button) => {
      await tabTo(page, 'dialog button.accent');
      await page.keyboard.press('Enter');
      await page.waitForSelector('dialog', { state: 'detached' });
      assert.ok(
        await page.evaluate((of) => document.activeElement.matches(of), button),
        'the focus is back when it is done',
      );
    };

    await show(page, server.address, 'why', 'electricity/0');
    const train = '.deed > button.accent';
    await opensAndCloses(train);
    await confirmed(train);

    await show(page, server.address, 'models', 'electricity/0');
    const pin = 'button[aria-label="Pin version 425"]';
    await opensAndCloses(pin);
    await tabTo(page, 'dialog input');
    await page.keyboard.type('looks better');
    await confirmed(pin);

    await show(page, server.address, 'dead-letters', 'electricity/0');
    const resend = 'main td button';
    await opensAndCloses(resend);
    await tabTo(page, 'dialog textarea');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('whole,line');
    await confirmed(resend);

    assert.deepEqual(
      written.map(({ path, body }) => ({ path, body })),
      [
        { path: '/api/applications/electricity/train', body: {} },
        { path: '/api/learners/electricity/0/pin', body: { version: 425, reason: 'looks better' } },
        { path: '/api/applications/electricity/dead-letters/resend', body: { id: '0-17', text: 'whole,line' } },
      ],
    );
    assert.deepEqual(wrong, []);
  },
);

test('without a token nothing can be written, and the page says so', async (t) => {
  const { page } = await opened(t, browser);
  await writable(page);
  await show(page, server.address, 'why', 'electricity/0');
  assert.ok(await page.locator('button:has-text("Train now")').isDisabled());
  await page.click('header button:has-text("Read-only")');
  await page.fill('dialog input', TOKEN);
  await page.click('dialog button.accent');
  await page.waitForSelector('header button:has-text("Can write")');
  assert.ok(await page.locator('button:has-text("Train now")').isEnabled());
});

test('a report shows the same screens and asks nobody', { timeout: 120_000 }, async (t) => {
  const get = async (path) => (await fetch(server.address + 'api/' + path)).json();
  await new Promise((resume) => setTimeout(resume, 3000));
  const recorded = {
    console: await get('console'),
    learners: await get('learners'),
    history: {},
    updates: {},
    events: {},
    moves: {},
    plans: {},
    models: {},
  };
  for (const { learner } of recorded.learners) {
    for (const part of ['history', 'updates', 'events', 'moves']) {
      recorded[part][learner] = await get('learners/' + learner + '/' + part);
    }
    recorded.models[learner] = lineageOf(learner);
  }
  const { page, wrong } = await opened(t, browser);
  const html = readFileSync(join(PAGE, 'index.html'), 'utf8');
  const island =
    '<script type="application/json" id="recorded">' +
    JSON.stringify(recorded).replaceAll('<', '\\u003c') +
    '</script>';
  await page.route(server.address, (route) =>
    route.fulfill({ contentType: 'text/html', body: html.replace('<body>', () => '<body>' + island) }),
  );
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  for (const screen of SCREENS) {
    await page.goto(server.address + '#' + screen + '/electricity/0');
    await page.waitForSelector('main .card, main .quiet-line');
  }
  await show(page, server.address, 'quality', 'avazu/0');
  assert.ok((await page.locator('figure.chart canvas').count()) > 0);
  assert.deepEqual(
    asked.filter((url) => url.includes('/api/')),
    [],
  );
  assert.deepEqual(wrong, []);
});
