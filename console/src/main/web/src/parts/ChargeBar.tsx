import { NONE, percent } from '../format/number.ts';

/** How far the charge has come towards the threshold. */
export function ChargeBar(props: { charge: number; threshold: number }) {
  const part = props.threshold > 0 ? props.charge / props.threshold : 0;
  const text = props.threshold > 0 ? percent(part, 0) : NONE;
  const words = props.threshold > 0 ? 'Charge at ' + text + ' of the threshold' : 'The rule has no threshold';
  return (
    <span class="charge" role="img" aria-label={words} title={words}>
      <span class="charge-track">
        <i class={part >= 1 ? 'full' : ''} style={{ width: Math.min(100, part * 100) + '%' }} />
      </span>
      <span class="charge-text">{text}</span>
    </span>
  );
}
