import type { CalibrationBin } from '../api/types.ts';

const SIZE = 240;
const MARGIN = 8;

/**
 * The actual shares over the predicted probabilities, and the line on which both are equal. Both axes go from 0 to the
 * largest value, so that rare outcomes fill the picture too. The table beside it has the numbers.
 */
export function CalibrationCurve({ curve }: { curve: CalibrationBin[] }) {
  const most = Math.max(...curve.flatMap(({ predicted, actual }) => [predicted, actual]), Number.MIN_VALUE);
  const x = (share: number) => MARGIN + (share / most) * (SIZE - 2 * MARGIN);
  const y = (share: number) => SIZE - x(share);
  return (
    <svg
      class="calibration-curve"
      viewBox={'0 0 ' + SIZE + ' ' + SIZE}
      role="img"
      aria-label="Actual shares over predicted probabilities, beside the line on which they are equal"
    >
      <line class="equal" x1={x(0)} y1={y(0)} x2={x(most)} y2={y(most)} />
      <polyline class="curve" points={curve.map((bin) => x(bin.predicted) + ',' + y(bin.actual)).join(' ')} />
      {curve.map((bin, index) => (
        <circle key={index} cx={x(bin.predicted)} cy={y(bin.actual)} r={3} />
      ))}
    </svg>
  );
}
