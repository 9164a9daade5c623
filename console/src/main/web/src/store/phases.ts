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

function orNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
