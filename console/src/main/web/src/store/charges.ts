import type { DecisionEvent, Grounds } from '../api/types.ts';
import { Columns } from './columns.ts';
import type { History } from './history.ts';
import type { Updates } from './updates.ts';

/** A time, the charge, the threshold, and the origin. */
type Point = [number, number, number, number];

const MOST_CHARGES = 2400;
const KEPT_MILLIS = 10 * 60_000;

/** A status, or the firing of an update, behind which its samples wait no longer. */
export type ChargeOrigin = { of: 'status' } | { of: 'before-firing' | 'after-firing'; update: number };

/** What waiting cost lately, at the finest step that was heard: each event has the charge of its moment. */
export class Charges {
  /** The origin is 0 for a status, the number of an update just before it fired, and its negative right after. */
  private readonly columns = new Columns(['at', 'charge', 'threshold', 'origin'], MOST_CHARGES);

  get length(): number {
    return this.columns.length;
  }

  times(): Float64Array {
    return this.columns.column('at');
  }

  charge(): Float64Array {
    return this.columns.column('charge');
  }

  threshold(): Float64Array {
    return this.columns.column('threshold');
  }

  /** What the point at a position was said by. */
  origin(position: number): ChargeOrigin {
    const origin = this.columns.value(3, position);
    const update = Math.abs(origin);
    return origin === 0 ? { of: 'status' } : { of: origin > 0 ? 'before-firing' : 'after-firing', update };
  }

  /**
   * Begins with what the server knows: a point a second, and the charge of each firing, behind which the samples of the
   * update wait no longer. What was heard since stays behind it.
   */
  seed(history: History, updates: Updates): void {
    const heard = this.rows();
    this.columns.dropOldest(this.columns.length);
    const points = history.times();
    const charge = history.column('decision.grounds.charge.sampleSeconds');
    const threshold = history.column('decision.grounds.charge.thresholdSampleSeconds');
    const since = Math.max(points[points.length - 1] ?? 0, heard[0]?.[0] ?? 0) - KEPT_MILLIS;
    const until = heard[0]?.[0] ?? Number.POSITIVE_INFINITY;
    const known: Point[] = [];
    points.forEach((at, row) => known.push([at, charge[row] as number, threshold[row] as number, 0]));
    for (let position = 0; position < updates.length; position++) {
      const at = updates.value(position, 'firing.atMillis');
      const number = updates.value(position, 'number');
      const limit = updates.value(position, 'firing.grounds.charge.thresholdSampleSeconds');
      known.push(
        [at - 1, updates.value(position, 'firing.grounds.charge.sampleSeconds'), limit, number],
        [at, 0, limit, -number],
      );
    }
    const seeded = known.filter(([at]) => at >= since && at < until).sort((a, b) => a[0] - b[0]);
    for (const point of [...seeded, ...heard].slice(-MOST_CHARGES)) {
      this.point(point);
    }
  }

  private rows(): Point[] {
    return Array.from(this.times(), (at, row) => [
      at,
      this.columns.value(1, row),
      this.columns.value(2, row),
      this.columns.value(3, row),
    ]);
  }

  add(event: DecisionEvent): void {
    const firing = event.type === 'FIRED' ? event.update?.firing : undefined;
    if (firing) {
      // The charge at which the update fired, just before it fell.
      this.point([firing.atMillis - 1, ...both(firing.grounds.charge), event.update?.number ?? 0]);
    }
    this.point([event.atMillis, ...both(event.status.decision.grounds.charge), 0]);
  }

  private point(point: Point): void {
    const [at, , , origin] = point;
    const newest = this.columns.length - 1;
    if (newest >= 0 && at < this.columns.value(0, newest)) {
      return;
    }
    // Of two statuses of a moment the later counts.
    const again = newest >= 0 && at === this.columns.value(0, newest) && origin === this.columns.value(3, newest);
    if (!again && this.columns.full()) {
      this.columns.dropOldest(MOST_CHARGES / 4);
    }
    const row = again ? newest : this.columns.add();
    point.forEach((value, column) => this.columns.set(column, row, value));
    const times = this.columns.column('at');
    let old = 0;
    while (old < times.length && (times[old] as number) < at - KEPT_MILLIS) {
      old++;
    }
    if (old > MOST_CHARGES / 8) {
      this.columns.dropOldest(old);
    }
  }
}

function both(charge: Grounds['charge']): [number, number] {
  return [charge.sampleSeconds, charge.thresholdSampleSeconds];
}
