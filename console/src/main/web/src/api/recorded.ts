import type { RecordedAnswers } from './types.ts';

declare global {
  interface Window {
    __IDLA_REPORT__?: RecordedAnswers;
  }
}

/** What a report file holds instead of a server; null if the page has a server. */
export function recorded(): RecordedAnswers | null {
  if (window.__IDLA_REPORT__) {
    return window.__IDLA_REPORT__;
  }
  const text = document.getElementById('recorded')?.textContent;
  return text ? (JSON.parse(text) as RecordedAnswers) : null;
}
