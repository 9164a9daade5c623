import type { Updates } from './updates.ts';

/** How long an update waited, trained and was published, in seconds; null where that is not known. */
export interface Phases {
  /** mean wait of its samples, from arrival to the firing */
  waiting: number | null;
  training: number | null;
  publishing: number | null;
}

/** Phases of the update at that position. */
export function phases(updates: Updates, position: number): Phases {
  const fired = updates.value(position, 'firing.atMillis');
  const samples = updates.value(position, 'firing.newSamples');
  const charge = updates.value(position, 'firing.grounds.charge.sampleSeconds');
  const seconds = updates.value(position, 'training.seconds');
  const staged = updates.value(position, 'stagedAtMillis');
  const published = updates.value(position, 'published.atMillis');
  return {
    waiting: samples > 0 && Number.isFinite(charge) ? Math.max(0, charge / samples) : null,
    training: orNull(seconds),
    publishing: Number.isFinite(published)
      ? Math.max(
          0,
          (published - (Number.isFinite(staged) ? Math.min(staged, published) : fired + seconds * 1000)) / 1000,
        )
      : null,
  };
}

/** All phases together, seconds: what is not known counts nothing. */
export function total(times: Phases): number {
  return (times.waiting ?? 0) + (times.training ?? 0) + (times.publishing ?? 0);
}

/** How that is computed, for a number on a screen. */
export function totalFormula(updates: Updates, position: number): string {
  const times = phases(updates, position);
  const of = 'updates.' + updates.value(position, 'number') + '.';
  const published = of + 'published.atMillis';
  const trained = Number.isFinite(updates.value(position, 'stagedAtMillis'))
    ? 'min(' + of + 'stagedAtMillis, ' + published + ')'
    : '(' + of + 'firing.atMillis + 1000 * ' + of + 'training.seconds)';
  const parts = [
    times.waiting === null ? '' : of + 'firing.grounds.charge.sampleSeconds / ' + of + 'firing.newSamples',
    times.training === null ? '' : of + 'training.seconds',
    times.publishing === null ? '' : 'max(0, ' + published + ' - ' + trained + ') / 1000',
  ];
  return parts.filter(Boolean).join(' + ') || '0';
}

function orNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
