import { Card, Num, Quiet, TableBox } from '../parts/parts.tsx';
import { count, percent } from '../format/number.ts';
import type { ClassQuality } from '../api/types.ts';

const LATELY = 1_000;

/** Recall and precision of each class, lately and since the stream began. */
export function ByClass({ classes, of }: { classes: ClassQuality[]; of: string }) {
  const base = 'prequential.classification.byClass.';
  const quotient = (index: number, part: keyof ClassQuality, whole: keyof ClassQuality) =>
    base + index + '.' + part + ' / ' + base + index + '.' + whole;
  return (
    <Card title="By class" id="by-class">
      {classes.length === 0 ? (
        <Quiet>Nothing is known of single classes.</Quiet>
      ) : (
        <TableBox label="Recall and precision of each class" class="short-table">
          <thead>
            <tr>
              <th scope="col" rowSpan={2}>
                Class
              </th>
              <th scope="colgroup" colSpan={3}>
                {'Last ' + count(LATELY) + ' samples'}
              </th>
              <th scope="colgroup" colSpan={3}>
                All samples
              </th>
            </tr>
            <tr>
              <Heads />
              <Heads />
            </tr>
          </thead>
          <tbody>
            {classes.map((each, index) => (
              <tr key={each.name}>
                <th scope="row">{each.name}</th>
                <td>
                  <Num value={each.recentSamples} path={base + index + '.recentSamples'} of={of} />
                </td>
                <td>
                  <Num
                    value={share(each.recentCorrect, each.recentSamples)}
                    format={percent}
                    formula={quotient(index, 'recentCorrect', 'recentSamples')}
                    of={of}
                  />
                </td>
                <td>
                  <Num
                    value={share(each.recentCorrect, each.recentPredicted)}
                    format={percent}
                    formula={quotient(index, 'recentCorrect', 'recentPredicted')}
                    of={of}
                  />
                </td>
                <td>
                  <Num value={each.samples} path={base + index + '.samples'} of={of} />
                </td>
                <td>
                  <Num
                    value={share(each.correct, each.samples)}
                    format={percent}
                    formula={quotient(index, 'correct', 'samples')}
                    of={of}
                  />
                </td>
                <td>
                  <Num
                    value={share(each.correct, each.predicted)}
                    format={percent}
                    formula={quotient(index, 'correct', 'predicted')}
                    of={of}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </TableBox>
      )}
      <p class="quiet-line">
        Recall: of the samples of a class, the share that was predicted as such. Precision: of the samples predicted as
        a class, the share that was one.
      </p>
    </Card>
  );
}

function Heads() {
  return (
    <>
      <th scope="col">Samples</th>
      <th scope="col">Recall</th>
      <th scope="col">Precision</th>
    </>
  );
}

/** Nothing where there is nothing to have a share of. */
export function share(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined;
}
