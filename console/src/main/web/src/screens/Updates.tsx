import { useState } from 'preact/hooks';
import { SPANS, type Span, type View, spanStart } from './view.ts';
import { Chart } from '../charts/Chart.tsx';
import { firstAtOrAfter, plain, quantile } from '../charts/window.ts';
import { count, counted, money, percent, sampleSeconds, short } from '../format/number.ts';
import { clockMillis, duration } from '../format/time.ts';
import { Card, Num, Quiet, Segments, Sign, TableBox } from '../parts/parts.tsx';
import { type Phases, phases } from '../store/phases.ts';
import { Timeline } from './Timeline.tsx';
import { type Money, laneOf, moneyFormula, moneyOf } from '../store/timeline.ts';
import type { Updates as UpdateLog } from '../store/updates.ts';
import type { UpdateNumber } from '../store/paths.ts';
import type { Application, UpdateState } from '../api/types.ts';
import type { Severity } from '../store/verdicts.ts';

const PAGE = 25;

const STATE_WORDS: Record<UpdateState, [Severity, string]> = {
  fired: ['quiet', 'Training'],
  staged: ['quiet', 'Staged'],
  published: ['good', 'Published'],
  held: ['warn', 'Held'],
  aborted: ['warn', 'Aborted'],
  'training-failed': ['bad', 'Failed'],
};

export function Updates({ learner, application, nowMillis }: View) {
  const { updates } = learner;
  const of = learner.key;
  const [upTo, setUpTo] = useState<number | null>(null);
  const [chosen, setChosen] = useState<number[]>([]);
  const [span, setSpan] = useState<Span>('5m');
  if (updates.length === 0) {
    return <Quiet>No update has fired yet. The first one begins when the first samples have waited long enough.</Quiet>;
  }
  const found = upTo === null ? -1 : updates.find(upTo);
  const last = found < 0 ? updates.length - 1 : found;
  const first = Math.max(0, last - PAGE + 1);
  const rows: number[] = [];
  for (let position = last; position >= first; position--) {
    rows.push(position);
  }
  const priced = moneyOf(updates, last, application) !== null;
  const timed = rows.map((position) => phases(updates, position));
  const longest = scaleOf(timed.map(total));
  const number = (position: number) => updates.value(position, 'number');
  const choose = (which: number) => {
    if (upTo === null) {
      setUpTo(number(last));
    }
    setChosen((before) =>
      before.includes(which) ? before.filter((each) => each !== which) : [...before.slice(-1), which],
    );
  };
  return (
    <>
      <UpdateCharts updates={updates} span={span} setSpan={setSpan} nowMillis={nowMillis} />
      <Card
        title="Updates"
        id="updates"
        aside={
          <div class="pager">
            <button type="button" disabled={first === 0} onClick={() => setUpTo(number(first) - 1)}>
              Older
            </button>
            <button
              type="button"
              disabled={upTo === null}
              onClick={() => {
                const newer = last + PAGE;
                setUpTo(newer >= updates.length - 1 ? null : number(newer));
              }}
            >
              Newer
            </button>
            <button
              type="button"
              aria-pressed={upTo === null}
              onClick={() => setUpTo(upTo === null ? number(last) : null)}
            >
              {upTo === null ? 'Following the newest' : 'Follow the newest'}
            </button>
          </div>
        }
      >
        <p class="quiet-line phase-legend">
          <i class="key phase-waiting" /> waiting (mean of its samples) <i class="key phase-training" /> training{' '}
          <i class="key phase-publishing" /> publishing, with the wait of the release gate. A full bar is{' '}
          {duration(longest)}. Mark two updates to compare them.
        </p>
        <Timeline lanes={rows.map((position) => laneOf(updates, position, nowMillis))} most={PAGE} />
        <TableBox label="Updates, newest first" class="updates">
          <thead>
            <tr>
              <th scope="col">Compare</th>
              <th scope="col">Update</th>
              <th scope="col">Fired</th>
              <th scope="col" class="wide">
                Waiting, training, publishing
              </th>
              <th scope="col">Samples</th>
              <th scope="col">Loss</th>
              <th scope="col">Training</th>
              {priced && <th scope="col">Money</th>}
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((position, index) => (
              <UpdateRow
                key={number(position)}
                updates={updates}
                position={position}
                times={timed[index] as Phases}
                money={moneyOf(updates, position, application)}
                longest={longest}
                of={of}
                chosen={chosen.includes(number(position))}
                choose={() => choose(number(position))}
              />
            ))}
          </tbody>
        </TableBox>
        <Quiet>
          <Num value={learner.status.progress.updates} path="progress.updates" of={of} /> updates were accepted in all;
          the page has the newest {count(updates.length)}. {pricesWords(application)}
        </Quiet>
      </Card>
      <Comparison updates={updates} application={application} chosen={chosen} of={of} />
    </>
  );
}

