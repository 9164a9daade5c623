import { useEffect, useState } from 'preact/hooks';
import { CapacityCard } from './Capacity.tsx';
import type { View } from './view.ts';
import type { Optimum, WhatIfAnswer, WhatIfRow } from '../api/types.ts';
import { count, decimals, sampleSeconds, short } from '../format/number.ts';
import { duration } from '../format/time.ts';
import { Card, Num, Quiet, Stat, Stats, TableBox, TextWithNumbers } from '../parts/parts.tsx';
import { countedText } from '../store/textParts.ts';

function number(text: string): number | undefined {
  const value = Number(text);
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value;
}

/** What is wrong with the inputs, in words; empty if nothing. */
export function problemOf(weight: string, epsilonMillis: string, lambdaMicros: string): string {
  const named: [string, string, boolean][] = [
    ['The price of training (w)', weight, true],
    ['The fixed cost (epsilon)', epsilonMillis, true],
    ['The cost per sample (lambda)', lambdaMicros, false],
  ];
  for (const [name, text, positive] of named) {
    const value = number(text);
    if (text.trim() !== '' && value === undefined) {
      return name + ' is not a number.';
    }
    if (value !== undefined && (value < 0 || (positive && value === 0))) {
      return name + (positive ? ' must be above 0.' : ' must not be below 0.');
    }
  }
  return '';
}

export function WhatIf(view: View) {
  const { store, learner, application } = view;
  const [weight, setWeight] = useState('');
  const [epsilon, setEpsilon] = useState('');
  const [lambda, setLambda] = useState('');
  const [answer, setAnswer] = useState<WhatIfAnswer | null>(null);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const recorded = store.link.state === 'recorded';
  const { costs, urgency } = learner.status.decision.grounds.basis;
  const price = application && application.weight > 0 ? application.weight : costs.weight * urgency;
  const wrong = problemOf(weight, epsilon, lambda);
  const ask = async () => {
    setBusy(true);
    setProblem('');
    const asked: { weight?: number; epsilon?: number; lambda?: number } = {};
    const w = number(weight);
    const eps = number(epsilon);
    const lam = number(lambda);
    // While a drift is open the learner weighs with less; what is wanted here is the price of the application.
    asked.weight = w ?? price;
    if (eps !== undefined) asked.epsilon = eps / 1000;
    if (lam !== undefined) asked.lambda = lam / 1e6;
    try {
      setAnswer(await store.client.whatIf(learner.key, asked));
    } catch (failed) {
      setProblem((failed as Error).message);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    setAnswer(null);
    setProblem('');
    if (!recorded) {
      void ask();
    }
  }, [learner.key]);
  if (recorded) {
    return (
      <Quiet>
        A recorded report cannot simulate: use ./idla replay. It has no capacity plan: ./idla plan prints one.
      </Quiet>
    );
  }
  const trouble = problem || answer?.problem || '';
  return (
    <>
      <Card title="Price and costs" id="price-and-costs">
        <form
          class="inline-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (wrong === '' && !busy) {
              void ask();
            }
          }}
        >
          <Field label="w: sample-seconds per second of training" value={weight} set={setWeight} now={short(price)} />
          <Field
            label="Epsilon: fixed cost of an update, ms"
            value={epsilon}
            set={setEpsilon}
            now={short(costs.fixedSeconds * 1000)}
          />
          <Field
            label="Lambda: cost of one more sample, µs"
            value={lambda}
            set={setLambda}
            now={short(costs.secondsPerSample * 1e6)}
          />
          <button type="submit" class="accent" disabled={busy || wrong !== ''}>
            {busy ? 'Simulating\u2026' : 'Simulate'}
          </button>
        </form>
        <p class="said failed" role="status">
          {wrong || trouble}
        </p>
        <Quiet>
          Empty fields are the price of the application, and what the learner estimates now. Nothing changes in the
          application.
        </Quiet>
      </Card>
      <Card title="The rules on this learner's own arrivals" id="rules">
        {answer?.optimum ? (
          <Results answer={answer} optimum={answer.optimum} of={learner.key} />
        ) : (
          <div class="skeleton tall">{busy ? 'Simulating\u2026' : ''}</div>
        )}
      </Card>
      <CapacityCard {...view} />
    </>
  );
}

function Field(props: { label: string; value: string; set: (value: string) => void; now: string }) {
  return (
    <label class="field">
      {props.label}
      <input
        type="text"
        inputMode="decimal"
        value={props.value}
        placeholder={props.now.replaceAll(',', '')}
        onInput={(event) => props.set((event.target as HTMLInputElement).value)}
      />
    </label>
  );
}

