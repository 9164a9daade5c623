import type { History } from '../api/types.ts';
import { percent, short } from '../format/number.ts';
import { Card, Num, Stat, Stats } from '../parts/parts.tsx';

/** The histories of keys, and what the model is worth where they are not known. */
export function WithoutContext({ history, of }: { history: History | undefined; of: string }) {
  if (history === undefined) {
    return null;
  }
  const { classification, regression } = history;
  return (
    <Card title="Without the history of the key" id="history">
      <Stats>
        {classification && (
          <>
            <Stat label="Accuracy, last 1,000">
              <Num
                value={classification.recentAccuracy}
                format={percent}
                path="history.classification.recentAccuracy"
                of={of}
              />
            </Stat>
            <Stat label="Accuracy, all">
              <Num value={classification.accuracy} format={percent} path="history.classification.accuracy" of={of} />
            </Stat>
            <Stat label="Log loss">
              <Num value={classification.logLoss} format={short} path="history.classification.logLoss" of={of} /> nats
            </Stat>
          </>
        )}
        {regression && (
          <>
            <Stat label="Mean absolute error, last 1,000">
              <Num
                value={regression.recentMeanAbsoluteError}
                format={short}
                path="history.regression.recentMeanAbsoluteError"
                of={of}
              />
            </Stat>
            <Stat label="Mean absolute error, all">
              <Num
                value={regression.meanAbsoluteError}
                format={short}
                path="history.regression.meanAbsoluteError"
                of={of}
              />
            </Stat>
          </>
        )}
        <Stat
          label="Keys"
          note={
            <>
              <Num value={history.evictedKeys} path="history.evictedKeys" of={of} /> left
            </>
          }
        >
          <Num value={history.keys} path="history.keys" of={of} />
        </Stat>
      </Stats>
    </Card>
  );
}
