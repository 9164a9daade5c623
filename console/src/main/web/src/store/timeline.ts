import { type Phases, phases } from './phases.ts';
import type { Updates } from './updates.ts';

/** A stretch of time of an update, in epoch milliseconds. */
export interface Stretch {
  phase: keyof Phases;
  from: number;
  to: number;
  /** where `to` comes from, a formula */
  end: string;
}

/** When an update waited, was trained and was published; what is not known is left out. */
export interface Lane {
  number: number;
  position: number;
  stretches: Stretch[];
}

/** Spans of time that the axis may have, in seconds. */
const SPANS = [5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 7 * 24 * 3600];
/** So many of the updates are wholly on the axis. */
const SHOWN_SHARE = 0.8;

/**
 * The stretches of the update at that position. It waited for the mean wait of its samples before it fired; its training
 * ended when it was staged, and began as long before as it took. A model that the release gate did not let through ended
 * when that was said.
 */
export function laneOf(updates: Updates, position: number, nowMillis: number): Lane {
  const times = phases(updates, position);
  const fired = updates.value(position, 'firing.atMillis');
  const staged = updates.value(position, 'stagedAtMillis');
  const published = updates.value(position, 'published.atMillis');
  const held = updates.value(position, 'heldAtMillis');
  const number = updates.value(position, 'number');
  const of = 'updates.' + number + '.';
  const firing = of + 'firing.atMillis';
  const stretches: Stretch[] = [];
  if (times.waiting !== null) {
    stretches.push({ phase: 'waiting', from: fired - times.waiting * 1000, to: fired, end: firing });
  }
  const state = updates.state(position);
  if (times.training !== null) {
    const [to, end] = Number.isFinite(staged)
      ? [Math.max(staged, fired), 'max(' + of + 'stagedAtMillis, ' + firing + ')']
      : [fired + times.training * 1000, firing + ' + 1000 * ' + of + 'training.seconds'];
    stretches.push({ phase: 'training', from: Math.max(fired, to - times.training * 1000), to, end });
    const [done, said] = Number.isFinite(published)
      ? [published, of + 'published.atMillis']
      : state === 'staged'
        ? [nowMillis, 'now']
        : [held, of + 'heldAtMillis'];
    if (done > to) {
      stretches.push({ phase: 'publishing', from: to, to: done, end: said });
    }
  } else if (state === 'fired') {
    stretches.push({ phase: 'training', from: fired, to: Math.max(fired, nowMillis), end: 'max(' + firing + ', now)' });
  }
  return { number, position, stretches };
}

/**
 * Begin and end of the axis, and where its end comes from: most of the lanes fit, a few that began long before are cut
 * off.
 */
export function axisOf(lanes: Lane[]): [number, number, string] {
  const begins = lanes.flatMap((lane) => lane.stretches[0]?.from ?? []).sort((a, b) => b - a);
  const stretches = lanes.flatMap((lane) => lane.stretches);
  const end = Math.max(...stretches.map((each) => each.to));
  if (begins.length === 0 || !Number.isFinite(end)) {
    return [0, 1, '1'];
  }
  const needed = (end - (begins[Math.ceil((begins.length - 1) * SHOWN_SHARE)] as number)) / 1000;
  const seconds = SPANS.find((span) => span >= needed) ?? needed;
  return [end - seconds * 1000, end, stretches.find((each) => each.to === end)?.end ?? ''];
}

/** What waiting and training of an update cost, in the unit of the application's prices; null where one is not known. */
export interface Money {
  waiting: number | null;
  training: number | null;
}

/**
 * The charge of the update's samples and its seconds of training, each at its price.
 *
 * @returns null if the application names no prices
 */
export function moneyOf(
  updates: Updates,
  position: number,
  prices: { machinePricePerSecond: number | null; stalenessPricePerSampleSecond: number | null } | undefined,
): Money | null {
  const machine = prices?.machinePricePerSecond;
  const staleness = prices?.stalenessPricePerSampleSecond;
  if (typeof machine !== 'number' || typeof staleness !== 'number') {
    return null;
  }
  const charge = updates.value(position, 'firing.grounds.charge.sampleSeconds');
  const urgency = updates.value(position, 'firing.grounds.basis.urgency');
  const seconds = updates.value(position, 'training.seconds');
  return { waiting: orNull(charge * staleness * urgency), training: orNull(seconds * machine) };
}

/** How that is computed, for a number on a screen. */
export function moneyFormula(number: number | undefined, which: keyof Money): string {
  const of = 'updates.' + number + '.';
  return which === 'training'
    ? of + 'training.seconds * application.machinePricePerSecond'
    : of +
        'firing.grounds.charge.sampleSeconds * application.stalenessPricePerSampleSecond * ' +
        of +
        'firing.grounds.basis.urgency';
}

function orNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
