import type { View } from './view.ts';
import type { Grounds, Status } from '../api/types.ts';
import { Chart, type Mark } from '../charts/Chart.tsx';
import { ofCharges } from '../charts/sources.ts';
import { firstAtOrAfter, plain, thinned } from '../charts/window.ts';
import { counted, decimals, money, sampleSeconds, short } from '../format/number.ts';
import { age, duration } from '../format/time.ts';
import { type Rise, chargeFormula, riseOf, secondsFormula, secondsToFiring } from '../store/forecast.ts';
import { type TextParts, countedText } from '../store/textParts.ts';
import { Card, Num, Stat, Stats, TextWithNumbers } from '../parts/parts.tsx';
import { DeedButton } from '../parts/writing.tsx';
import { CHARGED, ChargeBar, charged } from '../parts/ChargeBar.tsx';
import { Next } from './Overview.tsx';

/** Spans that the chart may show: short ones for learners that update often. */
const SHOWN_SECONDS = [10, 20, 30, 60, 120, 300, 600];
const SHOWN_UPDATES = 25;
const MOST_MARKS = 40;
const FORECAST_POINTS = 24;
const BASE = 'decision.grounds.';

export function Why({ store, learner, application, nowMillis }: View) {
  const { decision, progress } = learner.status;
  const { grounds } = decision;
  const { charge, predicted, basis, guarantee } = grounds;
  const { costs } = basis;
  const of = learner.key;
  const next = secondsToFiring(decision.nextFiringInSeconds, learner.last.atMillis, nowMillis);
  const rest = Math.max(0, charge.thresholdSampleSeconds - charge.sampleSeconds);
  const price = application?.stalenessPricePerSampleSecond;
  const machinePrice = application?.machinePricePerSecond;
  return (
    <>
      <div class="columns">
        <Card
          title="The decision now"
          id="decision"
          aside={
            <DeedButton
              store={store}
              label="Train now"
              class="accent"
              deed={{
                title: 'Train ' + learner.application + ' now?',
                explanation:
                  'Every learner of ' +
                  learner.application +
                  ' trains its waiting samples at once, here ' +
                  counted(decision.pending, 'sample') +
                  ', although waiting is still cheaper than an update. The machine is predicted to be busy for about ' +
                  duration(predicted.mean) +
                  '.',
                button: 'Train now',
                run: () => store.client.train(learner.application),
              }}
            />
          }
        >
          <p class="answer">
            <TextWithNumbers words={decisionWords(learner.status)} of={of} />
          </p>
          <ChargeBar charge={charge} of={of} />
          <Stats>
            <Stat label="Next firing" note={next === null ? 'no time is known' : "the learner's own forecast"}>
              <Next learner={learner} seconds={next} />
            </Stat>
            <Stat
              label="Waiting"
              note={
                <>
                  urgency{' '}
                  <Num
                    value={basis.urgency}
                    format={(value) => decimals(value, 2)}
                    path={BASE + 'basis.urgency'}
                    of={of}
                  />
                </>
              }
            >
              <Num value={decision.pending} path="decision.pending" of={of} />{' '}
              {decision.pending === 1 ? 'sample' : 'samples'}
            </Stat>
            <Stat
              label="Charged so far"
              note={
                <>
                  virtual{' '}
                  <Num
                    value={charge.virtualWaitingSampleSeconds}
                    format={sampleSeconds}
                    path={BASE + 'charge.virtualWaitingSampleSeconds'}
                    of={of}
                  />
                </>
              }
            >
              <Num value={charge.sampleSeconds} format={sampleSeconds} path={BASE + 'charge.sampleSeconds'} of={of} />
            </Stat>
            <Stat
              label="Threshold"
              note={charge.thresholdSampleSeconds > 0 ? 'price of one update' : 'this rule has none'}
            >
              <Num
                value={charge.thresholdSampleSeconds}
                format={sampleSeconds}
                path={BASE + 'charge.thresholdSampleSeconds'}
                of={of}
              />
            </Stat>
          </Stats>
        </Card>
      </div>
      <RegretChart learner={learner} nowMillis={nowMillis} />
      <div class="columns two">
        <Card title="The price" id="price">
          <p class="prose">
            One more update takes the machine{' '}
            <Num value={costs.fixedSeconds} format={duration} path={BASE + 'basis.costs.fixedSeconds'} of={of} /> even
            without samples (epsilon)
            {basis.overheadSeconds !== undefined && (
              <>
                , of which{' '}
                <Num value={basis.overheadSeconds} format={duration} path={BASE + 'basis.overheadSeconds'} of={of} /> is
                beside its training
              </>
            )}
            . One second of training is worth <Num value={costs.weight} path={BASE + 'basis.costs.weight'} of={of} />{' '}
            sample-seconds of waiting ({basis.urgency > 1 ? 'w, divided by the urgency of the open drift' : 'w'}), so an
            update costs{' '}
            <Num
              value={costs.weight * costs.fixedSeconds}
              format={short}
              formula={BASE + 'basis.costs.weight * ' + BASE + 'basis.costs.fixedSeconds'}
              of={of}
            />{' '}
            sample-seconds. Each sample in it adds{' '}
            <Num
              value={costs.secondsPerSample}
              format={duration}
              path={BASE + 'basis.costs.secondsPerSample'}
              of={of}
            />{' '}
            (lambda).
          </p>
          {typeof price === 'number' && typeof machinePrice === 'number' ? (
            <>
              <Stats>
                <Stat label="Waiting so far, money">
                  <Num
                    value={charge.sampleSeconds * price * basis.urgency}
                    format={money}
                    formula={
                      BASE +
                      'charge.sampleSeconds * application.stalenessPricePerSampleSecond * ' +
                      BASE +
                      'basis.urgency'
                    }
                    of={of}
                  />
                </Stat>
                <Stat label="One update, money">
                  <Num
                    value={costs.fixedSeconds * machinePrice}
                    format={money}
                    formula={BASE + 'basis.costs.fixedSeconds * application.machinePricePerSecond'}
                    of={of}
                  />
                </Stat>
                <Stat label="Still to wait, money">
                  <Num
                    value={rest * price * basis.urgency}
                    format={money}
                    formula={
                      'max(0, ' +
                      BASE +
                      'charge.thresholdSampleSeconds - ' +
                      BASE +
                      'charge.sampleSeconds) * application.stalenessPricePerSampleSecond * ' +
                      BASE +
                      'basis.urgency'
                    }
                    of={of}
                  />
                </Stat>
              </Stats>
              <p class="quiet-line">
                In the unit of the application's prices:{' '}
                <Num value={machinePrice} format={money} path="application.machinePricePerSecond" of={of} /> per machine
                second, <Num value={price} format={money} path="application.stalenessPricePerSampleSecond" of={of} />{' '}
                per sample-second.
              </p>
            </>
          ) : (
            <p class="quiet-line">The application names no prices in money; only their quotient w is known.</p>
          )}
        </Card>
        <Card title="Prediction and guarantee" id="guarantee">
          <Stats>
            <Stat
              label="Predicted training"
              note={
                <>
                  95 % interval <Num value={predicted.low} format={duration} path={BASE + 'predicted.low'} of={of} /> to{' '}
                  <Num value={predicted.high} format={duration} path={BASE + 'predicted.high'} of={of} />
                </>
              }
            >
              <Num value={predicted.mean} format={duration} path={BASE + 'predicted.mean'} of={of} />
            </Stat>
            <Stat label="Certified ratio" note="cost so far, at most so many times the best possible">
              {guarantee.certifiedRatio > 0 ? (
                <>
                  <Num
                    value={guarantee.certifiedRatio}
                    format={(value) => decimals(value, 2)}
                    path={BASE + 'guarantee.certifiedRatio'}
                    of={of}
                  />
                  {'\u00d7'}
                </>
              ) : (
                'none'
              )}
            </Stat>
            <Stat label="Held back by the guard" note="firings of the rule">
              <Num value={guarantee.guardDenials} path={BASE + 'guarantee.guardDenials'} of={of} />
            </Stat>
            <Stat label="Delayed" note="due while a training ran">
              <Num value={guarantee.delayedUpdates} path={BASE + 'guarantee.delayedUpdates'} of={of} />
            </Stat>
          </Stats>
          <p class="quiet-line">
            Rule: {grounds.rule}. {progress.training ? sentence(grounds.reason) : ''}
          </p>
        </Card>
      </div>
    </>
  );
}