function pricesWords(application: Application | undefined): string {
  const machine = application?.machinePricePerSecond;
  const staleness = application?.stalenessPricePerSampleSecond;
  return typeof machine === 'number' && typeof staleness === 'number'
    ? "Money is in the unit of the application's prices: " +
        money(machine) +
        ' per machine second, ' +
        money(staleness) +
        ' per sample-second of waiting.'
    : 'The application names no prices in money.';
}

/** Seconds that a full bar stands for: most updates fit, a few outliers are cut off. */
export function scaleOf(totals: number[]): number {
  const sorted = [...totals].sort((a, b) => a - b);
  const longest = sorted[sorted.length - 1] ?? 0;
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return Math.max(1e-6, Math.min(longest, 3 * middle || longest));
}

function total(times: Phases): number {
  return (times.waiting ?? 0) + (times.training ?? 0) + (times.publishing ?? 0);
}

function UpdateRow(props: {
  updates: UpdateLog;
  position: number;
  times: Phases;
  money: Money | null;
  longest: number;
  of: string;
  chosen: boolean;
  choose: () => void;
}) {
  const { updates, position, times, longest, of } = props;
  const number = updates.value(position, 'number');
  const value = (name: UpdateNumber) => updates.value(position, name);
  const path = (name: string) => 'updates.' + number + '.' + name;
  const [severity, word] = STATE_WORDS[updates.state(position)];
  const part = (seconds: number | null) => ((seconds ?? 0) / longest) * 100 + '%';
  const words =
    'waiting ' +
    duration(times.waiting) +
    ' on average' +
    ', training ' +
    duration(times.training) +
    ', publishing ' +
    duration(times.publishing);
  return (
    <tr class={props.chosen ? 'chosen' : ''}>
      <td>
        <input
          type="checkbox"
          checked={props.chosen}
          onChange={props.choose}
          aria-label={'Compare update ' + count(number)}
        />
      </td>
      <th scope="row">
        <Num value={number} path={path('number')} of={of} />
      </th>
      <td>{clockMillis(value('firing.atMillis'))}</td>
      <td class="wide">
        <span
          class={'phases' + (total(times) > longest * 1.001 ? ' cut' : '')}
          role="img"
          aria-label={words}
          title={words + '\n' + updates.reason(position)}
        >
          <i class="phase-waiting" style={{ width: part(times.waiting) }} />
          <i class="phase-training" style={{ width: part(times.training) }} />
          <i class="phase-publishing" style={{ width: part(times.publishing) }} />
        </span>
        <span class="phases-total">{duration(total(times))}</span>
      </td>
      <td>
        <Num value={value('firing.newSamples')} path={path('firing.newSamples')} of={of} /> +{' '}
        <Num value={value('firing.replayedSamples')} path={path('firing.replayedSamples')} of={of} />
      </td>
      <td>
        <Num value={value('training.meanLossBefore')} format={short} path={path('training.meanLossBefore')} of={of} />{' '}
        {'\u2192'}{' '}
        <Num value={value('training.meanLossAfter')} format={short} path={path('training.meanLossAfter')} of={of} />
      </td>
      <td>
        <Num value={value('training.seconds')} format={duration} path={path('training.seconds')} of={of} />
        <small>
          predicted{' '}
          <Num
            value={value('firing.grounds.predicted.mean')}
            format={duration}
            path={path('firing.grounds.predicted.mean')}
            of={of}
          />
        </small>
      </td>
      {props.money && (
        <td>
          <Num value={props.money.training} format={money} formula={moneyFormula(number, 'training')} of={of} />
          <small>
            wait <Num value={props.money.waiting} format={money} formula={moneyFormula(number, 'waiting')} of={of} />
          </small>
        </td>
      )}
      <td>
        <span title={updates.message(position)}>
          <Sign severity={severity} word={word} />
        </span>
        {Number.isFinite(value('published.version')) && (
          <small>
            v<Num value={value('published.version')} path={path('published.version')} of={of} />
          </small>
        )}
      </td>
    </tr>
  );
}

