import { useState } from 'preact/hooks';
import { SPANS, type Span, type View, spanStart } from './view.ts';
import { Chart } from '../charts/Chart.tsx';
import { ofUpdates } from '../charts/sources.ts';
import { firstAtOrAfter, plain, quantile } from '../charts/window.ts';
import { count, money, percent, sampleSeconds, short } from '../format/number.ts';
import { clockMillis, duration } from '../format/time.ts';
import { Card, Num, Quiet, Segments, Sign, Stat, Stats, TableBox, TextWithNumbers } from '../parts/parts.tsx';
import { type Phases, phases, total, totalFormula } from '../store/phases.ts';
import { Timeline } from './Timeline.tsx';
import { type Money, laneOf, moneyFormula, moneyOf } from '../store/timeline.ts';
import type { Updates as UpdateLog } from '../store/updates.ts';
import type { UpdateNumber } from '../store/paths.ts';
import type { ApplicationInfo, ProcessorCaused, ProcessorUse, UpdateState } from '../api/types.ts';
import type { Severity } from '../store/verdicts.ts';
import { type TextParts, countedText } from '../store/textParts.ts';

const PAGE = 25;

const STATE_WORDS: Record<UpdateState, [Severity, string]> = {
  fired: ['quiet', 'Training'],
  staged: ['quiet', 'Staged'],
  published: ['good', 'Published'],
  held: ['warn', 'Held'],
  aborted: ['warn', 'Aborted'],
  'training-failed': ['bad', 'Failed'],
};

/** Parts of what updates cost, as the learner counts them. */
const PARTS: [string, string, keyof ProcessorCaused][] = [
  ['Training', 'with the files of the model', 'trainingSeconds'],
  ['Publishing', 'files, manifest, pointer', 'publishingSeconds'],
  ['Accepting', 'evaluation, life stages, state', 'acceptingSeconds'],
  ['Reporting', 'events and notices', 'reportingSeconds'],
  ['Deciding', 'choosing and loading samples', 'decidingSeconds'],
  ['Cleaning up', 'old versions', 'cleaningUpSeconds'],
  ['Sending', 'to Kafka', 'sendingSeconds'],
  ['Following', 'progress of the run', 'followingSeconds'],
];

function ProcessorTime({ use, of }: { use: ProcessorUse | undefined; of: string }) {
  if (use === undefined) {
    return null;
  }
  return (
    <Card title="Processor time of updates" id="processor">
      <Stats>
        <Stat label="An update, lately" note="all parts together">
          <Num value={use.recentUpdateSeconds} format={duration} path="processor.recentUpdateSeconds" of={of} />
        </Stat>
        {PARTS.map(([label, note, name]) => (
          <Stat key={name} label={label} note={note}>
            <Num value={use.caused[name]} format={duration} path={'processor.caused.' + name} of={of} />
          </Stat>
        ))}
      </Stats>
      <Quiet>
        Of <Num value={use.updates} path="processor.updates" of={of} /> updates since the learner was opened. Statuses
        took <Num value={use.statusSeconds} format={duration} path="processor.statusSeconds" of={of} />, the whole
        process <Num value={use.process.seconds} format={duration} path="processor.process.seconds" of={of} />, and its
        compilers were at work for{' '}
        <Num
          value={use.process.compilationSeconds}
          format={duration}
          path="processor.process.compilationSeconds"
          of={of}
        />
        .
      </Quiet>
    </Card>
  );
}

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
  const totals = timed.map(total);
  const longest = scaleOf(totals);
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
      <UpdateCharts updates={updates} of={of} span={span} setSpan={setSpan} nowMillis={nowMillis} />
      <ProcessorTime use={learner.status.processor} of={of} />
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
          <Num value={longest} format={duration} formula={scaleFormula(updates, rows, totals)} of={of} />. Mark two
          updates to compare them.
        </p>
        <Timeline lanes={rows.map((position) => laneOf(updates, position, nowMillis))} most={PAGE} of={of} />
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
          the page has the newest{' '}
          <Num
            value={updates.length}
            formula={'count(updates.' + number(0) + 'to' + number(updates.length - 1) + '.number)'}
            of={of}
          />
          . <TextWithNumbers words={pricesWords(application)} of={of} />
        </Quiet>
      </Card>
      <Comparison updates={updates} application={application} chosen={chosen} of={of} />
    </>
  );
}

