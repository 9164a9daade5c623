/** What the reader has chosen: token, screen, learner, theme. It stays while the tab is open; the theme longer. */

export type Theme = 'system' | 'light' | 'dark';

const TOKEN = 'idla-console-token';
const THEME = 'idla-console-theme';

/** `#quality/electricity/0`: a screen and a learner. */
export function parseRoute(hash: string): { screen: string; learner: string } {
  const [screen = '', application = '', partition = ''] = hash.replace(/^#\/?/, '').split('/');
  try {
    const learner = application === '' ? '' : decodeURIComponent(application) + '/' + decodeURIComponent(partition);
    return { screen, learner };
  } catch {
    return { screen, learner: '' };
  }
}

export function route(screen: string, learner: string): string {
  return '#' + screen + (learner === '' ? '' : '/' + learner.split('/').map(encodeURIComponent).join('/'));
}

export class Session {
  token = '';
  screen = '';
  learner = '';
  theme: Theme = 'system';

  constructor() {
    this.token = read(sessionStorage, TOKEN);
    const theme = read(localStorage, THEME);
    this.theme = theme === 'light' || theme === 'dark' ? theme : 'system';
    this.followHash();
  }

  /** Takes screen and learner from the address; a token in it is kept and removed from the address bar. */
  followHash(): void {
    const token = /^#token=([^&/]+)$/.exec(location.hash)?.[1];
    if (token !== undefined) {
      this.setToken(token);
      history.replaceState(null, '', location.pathname + location.search);
    }
    const { screen, learner } = parseRoute(location.hash);
    this.screen = screen;
    if (learner !== '') {
      this.learner = learner;
    }
  }

  setToken(token: string): void {
    this.token = token.trim();
    write(sessionStorage, TOKEN, this.token);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    write(localStorage, THEME, theme === 'system' ? '' : theme);
    this.applyTheme();
  }

  /** Without a choice the style sheet follows the system. */
  applyTheme(): void {
    if (this.theme === 'system') {
      delete document.documentElement.dataset['theme'];
    } else {
      document.documentElement.dataset['theme'] = this.theme;
    }
  }
}

// Storage may be switched off in the browser; the choice then lasts as long as the page.
function read(storage: Storage, key: string): string {
  try {
    return storage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

function write(storage: Storage, key: string, value: string): void {
  try {
    if (value === '') {
      storage.removeItem(key);
    } else {
      storage.setItem(key, value);
    }
  } catch {
    return;
  }
}
