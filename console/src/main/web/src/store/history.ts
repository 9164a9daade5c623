import type { Status, StatusTable } from '../api/types.ts';
import { Columns } from './columns.ts';
import { DRAWN, type Drawn, type Getter, getter } from './paths.ts';

/** Most points of a learner's history. */
export const MOST_POINTS = 7200;

const NAMES = ['at', ...DRAWN];
const GETTERS: Getter[] = DRAWN.map(getter);
const SECOND = 1000;

/**
 * What a learner's numbers were over time: one point in each second of the clock, the newest, as the server has them.
 * When no more points have room, every other one goes, and the step doubles.
 */
export class History {
  private readonly columns: Columns;
  private stepMillis = SECOND;

  constructor(mostPoints = MOST_POINTS) {
    this.columns = new Columns(NAMES, mostPoints);
  }

  get length(): number {
    return this.columns.length;
  }

  /** Epoch milliseconds of the points, ascending. */
  times(): Float64Array {
    return this.columns.column('at');
  }

  column(name: Drawn): Float64Array {
    return this.columns.column(name);
  }

  lastMillis(): number {
    return this.columns.value(0, this.columns.length - 1);
  }

  /** Takes a status; one that is older than the newest point is passed over. */
  add(atMillis: number, status: Status): void {
    const last = this.lastMillis();
    if (atMillis < last) {
      return;
    }
    const row = this.row(atMillis);
    this.columns.set(0, row, atMillis);
    GETTERS.forEach((get, index) => this.columns.set(index + 1, row, get(status)));
  }

  private row(atMillis: number): number {
    const stepOf = (millis: number) => Math.floor(millis / this.stepMillis);
    if (this.columns.length > 0 && stepOf(this.lastMillis()) === stepOf(atMillis)) {
      return this.columns.length - 1;
    }
    if (this.columns.full()) {
      this.columns.halve();
      this.stepMillis *= 2;
    }
    return this.columns.add();
  }

  /** Begins with what the server has; newer points that are here already stay behind it. */
  load(answer: StatusTable): void {
    const loadedUntil = answer.atMillis[answer.atMillis.length - 1] ?? Number.NEGATIVE_INFINITY;
    const newer = this.rowsAfter(loadedUntil);
    this.columns.dropOldest(this.columns.length);
    this.stepMillis = SECOND;
    const sources = DRAWN.map((name) => answer.values[answer.names.indexOf(name)]);
    answer.atMillis.forEach((at, point) => {
      const row = this.row(at);
      this.columns.set(0, row, at);
      sources.forEach((values, index) => this.columns.set(index + 1, row, values?.[point] ?? Number.NaN));
    });
    for (const values of newer) {
      const row = this.row(values[0] as number);
      values.forEach((value, index) => this.columns.set(index, row, value));
    }
  }

  private rowsAfter(millis: number): number[][] {
    const times = this.times();
    const rows: number[][] = [];
    for (let row = 0; row < times.length; row++) {
      if ((times[row] as number) > millis) {
        rows.push(NAMES.map((_, index) => this.columns.value(index, row)));
      }
    }
    return rows;
  }
}
