import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders of the repository that the site is made from and made in. */

const here = dirname(fileURLToPath(import.meta.url));
export const ROOT = join(here, '..');
export const MODULES = join(here, 'node_modules');
/** The pages as the generator reads them. */
export const STAGED = join(ROOT, 'target/site-pages');
export const CACHE = join(ROOT, 'target/site-cache');
/** The built site. */
export const SITE = join(ROOT, 'target/site');
/** The icon of the console, and of the site. */
export const ICON = join(ROOT, 'console/src/main/web/public/favicon.svg');
/** Pictures that the test takes. */
export const PICTURES = join(ROOT, 'target/site-pictures');
/** Javadoc as `mvn javadoc:aggregate` writes it. */
export const JAVADOC = join(ROOT, 'target/reports/apidocs');

/** Path of the site on its server; begins and ends with a slash. */
export const BASE = process.env.IDLA_SITE_BASE ?? '/';
