import assert from 'node:assert/strict';
import { createReadStream, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { BASE, PICTURES, SITE } from '../folders.mjs';

/** The built site in a browser: pages, search and pictures, with nothing but its own files. */

const CHROMIUM = process.env.IDLA_CHROMIUM ?? '/usr/bin/chromium';
const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

let server;
let browser;
let address;

before(async () => {
  server = createServer((request, response) => {
    const path = normalize(decodeURI(new URL(request.url, 'http://any').pathname));
    const file = join(SITE, path.slice(BASE.length - 1).replace(/\/$/, '/index.html'));
    if (!path.startsWith(BASE) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'text/plain; charset=utf-8' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${server.address().port}${BASE}`;
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
  mkdirSync(PICTURES, { recursive: true });
});

after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens a page that notes errors, refused files, and requests to others. */
async function open(colorScheme) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme });
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', (error) => wrong.push('error: ' + error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) {
      wrong.push(message.type() + ': ' + message.text());
    }
  });
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(address)) {
      wrong.push('request to another: ' + request.url());
    }
  });
  page.on('response', (response) => {
    if (response.status() >= 400) {
      wrong.push(response.status() + ': ' + response.url());
    }
  });
  return { page, wrong, close: () => context.close() };
}

async function picture(page, name) {
  const file = join(PICTURES, name + '.png');
  await page.screenshot({ path: file, animations: 'disabled' });
  assert.ok(statSync(file).size > 10_000, file + ' shows something');
}

/** The color behind the text, as the sum of red, green and blue. */
async function brightness(page) {
  const color = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  return color
    .match(/\d+/g)
    .slice(0, 3)
    .reduce((sum, part) => sum + Number(part), 0);
}

for (const scheme of ['light', 'dark']) {
  test(`start, a page and a search are shown, ${scheme}`, { timeout: 120_000 }, async () => {
    const { page, wrong, close } = await open(scheme);
    await page.goto(address);
    assert.match(await page.textContent('main h1'), /^iDlaLayer/);
    const overview = page.locator('main img').first();
    await overview.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector('main img').naturalWidth > 0);
    const bright = await brightness(page);
    assert.ok(scheme === 'light' ? bright > 600 : bright < 150, `${scheme} has ${bright}`);
    await page.evaluate(() => scrollTo(0, 0));
    await picture(page, 'start-' + scheme);

    await page.click('#local-search button');
    await page.fill('#localsearch-input', 'label that comes late');
    await page.waitForSelector('.results .result');
    const found = await page.locator('.results .result').allTextContents();
    assert.ok(
      found.some((text) => text.includes('Repeated events and late labels')),
      'found: ' + found.join(' | '),
    );
    await picture(page, 'search-' + scheme);
    await page.locator('.results .result', { hasText: 'Repeated events and late labels' }).first().click();
    await page.waitForURL('**/docs/repeated-events.html**');

    await page.goto(address + 'docs/update-timing.html');
    await page.waitForSelector('main table');
    await picture(page, 'page-' + scheme);
    assert.deepEqual(wrong, []);
    await close();
  });
}

test('every page of the index opens', { timeout: 300_000 }, async () => {
  const { page, wrong, close } = await open('light');
  const index = readFileSync(join(SITE, 'docs/index.html'), 'utf8');
  const main = index.slice(index.indexOf('<main'), index.indexOf('</main>'));
  const links = [...main.matchAll(/<td><a href="([^"#]+)/g)].map((match) => match[1]);
  assert.ok(links.length > 60, `${links.length} pages`);
  for (const link of new Set(links)) {
    await page.goto(new URL(link, address).href, { waitUntil: 'load' });
    assert.notEqual((await page.textContent('main h1')).trim(), '', link);
    assert.deepEqual(wrong, [], link);
  }
  await close();
});