function UpdateCharts(props: { updates: UpdateLog; span: Span; setSpan: (span: Span) => void; nowMillis: number }) {
  const { updates, span, nowMillis } = props;
  const from = firstAtOrAfter(updates.column('firing.atMillis'), spanStart(span, nowMillis));
  const times = [...updates.column('firing.atMillis').subarray(from)];
  const real = plain(updates.column('training.seconds'), from);
  const mean = plain(updates.column('firing.grounds.predicted.mean'), from);
  const low = plain(updates.column('firing.grounds.predicted.low'), from);
  const high = plain(updates.column('firing.grounds.predicted.high'), from);
  const before = plain(updates.column('training.meanLossBefore'), from);
  const after = plain(updates.column('training.meanLossAfter'), from);
  const inside = covered(real, low, high);
  const last = newestTrained(updates);
  const top = cutAbove([...real, ...mean]);
  return (
    <Card
      title="What updates cost and brought"
      id="cost"
      aside={<Segments label="Span of time" value={span} options={SPANS} change={props.setSpan} />}
    >
      <div class="columns two">
        <Chart
          title="Seconds of training, predicted and real"
          summary={
            'Newest: ' +
            duration(updates.value(last, 'training.seconds')) +
            ', predicted ' +
            duration(updates.value(last, 'firing.grounds.predicted.mean')) +
            '. ' +
            (inside === null
              ? ''
              : percent(inside, 0) + ' of ' + counted(times.length, 'training') + ' were inside the 95 % interval.') +
            (top === undefined ? '' : ' Values above ' + duration(top) + ' are cut off.')
          }
          times={times}
          series={[
            {
              label: '95 % interval',
              color: 'band',
              values: high,
              width: 0.01,
              legend: (row) => duration(low[row]) + ' to ' + duration(high[row]),
            },
            { label: 'low', color: 'band', values: low, width: 0.01, legend: () => '' },
            { label: 'predicted', color: 'quiet', values: mean, width: 1.5 },
            {
              label: 'real',
              color: 'accent',
              values: real.map((value) => (value !== null && top !== undefined && value > top ? null : value)),
              points: true,
            },
          ]}
          bands={[{ upper: 0, lower: 1, color: 'band' }]}
          include={[0]}
          top={top}
          format={duration}
          height={220}
        />
        <Chart
          title="Mean loss of the trained samples"
          summary={
            'Newest: ' +
            short(updates.value(last, 'training.meanLossBefore')) +
            ' before the training, ' +
            short(updates.value(last, 'training.meanLossAfter')) +
            ' after it.'
          }
          times={times}
          series={[
            { label: 'before', color: 'quiet', values: before, width: 1.5 },
            { label: 'after', color: 'accent', values: after, width: 1.5 },
          ]}
          format={short}
          height={220}
        />
      </div>
    </Card>
  );
}

/** Position of the newest update that was trained, or the newest at all. */
function newestTrained(updates: UpdateLog): number {
  let position = updates.length - 1;
  while (position > 0 && !Number.isFinite(updates.value(position, 'training.seconds'))) {
    position--;
  }
  return position;
}

/** Where to cut a chart that a few outliers would flatten; undefined if there are none. */
function cutAbove(values: (number | null)[]): number | undefined {
  const usual = quantile(values, 0.98);
  const longest = quantile(values, 1);
  return usual !== undefined && longest !== undefined && longest > 3 * usual ? 1.5 * usual : undefined;
}

