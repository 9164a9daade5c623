import type { LastLabel } from '../api/types.ts';
import { percent, short } from '../format/number.ts';
import { Card, Num, TableBox } from '../parts/parts.tsx';

/** How well the last label of a key would predict, where the application keeps no history. */
export function LastLabels({ lastLabels, of }: { lastLabels: LastLabel[] | undefined; of: string }) {
  if (lastLabels === undefined || lastLabels.length === 0) {
    return null;
  }
  const classes = lastLabels.some((each) => each.accuracy !== undefined);
  return (
    <Card title="Repeating the last label" id="last-labels">
      <p class="quiet-line">
        A history of keys gives the last label to the model as context: <code>history</code> in the application file.
      </p>
      <TableBox label="How well the last label of each key predicts" class="short-table">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">{classes ? 'Accuracy' : 'Mean absolute error'}</th>
            <th scope="col">Labels</th>
          </tr>
        </thead>
        <tbody>
          {lastLabels.map((each, index) => (
            <tr key={each.field}>
              <th scope="row">{each.field === '' ? 'one key for all events' : each.field}</th>
              <td>
                {classes ? (
                  <Num value={each.accuracy} format={percent} path={'lastLabels.' + index + '.accuracy'} of={of} />
                ) : (
                  <Num
                    value={each.meanAbsoluteError}
                    format={short}
                    path={'lastLabels.' + index + '.meanAbsoluteError'}
                    of={of}
                  />
                )}
              </td>
              <td>
                <Num value={each.samples} path={'lastLabels.' + index + '.samples'} of={of} />
              </td>
            </tr>
          ))}
        </tbody>
      </TableBox>
    </Card>
  );
}
