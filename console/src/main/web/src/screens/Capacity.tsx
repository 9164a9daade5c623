import { useEffect, useState } from 'preact/hooks';
import type { View } from './view.ts';
import type { CapacityAnswer, CapacityPlan, CapacityRow } from '../api/types.ts';
import { Chart, type Series } from '../charts/Chart.tsx';
import { BYTE_STEPS } from '../charts/window.ts';
import { NONE, bytes, count, money, percent, perSecond } from '../format/number.ts';
import { dateTime, duration } from '../format/time.ts';
import { Card, Num, Quiet, Stat, Stats, TableBox } from '../parts/parts.tsx';
import { type Curve, MEASURES, type Measure, curvesOf, drawable } from '../store/capacity.ts';

/** Colours of devices; more devices have dashed lines. */
const COLORS = ['accent', 'preserve', 'warn', 'bad'];

const ALONE = 'fast memory alone';

/** The last plan of `idla plan`: what steps, updates and months cost over budgets of fast memory. */
export function CapacityCard({ store, learner }: View) {
  const [answer, setAnswer] = useState<CapacityAnswer | null>(null);
  const [failed, setFailed] = useState('');
  const { application } = learner;
  useEffect(() => {
    let current = true;
    setAnswer(null);
    setFailed('');
    store.client.capacity(application).then(
      (found) => current && setAnswer(found),
      (error: Error) => current && setFailed(error.message),
    );
    return () => {
      current = false;
    };
  }, [application]);
  return (
    <Card title="Other memories and devices" id="capacity">
      {failed !== '' && <p class="said failed">{failed}</p>}
      {!answer && failed === '' && <div class="skeleton" />}
      {answer && !answer.plan && <NoPlan answer={answer} />}
      {answer?.plan && <Plan plan={answer.plan} of={learner.key} command={answer.command} />}
    </Card>
  );
}

