import type { DecisionEvent } from '../api/types.ts';
import { Columns } from './columns.ts';
import type { History } from './history.ts';
import type { Updates } from './updates.ts';

const MOST_CHARGES = 2400;
const KEPT_MILLIS = 10 * 60_000;

/** What waiting cost lately, at the finest step that was heard: each event has the charge of its moment. */
export class Charges {
  private readonly columns = new Columns(['at', 'charge', 'threshold'], MOST_CHARGES);

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
    const known: [number, number, number][] = [];
    points.forEach((at, row) => known.push([at, charge[row] as number, threshold[row] as number]));
    for (let position = 0; position < updates.length; position++) {
      const at = updates.value(position, 'firing.atMillis');
      const limit = updates.value(position, 'firing.grounds.charge.thresholdSampleSeconds');
      known.push([at - 1, updates.value(position, 'firing.grounds.charge.sampleSeconds'), limit], [at, 0, limit]);
    }
    const seeded = known.filter(([at]) => at >= since && at < until).sort((a, b) => a[0] - b[0]);
    for (const [at, sampleSeconds, thresholdSampleSeconds] of [...seeded, ...heard].slice(-MOST_CHARGES)) {
      this.point(at, { sampleSeconds, thresholdSampleSeconds });
    }
  }

  private rows(): [number, number, number][] {
    return Array.from(this.times(), (at, row) => [at, this.columns.value(1, row), this.columns.value(2, row)]);
  }

  add(event: DecisionEvent): void {
    const firing = event.type === 'FIRED' ? event.update?.firing : undefined;
    if (firing) {
      // The charge at which the update fired, just before it fell.
      this.point(firing.atMillis - 1, firing.grounds.charge);
    }
    this.point(event.atMillis, event.status.decision.grounds.charge);
  }

  private point(at: number, charge: { sampleSeconds: number; thresholdSampleSeconds: number }): void {
    const rows = this.columns.length;
    if (rows > 0 && at < this.columns.value(0, rows - 1)) {
      return;
    }
    if (this.columns.full()) {
      this.columns.dropOldest(MOST_CHARGES / 4);
    }
    const row = this.columns.add();
    this.columns.set(0, row, at);
    this.columns.set(1, row, charge.sampleSeconds);
    this.columns.set(2, row, charge.thresholdSampleSeconds);
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
