import { Card, Num, Quiet, TableBox } from '../parts/parts.tsx';
import { count, decimals, percent, short } from '../format/number.ts';
import type { CalibrationBin, Classification, Regression } from '../api/types.ts';
import { type Samples, named } from '../store/quality.ts';
import { CalibrationCurve } from './CalibrationCurve.tsx';

type Format = (value: number | null | undefined) => string;

/** A line of the table: paths below the part of the status, of the model and of references. */
interface Line {
  label: string;
  format: Format;
  model: (samples: Samples) => string;
  references?: (samples: Samples) => string[];
}

const LATELY = 1_000;
const plain: Format = (value) => decimals(value, 3);
const further = (samples: Samples) => (samples === 'all' ? 'metrics.' : 'recent.');
const line = (label: string, format: Format, name: string): Line => ({
  label,
  format,
  model: (samples) => further(samples) + name,
});
const ofLabels = (label: string, format: Format, name: string): Line => ({
  label,
  format,
  model: (samples) => further(samples) + 'model.' + name,
  references: (samples) => [further(samples) + 'noChange.' + name, further(samples) + 'majority.' + name],
});
const besides = (label: string, format: Format, name: string, references: string[]): Line => ({
  label,
  format,
  model: (samples) => named(name, samples),
  references: (samples) => references.map((each) => named(each, samples)),
});

const OF_CLASSES: Line[] = [
  besides('Accuracy', percent, 'accuracy', ['noChangeAccuracy', 'majorityAccuracy']),
  ofLabels('Balanced accuracy', percent, 'balancedAccuracy'),
  ofLabels('F1, mean of classes', percent, 'f1'),
  ofLabels('F1 of the second class', percent, 'positiveF1'),
  ofLabels('Kappa', plain, 'kappa'),
  line('Kappa-M', plain, 'kappaM'),
  line('Kappa-temporal', plain, 'kappaTemporal'),
  besides('Log loss', short, 'logLoss', []),
  line('Log loss of the base rate', short, 'baseRateLogLoss'),
  line('Normalized entropy', plain, 'normalizedEntropy'),
  line('AUC', plain, 'auc'),
  line('AUC, largest error', short, 'aucError'),
  line('Expected for each that came', plain, 'calibration'),
  line('Among the 3 most probable', percent, 'top3'),
  line('Among the 5 most probable', percent, 'top5'),
];

const noChange = (label: string, name: string, reference: string): Line => ({
  ...line(label, short, name),
  references: (samples) => [further(samples) + reference],
});
const OF_TARGETS: Line[] = [
  besides('Mean absolute error', short, 'meanAbsoluteError', ['noChangeMeanAbsoluteError']),
  {
    ...besides('Root mean squared error', short, 'rootMeanSquaredError', []),
    references: (samples) => [further(samples) + 'noChangeRootMeanSquaredError'],
  },
  line('MASE', plain, 'mase'),
  line('R2', plain, 'rSquared'),
  line('Deviation of the label', short, 'deviation'),
  noChange('Quantile loss, one tenth', 'quantileLoss10', 'noChangeQuantileLoss10'),
  noChange('Quantile loss, nine tenths', 'quantileLoss90', 'noChangeQuantileLoss90'),
  line('Quantile that the model predicts', plain, 'quantile.level'),
  noChange('Loss of that quantile', 'quantile.loss', 'quantile.noChangeLoss'),
];

/** All metrics of a model, beside those of rules that need none, and its calibration. */
export function Metrics(props: {
  classification: Classification | undefined;
  regression: Regression | undefined;
  of: string;
}) {
  const { classification, regression, of } = props;
  const lines = classification ? OF_CLASSES : OF_TARGETS;
  const root = classification ?? regression;
  const base = 'prequential.' + (classification ? 'classification.' : 'regression.');
  const references = classification ? ['No-change', 'Majority'] : ['No-change'];
  if (!root) {
    return null;
  }
  const cell = (path: string, format: Format) => (
    <td key={path}>
      <Num value={valueAt(root, path)} format={format} path={base + path} of={of} />
    </td>
  );
  const cells = ({ model, format, references: others }: Line, samples: Samples) => {
    const paths = others?.(samples) ?? [];
    return [
      cell(model(samples), format),
      ...paths.map((path) => cell(path, format)),
      ...references.slice(paths.length).map((name) => <td key={samples + name} />),
    ];
  };
  const defined = lines.filter(
    (each) => valueAt(root, each.model('all')) !== undefined || valueAt(root, each.model('recent')) !== undefined,
  );
  return (
    <>
      <Card title="Metrics" id="metrics">
        <TableBox label="Metrics of the model and of rules that need none" class="short-table">
          <thead>
            <tr>
              <th scope="col" rowSpan={2}>
                Metric
              </th>
              <th scope="colgroup" colSpan={1 + references.length}>
                {'Last ' + count(LATELY) + ' samples'}
              </th>
              <th scope="colgroup" colSpan={1 + references.length}>
                All samples
              </th>
            </tr>
            <tr>
              {[0, 1].flatMap((group) =>
                ['Model', ...references].map((name) => (
                  <th scope="col" key={group + name}>
                    {name}
                  </th>
                )),
              )}
            </tr>
          </thead>
          <tbody>
            {defined.map((each) => (
              <tr key={each.label}>
                <th scope="row">{each.label}</th>
                {cells(each, 'recent')}
                {cells(each, 'all')}
              </tr>
            ))}
          </tbody>
        </TableBox>
      </Card>
      {classification && <Calibration curve={classification.calibration} of={of} />}
    </>
  );
}

function Calibration({ curve, of }: { curve: CalibrationBin[]; of: string }) {
  const base = 'prequential.classification.calibration.';
  return (
    <Card title="Calibration" id="calibration">
      {curve.length === 0 ? (
        <Quiet>Nothing is known of predicted probabilities.</Quiet>
      ) : (
        <>
          <CalibrationCurve curve={curve} />
          <TableBox label="Predicted probabilities and what came of them" class="short-table">
            <thead>
              <tr>
                <th scope="col">Samples</th>
                <th scope="col">Predicted</th>
                <th scope="col">Actual</th>
              </tr>
            </thead>
            <tbody>
              {curve.map((bin, index) => (
                <tr key={index}>
                  <td>
                    <Num value={bin.samples} path={base + index + '.samples'} of={of} />
                  </td>
                  <td>
                    <Num value={bin.predicted} format={percent} path={base + index + '.predicted'} of={of} />
                  </td>
                  <td>
                    <Num value={bin.actual} format={percent} path={base + index + '.actual'} of={of} />
                  </td>
                </tr>
              ))}
            </tbody>
          </TableBox>
        </>
      )}
    </Card>
  );
}

/** The number at a path; undefined if there is none. */
function valueAt(root: object, path: string): number | undefined {
  let value: unknown = root;
  for (const part of path.split('.')) {
    value = (value as Record<string, unknown> | undefined | null)?.[part];
  }
  return typeof value === 'number' ? value : undefined;
}