function NoPlan({ answer }: { answer: CapacityAnswer }) {
  return (
    <>
      <p>No curve: {answer.problem}.</p>
      {answer.differences.length > 0 && (
        <ul>
          {answer.differences.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <p>
        This command makes a plan, which is here when this screen is opened again:{' '}
        <code class="long">{answer.command}</code>
      </p>
    </>
  );
}

function Plan(props: { plan: CapacityPlan; of: string; command: string }) {
  const { plan, of } = props;
  const { measured, predicted } = plan;
  const cheapest = predicted.cheapest === null ? undefined : predicted.rows[predicted.cheapest];
  return (
    <>
      <p>
        <strong>SIMULATED</strong> from what was measured (REAL) on the machine of the plan, at{' '}
        <Num value={plan.madeAtMillis} format={dateTime} path="capacity.madeAtMillis" of={of} />.{' '}
        {!predicted.needsSlowMemory && 'No budget of the plan needs slow memory. '}
        {predicted.verdict !== null && predicted.verdict[0]?.toUpperCase() + predicted.verdict.slice(1) + '.'}
      </p>
      <Stats>
        <Stat label="A step in fast memory" note="REAL">
          <Num value={measured.stepSeconds} format={duration} path="capacity.measured.stepSeconds" of={of} />
        </Stat>
        <Stat label="Tensors of a step" note="at one time">
          <Num value={measured.peakBytes} format={bytes} path="capacity.measured.peakBytes" of={of} />
        </Stat>
        <Stat label="Events">
          <Num value={predicted.eventsPerSecond} format={perSecond} path="capacity.predicted.eventsPerSecond" of={of} />
        </Stat>
        {predicted.target !== null && (
          <Stat label="A step may take longer by">
            <Num value={predicted.target} format={percent} path="capacity.predicted.target" of={of} />
          </Stat>
        )}
      </Stats>
      <CapacityChart plan={plan} of={of} measure="step" title="Seconds of a training step" cheapest={cheapest} />
      <CapacityChart plan={plan} of={of} measure="update" title="Seconds of an update" cheapest={cheapest} />
      {drawable(plan, 'month') ? (
        <CapacityChart plan={plan} of={of} measure="month" title="Cost of the memory a month" cheapest={cheapest} />
      ) : (
        <Quiet>
          Without prices there is no cost: name them with <code>--dram-price</code> and <code>price=</code> of each
          device.
        </Quiet>
      )}
      <Rows plan={plan} of={of} />
      <Quiet>
        Plan again: <code class="long">{props.command}</code>
      </Quiet>
    </>
  );
}

const SUMMARIES: Record<Measure, string> = {
  step: 'The best policy at each budget of fast memory for one training.',
  update: 'Mean over a random stream; where training does not keep up, there is no point.',
  month: 'Fast memory, and for a slow device as many bytes as a step has tensors at one time.',
};

function CapacityChart(props: {
  plan: CapacityPlan;
  of: string;
  measure: Measure;
  title: string;
  cheapest: CapacityRow | undefined;
}) {
  const { plan, of, measure, cheapest } = props;
  const { budgets, curves } = curvesOf(plan, measure !== 'month');
  const format = measure === 'month' ? money : duration;
  const series = curves.map((curve, index) => lineOf(plan, curve, index, measure));
  const best = cheapest === undefined ? null : MEASURES[measure].of(cheapest);
  if (cheapest !== undefined && best !== null) {
    series.push({
      label: 'cheapest that meets the target',
      color: 'good',
      points: true,
      values: budgets.map((budget) => (budget === cheapest.fastBytes ? best : null)),
      source: () => ({ path: `capacity.predicted.rows.${plan.predicted.cheapest}.${MEASURES[measure].field}` }),
    });
  }
  return (
    <Chart
      title={props.title}
      summary={SUMMARIES[measure]}
      of={of}
      times={budgets}
      timeSource={(point) => ({
        path: `capacity.predicted.rows.${plan.predicted.rows.findIndex((row) => row.fastBytes === budgets[point])}.fastBytes`,
      })}
      across="fast memory"
      acrossFormat={bytes}
      acrossSteps={BYTE_STEPS}
      series={series}
      marks={cheapest === undefined || best === null ? [] : [{ at: cheapest.fastBytes, color: 'good', sign: 'line' }]}
      include={[0]}
      format={format}
      lines={1}
    />
  );
}

function lineOf(plan: CapacityPlan, curve: Curve, index: number, measure: Measure): Series {
  const { field, of } = MEASURES[measure];
  const alone = curve.device === null;
  const source = (point: number) => {
    const row = curve.rows[point] ?? null;
    return row === null ? undefined : { path: `capacity.predicted.rows.${row}.${field}` };
  };
  return {
    label: curve.device ?? ALONE,
    color: alone ? 'strong' : (COLORS[index % COLORS.length] as string),
    ...(alone ? { points: true } : { dots: true }),
    ...(index >= COLORS.length && !alone ? { dash: [6, 4] } : {}),
    values: curve.rows.map((row) => (row === null ? null : of(plan.predicted.rows[row] as CapacityRow))),
    source,
  };
}

function Rows({ plan, of }: { plan: CapacityPlan; of: string }) {
  return (
    <TableBox label="Budgets of fast memory and slow devices" class="capacity">
      <thead>
        <tr>
          <th scope="col">Fast memory</th>
          <th scope="col">Slow device</th>
          <th scope="col">Step</th>
          <th scope="col">Bound</th>
          <th scope="col">Update</th>
          <th scope="col">p99 latency</th>
          <th scope="col">A month</th>
          <th scope="col">Remark</th>
        </tr>
      </thead>
      <tbody>
        {plan.predicted.rows.map((row, index) => (
          <RowOf key={index} row={row} index={index} cheapest={index === plan.predicted.cheapest} of={of} />
        ))}
      </tbody>
    </TableBox>
  );
}

function RowOf(props: { row: CapacityRow; index: number; cheapest: boolean; of: string }) {
  const { row, of } = props;
  const cell = (
    value: number | null | undefined,
    field: string,
    format: (value: number | null | undefined) => string,
  ) => (
    <td>
      <Num value={value} format={format} path={`capacity.predicted.rows.${props.index}.${field}`} of={of} />
    </td>
  );
  const { update } = row;
  return (
    <tr class={props.cheapest ? 'happened' : ''}>
      <th scope="row">
        <Num value={row.fastBytes} format={bytes} path={`capacity.predicted.rows.${props.index}.fastBytes`} of={of} />
      </th>
      <td>{row.device ?? NONE}</td>
      {cell(row.bestSeconds, 'bestSeconds', duration)}
      {cell(row.boundSeconds, 'boundSeconds', duration)}
      {cell(update?.seconds, 'update.seconds', duration)}
      {cell(update?.p99WaitSeconds, 'update.p99WaitSeconds', duration)}
      {cell(row.monthPrice, 'monthPrice', money)}
      <td>
        {props.cheapest && 'cheapest that meets the target'}
        {row.note}
        {update && !update.keepsUp && (
          <>
            {' '}
            keeps up with{' '}
            <Num
              value={update.mostEventsPerSecond}
              format={count}
              path={`capacity.predicted.rows.${props.index}.update.mostEventsPerSecond`}
              of={of}
            />{' '}
            events a second
          </>
        )}
      </td>
    </tr>
  );
}
