import type { View } from './view.ts';
import { Chart, type Series } from '../charts/Chart.tsx';
import { BYTE_STEPS } from '../charts/window.ts';
import { bytes, count } from '../format/number.ts';
import { duration } from '../format/time.ts';
import { Card, Num, Quiet, Stat, Stats, TextWithNumbers } from '../parts/parts.tsx';
import type { UpdateNumber } from '../store/paths.ts';
import type { FollowedPlan, StepPlan } from '../api/types.ts';
import type { Figure, TextParts } from '../store/textParts.ts';

/** Planners of steps that follow no plan. */
const ALL_FAST = 'all-fast';
const UNPLANNED = 'cached-arrays';

/** Moves are drawn in lanes above the lines, each so much of their height above the one before. */
const LANE = 0.07;

type Column = 'aliveBytes' | 'fastBytes' | 'fetchedBytes' | 'writtenBackBytes' | 'evictedBytes';

/** The plan that a step of training follows: its bytes over the kernels, what it promised and what came. */
export function StepPlanCard(props: { view: View; followed: FollowedPlan; at: number }) {
  const { learner } = props.view;
  const { updates } = learner;
  const { plan, updateNumber } = props.followed;
  const of = learner.key;
  if (!plan) {
    return null;
  }
  const number = updates.value(props.at, 'number');
  const step = (name: 'predicted' | 'measured' | 'unplanned' | 'bound') => {
    const path: UpdateNumber = `training.tensors.plan.step.${name}`;
    // 0 is not known.
    const value = updates.value(props.at, path) || null;
    return <Num value={value} format={duration} path={'updates.' + number + '.' + path} of={of} />;
  };
  return (
    <Card
      title="A step of training, kernel by kernel"
      id="memory-plan"
      aside={
        updateNumber !== undefined && (
          <>
            since update <Num value={updateNumber} path="plan.updateNumber" of={of} />
          </>
        )
      }
    >
      <p>{sentence(plan.planner)}</p>
      <Stats>
        <Stat label="A step takes" note={<>predicted {step('predicted')}</>}>
          {step('measured')}
        </Stat>
        <Stat label="Without a plan" note="under cached-arrays">
          {step('unplanned')}
        </Stat>
        <Stat label="No plan is faster than">{step('bound')}</Stat>
        <Stat label="Kernels that run again" note="so that tensors need not be kept or moved">
          <Num
            value={updates.value(props.at, 'training.tensors.plan.rerunKernels')}
            format={count}
            path={'updates.' + number + '.training.tensors.plan.rerunKernels'}
            of={of}
          />
        </Stat>
        <Stat label="Fast memory">
          <Num value={plan.budgetBytes} format={bytes} path="plan.budgetBytes" of={of} />
        </Stat>
        <Stat label="Peak of a step" note="if all were in fast memory">
          <Num value={plan.peakBytes} format={bytes} path="plan.peakBytes" of={of} />
        </Stat>
      </Stats>
      <Chart
        title="Bytes of tensors over the kernels of a step"
        summary={<TextWithNumbers words={summary(plan)} of={of} />}
        of={of}
        times={plan.aliveBytes.map((_, point) => point * plan.kernelsPerPoint)}
        timeSource={(point) => ({ formula: 'plan.kernelsPerPoint * ' + point })}
        across="kernel"
        series={lines(plan)}
        marks={passes(plan)}
        include={[0, highest(plan) * (1 + 4 * LANE)]}
        top={highest(plan) * (1 + 4 * LANE)}
        format={bytes}
        steps={BYTE_STEPS}
        height={280}
      />
      {plan.refused !== '' && <Quiet>Not followed: {plan.refused}.</Quiet>}
    </Card>
  );
}

function followsPlan(plan: StepPlan): boolean {
  return plan.planner !== ALL_FAST && plan.planner !== UNPLANNED;
}

function sentence(planner: string): string {
  switch (planner) {
    case ALL_FAST:
      return 'All tensors of a step fit the fast memory: nothing moves, and no plan is needed.';
    case UNPLANNED:
      return 'No plan is followed: cached-arrays decides from kernel to kernel what moves.';
    default:
      return 'The plan of ' + planner + ' is followed.';
  }
}

/** Of the lines; a budget far above what a step needs is left out of sight. */
function highest(plan: StepPlan): number {
  return Math.max(plan.budgetBytes > 2 * plan.peakBytes ? 0 : plan.budgetBytes, plan.peakBytes, 1);
}

function summary(plan: StepPlan): TextParts {
  const kernels: Figure = { value: plan.kernels, format: count, path: 'plan.kernels' };
  const words: TextParts = ['A step has ', kernels, ' kernels'];
  if (plan.backwardKernel >= 0) {
    words.push('; the backward pass begins at ', { value: plan.backwardKernel, path: 'plan.backwardKernel' });
  }
  if (plan.updateKernel >= 0) {
    words.push(', the first update of parameters is ', { value: plan.updateKernel, path: 'plan.updateKernel' });
  }
  if (!followsPlan(plan)) {
    return [...words, '.'];
  }
  const most = plan.fastBytes.indexOf(Math.max(...plan.fastBytes));
  const sum = (column: Column): Figure => ({
    value: plan[column].reduce((all, each) => all + each, 0),
    format: bytes,
    formula: 'sum(plan.' + column + ')',
  });
  const top: Figure = { value: plan.fastBytes[most], format: bytes, path: 'plan.fastBytes.' + most };
  return [
    ...words,
    '. At most ',
    top,
    ' are in fast memory. It fetches ',
    sum('fetchedBytes'),
    ', writes ',
    sum('writtenBackBytes'),
    ' back ahead, and ',
    sum('evictedBytes'),
    ' leave.',
  ];
}

function lines(plan: StepPlan): Series[] {
  const line = (label: string, column: Column, look: Partial<Series>): Series => ({
    label,
    color: 'quiet',
    stepped: true,
    values: plan[column],
    source: (point) => ({ path: 'plan.' + column + '.' + point }),
    ...look,
  });
  const height = highest(plan);
  const lane = (label: string, column: Column, color: string, row: number): Series => ({
    ...line(label, column, { color, points: true, stepped: false }),
    values: plan[column].map((moved) => (moved > 0 ? height * (1 + row * LANE) : null)),
    shown: plan[column],
  });
  const budget: Series = {
    label: 'budget',
    color: 'bad',
    dash: [6, 4],
    width: 1.5,
    values: plan.aliveBytes.map(() => plan.budgetBytes),
    source: () => ({ path: 'plan.budgetBytes' }),
  };
  const alive = line('alive', 'aliveBytes', { width: 1.5 });
  return followsPlan(plan)
    ? [
        alive,
        line('in fast memory', 'fastBytes', { color: 'accent', fill: 'light' }),
        budget,
        lane('fetched', 'fetchedBytes', 'good', 1),
        lane('written back', 'writtenBackBytes', 'warn', 2),
        lane('evicted', 'evictedBytes', 'strong', 3),
      ]
    : [{ ...alive, color: 'accent', fill: 'light' }, budget];
}

/** Where the backward pass begins. Updates of parameters are among its kernels. */
function passes(plan: StepPlan) {
  return plan.backwardKernel >= 0 ? [{ at: plan.backwardKernel, color: 'line-strong' }] : [];
}