/** Share of the real values that are inside their interval. */
function covered(real: (number | null)[], low: (number | null)[], high: (number | null)[]): number | null {
  let known = 0;
  let inside = 0;
  real.forEach((value, index) => {
    const bottom = low[index];
    const top = high[index];
    if (value !== null && typeof bottom === 'number' && typeof top === 'number') {
      known++;
      inside += Number(value >= bottom && value <= top);
    }
  });
  return known === 0 ? null : inside / known;
}

const COMPARED: [string, UpdateNumber, (value: number | null | undefined) => string][] = [
  ['New samples', 'firing.newSamples', count],
  ['Replayed samples', 'firing.replayedSamples', count],
  ['Charge when it fired', 'firing.grounds.charge.sampleSeconds', sampleSeconds],
  ['Threshold', 'firing.grounds.charge.thresholdSampleSeconds', sampleSeconds],
  ['Predicted training', 'firing.grounds.predicted.mean', duration],
  ['Real training', 'training.seconds', duration],
  ['Epsilon', 'firing.grounds.basis.costs.fixedSeconds', duration],
  ['Lambda', 'firing.grounds.basis.costs.secondsPerSample', duration],
  ['Urgency', 'firing.grounds.basis.urgency', short],
  ['Certified ratio', 'firing.grounds.guarantee.certifiedRatio', short],
  ['Parent version', 'training.parentVersion', count],
  ['Loss before', 'training.meanLossBefore', short],
  ['Loss after', 'training.meanLossAfter', short],
  ['Published version', 'published.version', count],
];

const MONEY_ROWS: [string, keyof Money][] = [
  ['Waiting, in money', 'waiting'],
  ['Training, in money', 'training'],
];

function Comparison(props: { updates: UpdateLog; application: Application | undefined; chosen: number[]; of: string }) {
  const { updates, application, of } = props;
  const positions = [...props.chosen]
    .sort((a, b) => a - b)
    .map((number) => updates.find(number))
    .filter((position) => position >= 0);
  const [left, right] = positions;
  if (left === undefined || right === undefined) {
    return (
      <Card title="Two updates side by side" id="comparison">
        <Quiet>
          {left === undefined ? 'Mark two updates in the table above.' : 'Mark one more update in the table above.'}
        </Quiet>
      </Card>
    );
  }
  const numbers = [left, right].map((position) => updates.value(position, 'number'));
  const paid = [left, right].map((position) => moneyOf(updates, position, application));
  return (
    <Card title="Two updates side by side" id="comparison">
      <TableBox label="Two updates side by side">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Update {count(numbers[0])}</th>
            <th scope="col">Update {count(numbers[1])}</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {COMPARED.map(([word, name, format]) => {
            const values = [left, right].map((position) => updates.value(position, name)) as [number, number];
            const change = values[1] - values[0];
            return (
              <tr key={name}>
                <th scope="row">{word}</th>
                {values.map((value, index) => (
                  <td key={index}>
                    <Num value={value} format={format} path={'updates.' + numbers[index] + '.' + name} of={of} />
                  </td>
                ))}
                <td>{Number.isFinite(change) ? (change > 0 ? '+' : '') + format(change) : ''}</td>
              </tr>
            );
          })}
          {MONEY_ROWS.map(([word, which]) => {
            const [before, after] = paid.map((each) => each?.[which] ?? null);
            return paid[0] === null ? null : (
              <tr key={which}>
                <th scope="row">{word}</th>
                <td>
                  <Num value={before} format={money} formula={moneyFormula(numbers[0], which)} of={of} />
                </td>
                <td>
                  <Num value={after} format={money} formula={moneyFormula(numbers[1], which)} of={of} />
                </td>
                <td>
                  {typeof before === 'number' && typeof after === 'number'
                    ? (after > before ? '+' : '') + money(after - before)
                    : ''}
                </td>
              </tr>
            );
          })}
          <tr>
            <th scope="row">State</th>
            <td>{STATE_WORDS[updates.state(left)][1]}</td>
            <td>{STATE_WORDS[updates.state(right)][1]}</td>
            <td />
          </tr>
          <tr class="prose-row">
            <th scope="row">Reason</th>
            <td>{updates.reason(left)}</td>
            <td>{updates.reason(right)}</td>
            <td />
          </tr>
        </tbody>
      </TableBox>
    </Card>
  );
}
