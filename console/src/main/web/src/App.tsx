import { useEffect, useRef, useState } from 'preact/hooks';
import { themeChanged } from './charts/colors.ts';
import { age, clock } from './format/time.ts';
import { Dialog, Empty } from './parts/parts.tsx';
import type { ConsoleStore } from './store/console.ts';
import { type Theme, route } from './store/session.ts';
import { DeadLetters } from './screens/DeadLetters.tsx';
import { Health } from './screens/Health.tsx';
import { Memory } from './screens/Memory.tsx';
import { Models } from './screens/Models.tsx';
import { Overview } from './screens/Overview.tsx';
import { Quality } from './screens/Quality.tsx';
import { Stages } from './screens/Stages.tsx';
import { Updates } from './screens/Updates.tsx';
import { WhatIf } from './screens/WhatIf.tsx';
import { Why } from './screens/Why.tsx';
import type { View } from './screens/view.ts';

interface Screen {
  id: string;
  name: string;
  /** what the screen answers */
  about: string;
  show: ((view: View) => preact.JSX.Element) | null;
}

const SCREENS: Screen[] = [
  { id: 'overview', name: 'Overview', about: 'All learners at a glance', show: null },
  { id: 'why', name: 'Why not yet?', about: 'What the next update waits for', show: Why },
  { id: 'updates', name: 'Updates', about: 'What each update cost and brought', show: Updates },
  { id: 'quality', name: 'Quality', about: 'How well the model in service predicts', show: Quality },
  { id: 'stages', name: 'Life stages', about: 'What each sample is worth', show: Stages },
  { id: 'models', name: 'Models', about: 'Which versions there are, and which serves', show: Models },
  { id: 'memory', name: 'Memory', about: 'Where samples, rows and tensors are', show: Memory },
  { id: 'dead-letters', name: 'Dead letters', about: 'Events that could not be used', show: DeadLetters },
  {
    id: 'what-if',
    name: 'What if?',
    about: 'What other update rules would have cost, and what other memories would cost',
    show: WhatIf,
  },
  { id: 'health', name: 'Health', about: 'Whether everything is as it should be', show: Health },
];

const THEMES: [Theme, string][] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export function App(props: { store: ConsoleStore; tick: number }) {
  const { store } = props;
  const { session } = store;
  const screen = SCREENS.find((each) => each.id === session.screen) ?? (SCREENS[0] as Screen);
  const learner = store.chosen();
  const main = useRef<HTMLElement>(null);
  const heading = screen.show ? session.learner : '';
  useEffect(() => {
    document.title = screen.name + (heading === '' ? '' : ', ' + heading) + ' - iDlaLayer console';
    window.scrollTo(0, 0);
    if (learner) {
      store.load(learner).catch(() => undefined);
    }
  }, [screen.id, learner?.key]);
  return (
    <>
      <a class="skip" href="#page-main" onClick={(event) => skip(event, main.current)}>
        Skip to the content
      </a>
      <Header store={store} screen={screen} />
      <Navigation store={store} screen={screen} />
      <main id="page-main" ref={main} tabIndex={-1}>
        <div class="screen-head">
          <h1>{screen.name}</h1>
          <p>
            {screen.about}
            {heading !== '' && ', '}
            {heading !== '' && <b>{heading}</b>}
          </p>
        </div>
        <Body store={store} screen={screen} />
      </main>
    </>
  );
}

