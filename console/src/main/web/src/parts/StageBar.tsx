import { count, percent, share } from '../format/number.ts';
import type { Status } from '../api/types.ts';

export const STAGE_WORDS = [
  { key: 'newborn', name: 'Newborn' },
  { key: 'mature', name: 'Mature' },
  { key: 'preserve', name: 'Preserve' },
  { key: 'discard', name: 'Discard' },
] as const;

/** The four life stages as one thin stacked bar. */
export function StageBar(props: { stages: Status['stages'] }) {
  const { stages } = props;
  const all = stages.newborn + stages.mature + stages.preserve + stages.discard;
  const words = STAGE_WORDS.map(
    ({ key, name }) => name + ' ' + count(stages[key]) + ' (' + percent(share(stages[key], all), 0) + ')',
  );
  return (
    <span class="stage-bar" role="img" aria-label={'Life stages: ' + words.join(', ')} title={words.join('\n')}>
      {STAGE_WORDS.map(({ key }) => (
        <i key={key} style={{ flexGrow: stages[key], background: 'var(--' + key + ')' }} />
      ))}
    </span>
  );
}
