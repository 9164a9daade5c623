import type { HistoryUse } from '../api/types.ts';
import { percent, short } from '../format/number.ts';
import { Card, Figures, Num } from '../parts/parts.tsx';

/** The histories of keys, and what the model is worth where they are not known. */
export function WithoutContext({ history, of }: { history: HistoryUse | undefined; of: string }) {
  if (history === undefined) {
    return null;
  }
  const { classification, regression } = history;
  const classes = 'history.classification.';
  const targets = 'history.regression.';
  return (
    <Card title="Without the history of the key" id="history">
      <Figures
        of={of}
        figures={[
          {
            label: 'Accuracy, last 1,000',
            path: classes + 'recentAccuracy',
            value: classification?.recentAccuracy,
            format: percent,
          },
          { label: 'Accuracy, all', path: classes + 'accuracy', value: classification?.accuracy, format: percent },
          { label: 'Log loss', path: classes + 'logLoss', value: classification?.logLoss, format: short, unit: 'nats' },
          {
            label: 'Mean absolute error, last 1,000',
            path: targets + 'recentMeanAbsoluteError',
            value: regression?.recentMeanAbsoluteError,
            format: short,
          },
          {
            label: 'Mean absolute error, all',
            path: targets + 'meanAbsoluteError',
            value: regression?.meanAbsoluteError,
            format: short,
          },
          {
            label: 'Keys',
            path: 'history.keys',
            value: history.keys,
            note: (
              <>
                <Num value={history.evictedKeys} path="history.evictedKeys" of={of} /> left
              </>
            ),
          },
        ]}
      />
    </Card>
  );
}