function RegretChart(props: { learner: View['learner']; nowMillis: number }) {
  const { learner, nowMillis } = props;
  const { decision } = learner.status;
  const { charge } = decision.grounds;
  const { charges } = learner;
  const heard = charges.times();
  const fired = learner.updates.column('firing.atMillis');
  const end = Math.max(nowMillis, learner.last.atMillis);
  const seconds = shownSeconds(fired, end);
  const start = end - seconds * 1000;
  const from = firstAtOrAfter(heard, start);
  const past = [...heard.subarray(from)];
  const waiting = {
    charge: charge.sampleSeconds,
    threshold: charge.thresholdSampleSeconds,
    pending: decision.pending,
    arrivalsPerSecond: learner.eventsPerSecond() ?? 0,
  };
  const rise = learner.status.progress.training
    ? null
    : riseOf(decision.grounds.rule, waiting, decision.nextFiringInSeconds);
  const last = learner.last.atMillis;
  const ahead: number[] = [];
  if (rise !== null && rise.seconds > 0) {
    const shown = Math.min(rise.seconds, seconds / 2);
    for (let point = 1; point <= FORECAST_POINTS; point++) {
      ahead.push((shown * point) / FORECAST_POINTS);
    }
  }
  const times = [...past, ...ahead.map((after) => last + after * 1000)];
  const nothing = new Array<null>(ahead.length).fill(null);
  const before = new Array<null>(Math.max(0, past.length - 1)).fill(null);
  const joint = past.length > 0 ? [charge.sampleSeconds] : [];
  const firedFrom = firstAtOrAfter(fired, start);
  const marks: Mark[] = thinned([...fired.subarray(firedFrom)], MOST_MARKS).map((at) => ({ at, color: 'mark' }));
  const firing = secondsToFiring(decision.nextFiringInSeconds, last, nowMillis);
  if (firing !== null && decision.nextFiringInSeconds > 0) {
    marks.push({ at: last + decision.nextFiringInSeconds * 1000, color: 'accent', sign: 'line' });
  }
  const summary: TextParts = [
    ...chargeWords(charge),
    ...riseWords(rise, learner.status.progress.training),
    ...countedText(
      {
        value: fired.length - firedFrom,
        formula: 'count(updates.all.firing.atMillis, ' + start + ', ' + (fired[fired.length - 1] ?? end) + ')',
      },
      'update',
    ),
    ' fired in the last ' + age(seconds) + '.',
  ];
  const newest = past.length - 1;
  const sourceOf = ofCharges(charges, from);
  const now = (name: 'sampleSeconds' | 'thresholdSampleSeconds') => ({ path: BASE + 'charge.' + name });
  const afterwards = (row: number) =>
    rise === null || row === newest
      ? '0'
      : 'min(' + secondsFormula(rise.from) + ', ' + seconds / 2 + ') * ' + (row - newest) + ' / ' + FORECAST_POINTS;
  return (
    <Card>
      <Chart
        title={'Charge and threshold in the last ' + age(seconds) + ', in sample-seconds'}
        summary={<TextWithNumbers words={summary} of={learner.key} />}
        of={learner.key}
        times={times}
        timeSource={(row) =>
          row < newest ? sourceOf('atMillis')(row) : { formula: 'last.atMillis + 1000 * (' + afterwards(row) + ')' }
        }
        series={[
          {
            label: 'charge',
            color: 'accent',
            fill: 'light',
            values: [...plain(charges.charge(), from), ...nothing],
            source: (row) => (row < newest ? sourceOf('sampleSeconds')(row) : now('sampleSeconds')),
          },
          {
            label: 'threshold',
            color: 'quiet',
            dash: [6, 4],
            width: 1.5,
            values: [...plain(charges.threshold(), from), ...ahead.map(() => charge.thresholdSampleSeconds)],
            source: (row) => (row < newest ? sourceOf('thresholdSampleSeconds')(row) : now('thresholdSampleSeconds')),
          },
          {
            label: 'forecast',
            color: 'accent',
            dash: [3, 4],
            values: [...before, ...joint, ...ahead.map((after) => (rise === null ? null : rise.chargeAfter(after)))],
            source: (row) =>
              rise === null || row === newest
                ? now('sampleSeconds')
                : { formula: chargeFormula(rise.from, afterwards(row)) },
          },
        ]}
        marks={marks}
        include={[0]}
        format={(value) => sampleSeconds(value)}
        axisFormat={(value) => short(value)}
        xRange={[start, Math.max(last, nowMillis) + Math.max(seconds * 30, (ahead[ahead.length - 1] ?? 0) * 1000)]}
        height={260}
        empty="Nothing was heard for so long"
      />
      <p class="quiet-line mark-legend">
        <i class="line-key version" /> update fired <i class="sign-key forecast" /> next firing by the learner's own
        forecast, without further arrivals
      </p>
    </Card>
  );
}

