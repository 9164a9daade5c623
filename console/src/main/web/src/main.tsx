import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { App } from './App.tsx';
import { recorded } from './api/recorded.ts';
import { themeChanged } from './charts/colors.ts';
import { ConsoleStore } from './store/console.ts';

const host = document.getElementById('page') as HTMLElement;
let tick = 0;
const store = new ConsoleStore(() => {
  if (!document.hidden || tick === 0) {
    render(<App store={store} tick={++tick} />, host);
  }
});
store.session.applyTheme();
store.changed();
addEventListener('hashchange', () => {
  store.session.followHash();
  store.changed();
});
document.addEventListener('visibilitychange', store.changed);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  themeChanged();
  store.changed();
});
store.start(recorded());
