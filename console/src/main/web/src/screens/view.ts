import type { ApplicationInfo } from '../api/types.ts';
import type { ConsoleStore } from '../store/console.ts';
import type { Learner } from '../store/learner.ts';

/** What a screen about one learner gets. */
export interface View {
  store: ConsoleStore;
  learner: Learner;
  application: ApplicationInfo | undefined;
  nowMillis: number;
}

/** Spans of time that a chart may show. */
export type Span = '5m' | '30m' | '2h' | 'all';

export const SPANS: [Span, string][] = [
  ['5m', '5 min'],
  ['30m', '30 min'],
  ['2h', '2 h'],
  ['all', 'All'],
];

const MINUTES: Record<Span, number> = { '5m': 5, '30m': 30, '2h': 120, all: Number.POSITIVE_INFINITY };

/** Epoch milliseconds at which a span begins. */
export function spanStart(span: Span, nowMillis: number): number {
  return nowMillis - MINUTES[span] * 60_000;
}
