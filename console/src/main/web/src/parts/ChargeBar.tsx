import { percent } from '../format/number.ts';

/** How far the charge has come towards the threshold. */
export function ChargeBar(props: { charge: number; threshold: number }) {
  const part = props.threshold > 0 ? props.charge / props.threshold : 0;
  const text = percent(part, 0);
  return (
    <span class="charge" role="img" aria-label={'Charge at ' + text + ' of the threshold'}>
      <span class="charge-track">
        <i class={part >= 1 ? 'full' : ''} style={{ width: Math.min(100, part * 100) + '%' }} />
      </span>
      <span class="charge-text">{text}</span>
    </span>
  );
}