function Results(props: { answer: WhatIfAnswer; optimum: Optimum; of: string }) {
  const { answer, optimum, of } = props;
  const rows = answer.rows.map((row, index) => ({ row, index })).sort((a, b) => a.row.cost - b.row.cost);
  const worst = Math.max(1.5, ...rows.map(({ row }) => Math.min(3, row.totalRatio)));
  return (
    <>
      <Stats>
        <Stat
          label="Arrivals"
          note={
            <>
              within{' '}
              <Num
                value={(answer.toMillis - answer.fromMillis) / 1000}
                format={duration}
                formula="(whatif.toMillis - whatif.fromMillis) / 1000"
                of={of}
              />
            </>
          }
        >
          <Num value={answer.arrivals} path="whatif.arrivals" of={of} />
        </Stat>
        <Stat label="Optimum" note={optimum.exact ? 'exact' : 'a bound for overlapping trainings'}>
          <Num value={optimum.cost} format={sampleSeconds} path="whatif.optimum.cost" of={of} />
        </Stat>
        <Stat label="No schedule avoids">
          <Num value={optimum.unavoidable} format={sampleSeconds} path="whatif.optimum.unavoidable" of={of} />
        </Stat>
        <Stat label="w">
          <Num value={answer.weight} format={short} path="whatif.weight" of={of} />
        </Stat>
        <Stat label="Epsilon">
          <Num value={answer.epsilonSeconds} format={duration} path="whatif.epsilonSeconds" of={of} />
        </Stat>
        <Stat label="Lambda">
          <Num value={answer.lambdaSeconds} format={duration} path="whatif.lambdaSeconds" of={of} />
        </Stat>
      </Stats>
      <TableBox label="Update rules, cheapest first" class="whatif">
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col" class="wide">
              Cost / optimum
            </th>
            <th scope="col">Controllable</th>
            <th scope="col">Mean latency</th>
            <th scope="col">p99 latency</th>
            <th scope="col">Updates</th>
            <th scope="col">Machine</th>
            <th scope="col">Cost, sample-s</th>
            <th scope="col">
              <span class="hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <tr class="optimum">
            <th scope="row">
              optimum<small>known only afterwards</small>
            </th>
            <td class="wide">
              <RatioBar ratio={1} worst={worst} />
            </td>
            <td colSpan={5} />
            <td>
              <Num value={optimum.cost} format={short} path="whatif.optimum.cost" of={of} />
            </td>
            <td />
          </tr>
          {rows.map(({ row, index }) => (
            <Result key={index} row={row} index={index} worst={worst} of={of} />
          ))}
        </tbody>
      </TableBox>
      <Quiet>
        <TextWithNumbers words={countedText({ value: rows.length, path: 'whatif.rows.length' }, 'row')} of={of} />; cost
        is waiting plus w times machine seconds, in sample-seconds. Controllable leaves out what no schedule avoids.
        Each rule keeps to the configured max-batch, max-wait and min-interval.
      </Quiet>
    </>
  );
}

/** A ratio to the optimum: three decimals, unless it is far from it. */
function ratio(value: number | null | undefined): string {
  return typeof value === 'number' && value >= 10 ? short(value) : decimals(value, 3);
}

function RatioBar(props: { ratio: number; worst: number }) {
  return (
    <span class="ratio" aria-hidden="true">
      <i style={{ width: (Math.min(props.ratio, props.worst) / props.worst) * 100 + '%' }} />
    </span>
  );
}

function Result(props: { row: WhatIfRow; index: number; worst: number; of: string }) {
  const { row, of } = props;
  const [copied, setCopied] = useState('');
  const path = (name: string) => 'whatif.rows.' + props.index + '.' + name;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(row.yaml);
      setCopied('Copied');
    } catch {
      setCopied('The browser refused');
    }
  };
  const name = row.rule + (row.configured ? ', as configured' : '');
  return (
    <tr class={row.asItHappened ? 'happened' : ''}>
      <th scope="row">
        {row.rule}
        <small>
          <Note row={row} />
        </small>
      </th>
      <td class="wide ratio-cell">
        <RatioBar ratio={row.totalRatio} worst={props.worst} />
        <Num value={row.totalRatio} format={ratio} path={path('totalRatio')} of={of} />
      </td>
      <td>
        <Num value={row.controllableRatio} format={ratio} path={path('controllableRatio')} of={of} />
      </td>
      <td>
        <Num value={row.meanLatencySeconds} format={duration} path={path('meanLatencySeconds')} of={of} />
      </td>
      <td>
        <Num value={row.p99LatencySeconds} format={duration} path={path('p99LatencySeconds')} of={of} />
      </td>
      <td>
        <Num value={row.updates} path={path('updates')} of={of} format={count} />
      </td>
      <td>
        <Num value={row.machineSeconds} format={duration} path={path('machineSeconds')} of={of} />
      </td>
      <td>
        <Num value={row.cost} format={short} path={path('cost')} of={of} />
      </td>
      <td>
        {row.yaml !== '' && (
          <button
            type="button"
            onClick={copy}
            aria-label={(copied === 'Copied' ? 'Copied' : 'Copy YAML') + ' for ' + name}
          >
            {copied === 'Copied' ? 'Copied' : 'Copy YAML'}
          </button>
        )}
        <span class="said" role="status">
          {copied !== 'Copied' ? copied : ''}
        </span>
      </td>
    </tr>
  );
}

/** What a row stands for, beside its rule. */
function Note({ row }: { row: WhatIfRow }) {
  if (row.asItHappened) {
    return <>what happened</>;
  }
  return (
    <>
      {row.configured && 'as configured'}
      {row.configured && row.parameter && ': '}
      {row.parameter}
    </>
  );
}