function skip(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

function Body(props: { store: ConsoleStore; screen: Screen }) {
  const { store, screen } = props;
  const learner = store.chosen();
  if (store.tokenNeeded && !store.asked) {
    return (
      <Empty title="This console wants a token for reading">
        <p>It is printed with the address when the console starts.</p>
        <TokenField store={store} />
      </Empty>
    );
  }
  if (store.learners.size === 0) {
    return <Nothing store={store} />;
  }
  const nowMillis = store.nowMillis();
  if (!screen.show) {
    return <Overview store={store} nowMillis={nowMillis} />;
  }
  if (!learner) {
    return <Silent store={store} screen={screen} />;
  }
  const Show = screen.show;
  return (
    <Show
      key={learner.key}
      store={store}
      learner={learner}
      application={store.application(learner.application)}
      nowMillis={nowMillis}
    />
  );
}

/** There is no learner to show: why. */
function Nothing(props: { store: ConsoleStore }) {
  const { store } = props;
  if (!store.asked) {
    return store.link.state === 'lost' || store.link.problem !== '' ? (
      <Empty title="The console does not answer">
        <p>
          {store.link.problem}. It is tried again
          {store.link.retryMillis > 0 ? ' at ' + clock(store.link.retryMillis) : ''}.
        </p>
        <button type="button" class="accent" onClick={() => store.reconnect()}>
          Try now
        </button>
      </Empty>
    ) : (
      <div class="loading" aria-busy="true">
        <span class="hidden">Connecting</span>
        <div class="skeleton" />
        <div class="skeleton tall" />
      </div>
    );
  }
  const problem = store.info?.problem;
  return (
    <Empty title="No learner has said anything yet">
      <p>
        {problem
          ? problem
          : 'A learner appears here with its first event. Start an application with ./idla run, or send it events with ./idla produce.'}
      </p>
      {store.info && store.info.applications.length > 0 && (
        <p>Waiting for: {store.info.applications.map((each) => each.name).join(', ')}.</p>
      )}
    </Empty>
  );
}

/** The learner of the address has said nothing: another one is shown only if the reader asks for it. */
function Silent(props: { store: ConsoleStore; screen: Screen }) {
  const { store, screen } = props;
  return (
    <Empty title={store.session.learner + ' has said nothing yet'}>
      <p>It appears here with its first event. If the address is wrong, these learners are known:</p>
      <ul class="known">
        {store.sorted().map((learner) => (
          <li key={learner.key}>
            <a href={route(screen.id, learner.key)}>{learner.key}</a>
          </li>
        ))}
      </ul>
    </Empty>
  );
}

function Header(props: { store: ConsoleStore; screen: Screen }) {
  const { store, screen } = props;
  const { session } = store;
  const learners = store.sorted();
  const chosen = store.chosen();
  const [asking, setAsking] = useState(false);
  const theme = (next: Theme) => {
    session.setTheme(next);
    themeChanged();
    store.changed();
  };
  return (
    <header class="top">
      <a class="brand" href={route('overview', session.learner)}>
        <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
          <rect width="32" height="32" rx="8" class="brand-box" />
          <path d="M5 23 12 16h4l4-7 7 0" class="brand-line" />
          <circle cx="27" cy="9" r="2.6" class="brand-dot" />
        </svg>
        <span>
          iDlaLayer <small>console</small>
        </span>
      </a>
      <label class="pick">
        <span>Learner</span>
        <select
          value={session.learner}
          disabled={learners.length === 0}
          onChange={(event) => {
            location.hash = route(screen.id, (event.target as HTMLSelectElement).value);
          }}
        >
          {!chosen && (
            <option value={session.learner}>
              {session.learner === '' ? 'none yet' : session.learner + ', silent'}
            </option>
          )}
          {learners.map((learner) => (
            <option key={learner.key} value={learner.key}>
              {learner.key}
            </option>
          ))}
        </select>
      </label>
      <span class="grow" />
      <LinkState store={store} />
      {store.link.state !== 'recorded' && (
        <button type="button" class="access" onClick={() => setAsking(true)}>
          {store.writable() ? 'Can write' : 'Read-only'}
        </button>
      )}
      <label class="pick theme">
        <span>Theme</span>
        <select value={session.theme} onChange={(event) => theme((event.target as HTMLSelectElement).value as Theme)}>
          {THEMES.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </label>
      {asking && <TokenDialog store={store} close={() => setAsking(false)} />}
    </header>
  );
}

function LinkState(props: { store: ConsoleStore }) {
  const { store } = props;
  const { link, info } = store;
  const broken = link.state === 'live' && info !== null && !info.connected;
  const kind = link.state === 'lost' || broken ? 'bad' : link.state === 'connecting' ? 'quiet' : 'good';
  const words =
    link.state === 'lost'
      ? 'Connection lost'
      : link.state === 'connecting'
        ? 'Connecting'
        : link.state === 'recorded'
          ? 'Report'
          : broken
            ? 'Topics not readable'
            : info?.source === 'recording'
              ? 'Recording'
              : 'Live';
  return (
    <span class="link">
      <span class={'sign ' + kind} role="status">
        <i aria-hidden="true" />
        {words}
      </span>
      {link.state === 'lost' && <small>for {age((Date.now() - link.sinceMillis) / 1000)}</small>}
      {link.state === 'lost' && (
        <button type="button" onClick={() => store.reconnect()}>
          Try now
        </button>
      )}
    </span>
  );
}

function TokenField(props: { store: ConsoleStore }) {
  const [token, setToken] = useState('');
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (token.trim() !== '') {
          props.store.useToken(token);
        }
      }}
    >
      <label class="field">
        Token
        <input
          type="password"
          autocomplete="off"
          value={token}
          onInput={(event) => setToken((event.target as HTMLInputElement).value)}
        />
      </label>
      <button type="submit" class="accent">
        Use it
      </button>
    </form>
  );
}

function TokenDialog(props: { store: ConsoleStore; close: () => void }) {
  const { store, close } = props;
  const [token, setToken] = useState('');
  const has = store.session.token !== '';
  const refused = store.info !== null && !store.info.writable;
  return (
    <Dialog
      title={has ? 'This page has a token' : 'This page is read-only'}
      close={close}
      actions={
        <>
          {has && (
            <button
              type="button"
              onClick={() => {
                store.useToken('');
                close();
              }}
            >
              Forget the token
            </button>
          )}
          <button
            type="button"
            class="accent"
            disabled={token.trim() === ''}
            onClick={() => {
              store.useToken(token);
              close();
            }}
          >
            Use the token
          </button>
        </>
      }
    >
      <p>
        Training now, pinning, rolling back, explaining samples and sending dead letters again need the token that the
        console prints with its address. It stays in this tab.
      </p>
      {refused && (
        <p>
          This console does not accept writes at all:{' '}
          {store.info?.source === 'recording' ? 'it shows a recording.' : 'it was started so.'}
        </p>
      )}
      <label class="field">
        Token
        <input
          type="password"
          autocomplete="off"
          value={token}
          onInput={(event) => setToken((event.target as HTMLInputElement).value)}
        />
      </label>
    </Dialog>
  );
}

function Navigation(props: { store: ConsoleStore; screen: Screen }) {
  const { store, screen } = props;
  const key = store.session.learner;
  return (
    <nav class="side" aria-label="Screens">
      <ul>
        {SCREENS.map((each) => (
          <li key={each.id}>
            <a href={route(each.id, key)} aria-current={each.id === screen.id ? 'page' : undefined}>
              {each.name}
            </a>
          </li>
        ))}
      </ul>
      {store.info && (
        <footer>
          <span title={store.info.sourceName}>{store.info.sourceName}</span>
          <span>{store.info.version}</span>
        </footer>
      )}
    </nav>
  );
}
