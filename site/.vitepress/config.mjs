import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { BASE, CACHE, JAVADOC, SITE, STAGED } from '../folders.mjs';

/** Reads the groups and pages of the index, which are the sidebar too. */
function sidebar() {
  const groups = [];
  for (const line of readFileSync(join(STAGED, 'docs/index.md'), 'utf8').split('\n')) {
    const group = /^## (.*)$/.exec(line);
    const page = /^\| \[([^\]]+)\]\(([^)]+)\)/.exec(line);
    if (group) {
      groups.push({ text: group[1], collapsed: groups.length > 0, items: [] });
    } else if (page) {
      groups.at(-1).items.push({ text: page[1], link: page[2] });
    }
  }
  return groups;
}

/** Anchors as GitHub makes them, since links in the pages are written for it. */
function slugify(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Raw results and old decisions would hide the pages in a search. */
function isSearched(path) {
  return !/^(benchmarks\/results|docs\/decisions)\//.test(path);
}

export default defineConfig({
  title: 'iDlaLayer',
  description: 'Keeps deep-learning models current on a stream of labelled events, at the least training cost',
  lang: 'en',
  base: BASE,
  srcDir: STAGED,
  outDir: SITE,
  cacheDir: CACHE,
  // All links are checked after the build, with their anchors.
  ignoreDeadLinks: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: BASE + 'favicon.svg' }]],
  markdown: { anchor: { slugify }, headers: { slugify } },
  themeConfig: {
    nav: [
      { text: 'Documents', link: '/docs/index.md' },
      { text: 'Measurements', link: '/benchmarks/index.md' },
      ...(existsSync(JAVADOC) ? [{ text: 'Javadoc', link: '/javadoc/index.html', target: '_self' }] : []),
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // Words of up to six letters must be typed right, so that "late" does not find "gate".
        miniSearch: { searchOptions: { fuzzy: 0.08 } },
        _render: (text, env, md) => (isSearched(env.relativePath) ? md.render(text, env) : ''),
      },
    },
    footer: { message: 'Apache License 2.0' },
  },
});