/** What the next update waits for, in words. */
function decisionWords(status: Status): TextParts {
  const { progress, gate, decision } = status;
  if (!progress.training) {
    return [sentence(decision.grounds.reason)];
  }
  return gate?.held
    ? [
        'A training runs, or waits to be accepted: the newest model is compared with version ',
        { value: gate.comparedWith, path: 'gate.comparedWith' },
        ' first, so far on ',
        ...countedText({ value: gate.samples, path: 'gate.samples' }, 'sample'),
        '.',
      ]
    : ['A training is running.'];
}

function chargeWords({ sampleSeconds: charge, thresholdSampleSeconds: threshold }: Grounds['charge']): TextParts {
  const base = BASE + 'charge.';
  const said: TextParts = [
    'Charged for the samples that wait: ',
    { value: charge, format: sampleSeconds, path: base + 'sampleSeconds' },
  ];
  return threshold > 0
    ? [
        ...said,
        ', ',
        { value: charge / threshold, format: charged, formula: CHARGED },
        ' of the threshold of ',
        { value: threshold, format: sampleSeconds, path: base + 'thresholdSampleSeconds' },
        '. ',
      ]
    : [...said, '. The rule has no threshold. '];
}

function riseWords(rise: Rise | null, training: boolean): TextParts {
  if (training) {
    return ['A training runs; the rule goes on when it ends. '];
  }
  if (rise === null) {
    return ['No time is known at which it fires. '];
  }
  if (rise.seconds === 0) {
    return ['The threshold is reached. '];
  }
  const by = rise.from === 'arrivals' ? 'At the present rate of arrivals' : "By the learner's forecast";
  return [
    by + ' it reaches the threshold in ',
    { value: rise.seconds, format: duration, formula: secondsFormula(rise.from) },
    '. ',
  ];
}

/** The shortest span that holds the newest updates, so that each can be seen. */
export function shownSeconds(fired: Float64Array, nowMillis: number): number {
  const oldest = fired[Math.max(0, fired.length - SHOWN_UPDATES)] ?? nowMillis;
  const needed = (nowMillis - oldest) / 1000;
  return SHOWN_SECONDS.find((seconds) => seconds >= needed) ?? (SHOWN_SECONDS[SHOWN_SECONDS.length - 1] as number);
}

/** A reason as a sentence. */
export function sentence(words: string): string {
  return words === '' ? '' : words.charAt(0).toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? '' : '.');
}
