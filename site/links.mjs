import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { BASE, SITE } from './folders.mjs';

/** Checks that every link and picture of the built site leads to a file of the site and, with an anchor, to an element with that id. */

/** Javadoc has its own checks, and files are shown as they are. */
const OTHERS = /^(javadoc|files)\//;

const pages = new Map();
for (const path of readdirSync(SITE, { recursive: true })) {
  if (path.endsWith('.html') && !OTHERS.test(path)) {
    const html = readFileSync(join(SITE, path), 'utf8');
    const ids = new Set([...html.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1]));
    const links = [...html.matchAll(/<(?:a|img|link|script)\s[^>]*?(?:href|src)="([^"]*)"/g)].map((match) => match[1]);
    pages.set(path, { ids, links: new Set(links) });
  }
}

function fault(page, link) {
  const [target, anchor] = decodeURI(link.replaceAll('&amp;', '&')).split('#');
  let path = page;
  if (target.startsWith('/')) {
    if (!target.startsWith(BASE)) {
      return 'is outside of the site';
    }
    path = target.slice(BASE.length);
  } else if (target !== '') {
    path = posix.join(posix.dirname(page), target);
  }
  if (path === '' || path.endsWith('/')) {
    path += 'index.html';
  }
  if (!existsSync(join(SITE, path))) {
    return 'leads to no file';
  }
  if (anchor !== undefined && anchor !== '' && pages.has(path) && !pages.get(path).ids.has(anchor)) {
    return 'leads to no heading';
  }
  return null;
}

const faults = [];
let checked = 0;
for (const [page, { links }] of pages) {
  for (const link of links) {
    // Pages of others may be away for a while, and the build asks no other server.
    if (/^(https?:|mailto:)/.test(link) || page === '404.html') {
      continue;
    }
    checked++;
    const found = fault(page, link);
    if (found !== null) {
      faults.push(`${page}: ${link} ${found}`);
    }
  }
}
if (pages.size === 0 || faults.length > 0) {
  console.error(`${faults.length} dead links on ${pages.size} pages of the site:\n  ${faults.join('\n  ')}`);
  process.exit(1);
}
console.log(`${checked} links of ${pages.size} pages lead somewhere`);
