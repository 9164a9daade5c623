import type { DecisionEvent } from '../api/types.ts';
import { Columns } from './columns.ts';

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
