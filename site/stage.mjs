import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import { ICON, MODULES, ROOT, STAGED } from './folders.mjs';

/**
 * Copies all Markdown files of the repository to a folder for the generator. Links to other files lead to copies of them, links to folders
 * to pages that list their files. A link to something that the repository does not have is an error.
 */

/** Files that browsers show; others get another ending, so that browsers show them as text. */
const SHOWN = new Set(['.csv', '.gif', '.html', '.jpg', '.json', '.png', '.svg', '.txt']);
/** Code in a line; the beginning of a picture or of the second half of a link, and where it leads. */
const LINK = /`[^`\n]+`|(!\[[^\]]*\]\(|\]\()([^)\s]+)\)/g;

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 1 << 28,
})
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)));
const known = new Set(files);
const dead = [];
/** Folders without a page of their own to which a link leads. */
const folders = new Set();

function write(path, text) {
  const file = join(STAGED, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Copies a file; returns the path that a link to it has on the site. */
function copied(path) {
  const target = SHOWN.has(extname(path)) ? path : path + '.txt';
  const file = join(STAGED, 'public/files', target);
  mkdirSync(dirname(file), { recursive: true });
  cpSync(join(ROOT, path), file);
  return '/files/' + target;
}

/** Returns the path on the site of a file or a folder of the repository; null if there is none. */
function address(path) {
  if (known.has(path)) {
    return path.endsWith('.md') ? '/' + path.replace(/README\.md$/, 'index.md') : copied(path);
  }
  const folder = path.replace(/\/$/, '');
  if (!files.some((file) => file.startsWith(folder + '/'))) {
    return null;
  }
  if (!known.has(folder + '/README.md')) {
    folders.add(folder);
  }
  return '/' + folder + '/index.md';
}

function relink(page, text) {
  return text.replace(LINK, (whole, before, link) => {
    if (link === undefined || /^([a-z]+:|#)/.test(link)) {
      return whole;
    }
    const [target, anchor] = link.split('#');
    const path = posix.normalize(posix.join(posix.dirname(page), decodeURI(target)));
    if (before.startsWith('!') && known.has(path)) {
      mkdirSync(dirname(join(STAGED, path)), { recursive: true });
      cpSync(join(ROOT, path), join(STAGED, path));
      return whole;
    }
    const found = address(path);
    if (found === null) {
      dead.push(page + ': ' + link);
      return whole;
    }
    return before + found + (anchor === undefined ? '' : '#' + anchor) + ')';
  });
}

/** Writes a page with its links changed; blocks of code stay as they are. */
function stage(page) {
  const parts = readFileSync(join(ROOT, page), 'utf8').split(/^(\s*```[^]*?\n\s*```)$/m);
  const text = parts.map((part, number) => (number % 2 === 1 ? part : relink(page, part))).join('');
  write(page.replace(/README\.md$/, 'index.md'), text);
}

function title(page) {
  return /^# (.*)$/m.exec(readFileSync(join(ROOT, page), 'utf8'))?.[1] ?? page;
}

/** Writes a page that lists what is in a folder. */
function list(folder) {
  const inside = files.filter((file) => file.startsWith(folder + '/'));
  const lines = inside.map((file) => {
    const name = file.endsWith('.md') ? title(file) : '`' + file.slice(folder.length + 1) + '`';
    return `- [${name}](${address(file)})`;
  });
  const name = folder === 'docs/decisions' ? 'Decisions' : '`' + folder + '`';
  write(folder + '/index.md', `# ${name}\n\n${lines.join('\n')}\n`);
}

rmSync(STAGED, { recursive: true, force: true });
mkdirSync(STAGED, { recursive: true });
// The generator's modules are found from the pages.
symlinkSync(MODULES, join(STAGED, 'node_modules'));
mkdirSync(join(STAGED, 'public'));
cpSync(ICON, join(STAGED, 'public/favicon.svg'));
const pages = files.filter((file) => file.endsWith('.md') && statSync(join(ROOT, file)).isFile());
pages.forEach(stage);
folders.forEach(list);
if (dead.length > 0) {
  console.error('links that lead to nothing in the repository:\n  ' + dead.join('\n  '));
  process.exit(1);
}
console.log(`${pages.length} pages`);
