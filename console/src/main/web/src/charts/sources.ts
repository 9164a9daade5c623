import type { Charges } from '../store/charges.ts';
import type { History } from '../store/history.ts';
import type { Drawn, UpdateNumber } from '../store/paths.ts';
import type { Updates } from '../store/updates.ts';
import type { Source } from '../store/textParts.ts';

/** Where the values of rows come from, for charts that begin at a row of the history or of the updates. */

type OfRow = (row: number) => Source;

export function ofHistory(history: History, from: number): (name: Drawn | 'atMillis') => OfRow {
  const times = history.times();
  return (name) => (row) => ({ path: 'history.' + times[from + row] + '.' + name });
}

export function ofUpdates(updates: Updates, from: number): (name: UpdateNumber) => OfRow {
  const numbers = updates.column('number');
  return (name) => (row) => ({ path: 'updates.' + numbers[from + row] + '.' + name });
}

/** Of the charge, of its threshold, and of their times. */
export function ofCharges(
  charges: Charges,
  from: number,
): (name: 'sampleSeconds' | 'thresholdSampleSeconds' | 'atMillis') => OfRow {
  const times = charges.times();
  return (name) => (row) => {
    const origin = charges.origin(from + row);
    const field = name === 'atMillis' ? name : 'charge.' + name;
    if (origin.of === 'status') {
      return { path: 'history.' + times[from + row] + '.' + (name === 'atMillis' ? '' : 'decision.grounds.') + field };
    }
    const firing = 'updates.' + origin.update + '.firing.' + (name === 'atMillis' ? '' : 'grounds.') + field;
    if (origin.of === 'before-firing') {
      return name === 'atMillis' ? { formula: firing + ' - 1' } : { path: firing };
    }
    return name === 'sampleSeconds' ? { formula: '0 * ' + firing } : { path: firing };
  };
}

/** Of a growing number: its change from point to point, as a share of that of all, or a second. */
export function changes(history: History, from: number, name: Drawn, others: Drawn[] | 'atMillis'): OfRow {
  const times = history.times();
  return (row) => {
    const change = (which: Drawn | 'atMillis') =>
      'history.' + times[from + row] + '.' + which + minusBefore(times[from + row - 1], which);
    return {
      formula:
        others === 'atMillis'
          ? '(' + change(name) + ') / ((' + change('atMillis') + ') / 1000)'
          : '(' + change(name) + ') / (' + [name, ...others].map(change).join(' + ') + ')',
    };
  };
}

function minusBefore(atMillis: number | undefined, name: string): string {
  return atMillis === undefined ? '' : ' - history.' + atMillis + '.' + name;
}
