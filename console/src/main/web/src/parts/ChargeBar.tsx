import { NONE, percent } from '../format/number.ts';
import type { Grounds } from '../api/types.ts';
import { Num } from './parts.tsx';

const BASE = 'decision.grounds.charge.';
/** How far the charge has come towards the threshold, as a formula. */
export const CHARGED = BASE + 'sampleSeconds / ' + BASE + 'thresholdSampleSeconds';

/** How far the charge has come towards the threshold. */
export function ChargeBar(props: { charge: Grounds['charge']; of: string }) {
  const { sampleSeconds, thresholdSampleSeconds } = props.charge;
  const known = thresholdSampleSeconds > 0;
  const part = known ? sampleSeconds / thresholdSampleSeconds : 0;
  const words = known ? 'Charge at ' + charged(part) + ' of the threshold' : 'The rule has no threshold';
  return (
    <span class="charge" role="img" aria-label={words} title={words}>
      <span class="charge-track">
        <i class={part >= 1 ? 'full' : ''} style={{ width: Math.min(100, part * 100) + '%' }} />
      </span>
      <span class="charge-text">
        {known ? <Num value={part} format={charged} formula={CHARGED} of={props.of} /> : NONE}
      </span>
    </span>
  );
}

export function charged(part: number | null | undefined): string {
  return percent(part, 0);
}