function pricesWords(application: ApplicationInfo | undefined): TextParts {
  const machine = application?.machinePricePerSecond;
  const staleness = application?.stalenessPricePerSampleSecond;
  return typeof machine === 'number' && typeof staleness === 'number'
    ? [
        "Money is in the unit of the application's prices: ",
        { value: machine, format: money, path: 'application.machinePricePerSecond' },
        ' per machine second, ',
        { value: staleness, format: money, path: 'application.stalenessPricePerSampleSecond' },
        ' per sample-second of waiting.',
      ]
    : ['The application names no prices in money.'];
}

/** Seconds that a full bar stands for: most updates fit, a few outliers are cut off. */
export function scaleOf(totals: number[]): number {
  const sorted = [...totals].sort((a, b) => a - b);
  const longest = sorted[sorted.length - 1] ?? 0;
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return Math.max(1e-6, Math.min(longest, 3 * middle || longest));
}

/** Which of the updates gives that, as a formula. */
function scaleFormula(updates: UpdateLog, rows: number[], totals: number[]): string {
  const longest = scaleOf(totals);
  const row = totals.findIndex((each) => each === longest || 3 * each === longest);
  const factor = totals[row] === longest ? '' : '3 * ';
  return row < 0 ? String(longest) : factor + '(' + totalFormula(updates, rows[row] as number) + ')';
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
      <td>
        <Num value={value('firing.atMillis')} format={clockMillis} path={path('firing.atMillis')} of={of} />
      </td>
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
        <span class="phases-total">
          <Num value={total(times)} format={duration} formula={totalFormula(updates, position)} of={of} />
        </span>
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

function UpdateCharts(props: {
  updates: UpdateLog;
  of: string;
  span: Span;
  setSpan: (span: Span) => void;
  nowMillis: number;
}) {
  const { updates, of, span, nowMillis } = props;
  const from = firstAtOrAfter(updates.column('firing.atMillis'), spanStart(span, nowMillis));
  const times = [...updates.column('firing.atMillis').subarray(from)];
  const real = plain(updates.column('training.seconds'), from);
  const mean = plain(updates.column('firing.grounds.predicted.mean'), from);
  const low = plain(updates.column('firing.grounds.predicted.low'), from);
  const high = plain(updates.column('firing.grounds.predicted.high'), from);
  const before = plain(updates.column('training.meanLossBefore'), from);
  const after = plain(updates.column('training.meanLossAfter'), from);
  const [inside, known] = covered(real, low, high);
  const last = newestTrained(updates);
  const top = cutAbove([...real, ...mean]);
  const told = ofUpdates(updates, from);
  const newest = (name: UpdateNumber, format: (value: number | null | undefined) => string) => ({
    value: updates.value(last, name),
    format,
    path: 'updates.' + updates.value(last, 'number') + '.' + name,
  });
  const numbers = updates.column('number');
  const shown = 'updates.' + numbers[from] + 'to' + numbers[numbers.length - 1] + '.';
  const interval: TextParts = [
    { value: inside / known, format: share, formula: 'sum(' + shown + 'inside) / count(' + shown + 'inside)' },
    ' of ',
    ...countedText({ value: known, formula: 'count(' + shown + 'inside)' }, 'training'),
    ' were inside the 95 % interval.',
  ];
  const cut: TextParts = [
    ' Values above ',
    {
      value: top,
      format: duration,
      formula:
        '1.5 * quantile(' + USUAL + ', ' + shown + 'training.seconds, ' + shown + 'firing.grounds.predicted.mean)',
    },
    ' are cut off.',
  ];
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
            <TextWithNumbers
              words={[
                'Newest: ',
                newest('training.seconds', duration),
                ', predicted ',
                newest('firing.grounds.predicted.mean', duration),
                '. ',
                ...(known === 0 ? [] : interval),
                ...(top === undefined ? [] : cut),
              ]}
              of={of}
            />
          }
          of={of}
          times={times}
          timeSource={told('firing.atMillis')}
          series={[
            {
              label: '95 % interval',
              color: 'band',
              values: high,
              width: 0.01,
              legend: (row) => (
                <>
                  <Num value={low[row]} format={duration} {...told('firing.grounds.predicted.low')(row)} of={of} /> to{' '}
                  <Num value={high[row]} format={duration} {...told('firing.grounds.predicted.high')(row)} of={of} />
                </>
              ),
            },
            { label: 'low', color: 'band', values: low, width: 0.01, legend: () => null },
            {
              label: 'predicted',
              color: 'quiet',
              values: mean,
              width: 1.5,
              source: told('firing.grounds.predicted.mean'),
            },
            {
              label: 'real',
              color: 'accent',
              values: real.map((value) => (value !== null && top !== undefined && value > top ? null : value)),
              points: true,
              source: told('training.seconds'),
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
            <TextWithNumbers
              words={[
                'Newest: ',
                newest('training.meanLossBefore', short),
                ' before the training, ',
                newest('training.meanLossAfter', short),
                ' after it.',
              ]}
              of={of}
            />
          }
          of={of}
          times={times}
          timeSource={told('firing.atMillis')}
          series={[
            {
              label: 'before',
              color: 'quiet',
              values: before,
              width: 1.5,
              source: told('training.meanLossBefore'),
            },
            { label: 'after', color: 'accent', values: after, width: 1.5, source: told('training.meanLossAfter') },
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

/** What is drawn whole, at least. */
const USUAL = 0.98;

/** Where to cut a chart that a few outliers would flatten; undefined if there are none. */
function cutAbove(values: (number | null)[]): number | undefined {
  const usual = quantile(values, USUAL);
  const longest = quantile(values, 1);
  return usual !== undefined && longest !== undefined && longest > 3 * usual ? 1.5 * usual : undefined;
}

/** How many of the real values are inside their interval, and of how many that is known. */
function covered(
  real: (number | null)[],
  low: (number | null)[],
  high: (number | null)[],
): [inside: number, known: number] {
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
  return [inside, known];
}

function share(part: number | null | undefined): string {
  return percent(part, 0);
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

function Comparison(props: {
  updates: UpdateLog;
  application: ApplicationInfo | undefined;
  chosen: number[];
  of: string;
}) {
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
            {numbers.map((number) => (
              <th key={number} scope="col">
                Update <Num value={number} path={'updates.' + number + '.number'} of={of} />
              </th>
            ))}
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {COMPARED.map(([word, name, format]) => {
            const values = [left, right].map((position) => updates.value(position, name)) as [number, number];
            const [before, after] = numbers.map((number) => 'updates.' + number + '.' + name);
            return (
              <tr key={name}>
                <th scope="row">{word}</th>
                {values.map((value, index) => (
                  <td key={index}>
                    <Num value={value} format={format} path={'updates.' + numbers[index] + '.' + name} of={of} />
                  </td>
                ))}
                <td>
                  <Change value={values[1] - values[0]} format={format} formula={after + ' - ' + before} of={of} />
                </td>
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
                  {typeof before === 'number' && typeof after === 'number' && (
                    <Change
                      value={after - before}
                      format={money}
                      formula={moneyFormula(numbers[1], which) + ' - ' + moneyFormula(numbers[0], which)}
                      of={of}
                    />
                  )}
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

/** How much more it is, with its sign; nothing where one of the two is not known. */
function Change(props: {
  value: number;
  format: (value: number | null | undefined) => string;
  formula: string;
  of: string;
}) {
  const { value, format } = props;
  return Number.isFinite(value) ? (
    <Num {...props} format={(change) => (value > 0 ? '+' : '') + format(change)} />
  ) : null;
}
