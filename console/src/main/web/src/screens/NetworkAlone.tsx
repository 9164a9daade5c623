import type { ExpertQuality } from '../api/types.ts';
import { percent, short } from '../format/number.ts';
import { Card, Figures } from '../parts/parts.tsx';

/** What the network is worth without the references that are served with it. */
export function NetworkAlone({ network, of }: { network: ExpertQuality | undefined; of: string }) {
  if (network === undefined) {
    return null;
  }
  return (
    <Card title="The network without its references" id="network">
      <Figures
        of={of}
        figures={[
          { label: 'Weight in the prediction', path: 'network.weight', value: network.weight, format: percent },
          { label: 'Accuracy', path: 'network.accuracy', value: network.accuracy, format: percent },
          {
            label: 'Mean absolute error',
            path: 'network.meanAbsoluteError',
            value: network.meanAbsoluteError,
            format: short,
          },
          {
            label: network.accuracy === undefined ? 'Mean squared error' : 'Log loss',
            path: 'network.meanLoss',
            value: network.meanLoss,
            format: short,
          },
          { label: 'Tested samples, by weight', path: 'network.samples', value: network.samples },
        ]}
      />
    </Card>
  );
}
