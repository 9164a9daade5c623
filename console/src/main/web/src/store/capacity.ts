import type { CapacityPlan, CapacityRow } from '../api/types.ts';

/** A line over the budgets of a plan. */
export interface Curve {
  /** name of the slow device; null where everything is in fast memory */
  device: string | null;
  /** for each budget the index of the plan's row; null if the line has no point there */
  rows: (number | null)[];
}

export interface Curves {
  /** bytes of fast memory, ascending, each once */
  budgets: number[];
  curves: Curve[];
}

/**
 * One line for each slow device, in the order of their names, and at the end one for the budgets that need none.
 *
 * @param joined whether the lines of devices go on to the budgets that need none: there the device does not matter for
 *     times, but it would still cost money
 */
export function curvesOf(plan: CapacityPlan, joined: boolean): Curves {
  const { rows } = plan.predicted;
  const budgets = [...new Set(rows.map((row) => row.fastBytes))].sort((a, b) => a - b);
  const points = (device: string | null) =>
    budgets.map((budget) => {
      const of = (name: string | null) => rows.findIndex((row) => row.fastBytes === budget && row.device === name);
      const own = of(device);
      const found = own < 0 && joined ? of(null) : own;
      return found < 0 ? null : found;
    });
  const devices = [...new Set(rows.map((row) => row.device).filter((device) => device !== null))].sort();
  const curves: Curve[] = devices.map((device) => ({ device, rows: points(device) }));
  if (rows.some((row) => row.device === null)) {
    curves.push({ device: null, rows: points(null) });
  }
  return { budgets, curves };
}

/** What a chart of a plan can draw. */
export const MEASURES = {
  step: { field: 'bestSeconds', of: (row: CapacityRow) => row.bestSeconds },
  update: { field: 'update.seconds', of: (row: CapacityRow) => row.update?.seconds ?? null },
  month: { field: 'monthPrice', of: (row: CapacityRow) => row.monthPrice },
} as const;

export type Measure = keyof typeof MEASURES;

/** Whether any row has a value to draw. */
export function drawable(plan: CapacityPlan, measure: Measure): boolean {
  return plan.predicted.rows.some((row) => MEASURES[measure].of(row) !== null);
}
