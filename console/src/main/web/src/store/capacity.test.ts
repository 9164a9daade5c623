import { describe, expect, it } from 'vitest';
import type { CapacityPlan, CapacityRow } from '../api/types.ts';
import { MEASURES, curvesOf, drawable } from './capacity.ts';

function row(fastBytes: number, device: string | null, seconds: number | null, monthPrice: number | null): CapacityRow {
  return {
    fastBytes,
    device,
    stepSeconds: seconds === null ? {} : { auto: seconds },
    bestSeconds: seconds,
    boundSeconds: null,
    update: null,
    monthPrice,
    note: seconds === null ? 'its tensors find no place' : '',
  };
}

/** Two budgets with two devices each, and all in fast memory. */
const ROWS = [
  row(100, 'ssd', 4, 1),
  row(100, 'nvme', 3, 2),
  row(200, 'ssd', 2, null),
  row(200, 'nvme', null, 3),
  row(400, null, 1, 5),
];

function plan(rows: CapacityRow[]): CapacityPlan {
  return { predicted: { rows } } as unknown as CapacityPlan;
}

describe('the curves of a plan', () => {
  it('are one for each device, and one where no device is needed', () => {
    const { budgets, curves } = curvesOf(plan(ROWS), false);
    expect(budgets).toEqual([100, 200, 400]);
    expect(curves).toEqual([
      { device: 'nvme', rows: [1, 3, null] },
      { device: 'ssd', rows: [0, 2, null] },
      { device: null, rows: [null, null, 4] },
    ]);
  });

  it('meet where everything is in fast memory, if they are joined', () => {
    const { curves } = curvesOf(plan(ROWS), true);
    expect(curves.map((curve) => curve.rows[2])).toEqual([4, 4, 4]);
  });

  it('are one point for a network that needs no slow memory', () => {
    expect(curvesOf(plan([row(400, null, 1, 5)]), true)).toEqual({
      budgets: [400],
      curves: [{ device: null, rows: [0] }],
    });
  });

  it('have no value where tensors find no place, and none of updates that do not keep up', () => {
    expect(MEASURES.step.of(ROWS[3] as CapacityRow)).toBeNull();
    const late = { ...(ROWS[0] as CapacityRow), update: { keepsUp: false, seconds: null } } as unknown as CapacityRow;
    expect(MEASURES.update.of(late)).toBeNull();
    expect(drawable(plan(ROWS), 'month')).toBe(true);
    expect(drawable(plan([late]), 'update')).toBe(false);
  });
});
