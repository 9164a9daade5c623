import { useState } from 'preact/hooks';
import { SPANS, type Span, type View, spanStart } from './view.ts';
import type { RowUsage, StoreTraffic } from '../api/types.ts';
import { Chart } from '../charts/Chart.tsx';
import { changes, ofHistory, ofUpdates } from '../charts/sources.ts';
import { BYTE_STEPS, firstAtOrAfter, plain } from '../charts/window.ts';
import { bytes, bytesPerSecond, count, known, percent, share } from '../format/number.ts';
import { duration } from '../format/time.ts';
import { Card, Num, Quiet, Segments, Stat, Stats, TableBox, TextWithNumbers } from '../parts/parts.tsx';
import { StepPlanCard } from './StepPlan.tsx';
import type { History } from '../store/history.ts';
import type { Drawn, UpdateNumber } from '../store/paths.ts';

const MOST_UPDATES = 400;

export function Memory(view: View) {
  const [span, setSpan] = useState<Span>('30m');
  const aside = <Segments label="Span of time" value={span} options={SPANS} change={setSpan} />;
  const start = spanStart(span, view.nowMillis);
  const missing: string[] = [];
  if (!view.learner.status.tables) {
    missing.push('This learner has no embedding tables, so no rows to keep.');
  }
  if (newestTensors(view) < 0) {
    missing.push(
      view.application?.tensorFastBytes
        ? 'No training has said yet where its tensors were.'
        : 'Tensors are all in DRAM: the application does not configure memory.tensors.',
    );
  }
  return (
    <>
      <Samples view={view} start={start} aside={aside} />
      {view.learner.status.tables && <Rows view={view} tables={view.learner.status.tables} start={start} />}
      {newestTensors(view) >= 0 && <Tensors view={view} start={start} />}
      {view.learner.plan && plansSteps(view) && (
        <StepPlanCard view={view} followed={view.learner.plan} at={newestTensors(view)} />
      )}
      {missing.length > 0 && <Quiet>{missing.join(' ')}</Quiet>}
    </>
  );
}

/** Position of the newest update that says where its tensors were, -1 for none. */
function newestTensors({ learner }: View): number {
  const bytes = learner.updates.column('training.tensors.fast.bytes');
  for (let position = bytes.length - 1; position >= Math.max(0, bytes.length - 50); position--) {
    if (Number.isFinite(bytes[position])) {
      return position;
    }
  }
  return -1;
}

/** Whether the policy of the newest update plans steps: another one may be configured since the plan was made. */
function plansSteps(view: View): boolean {
  const at = newestTensors(view);
  return at >= 0 && known(view.learner.updates.value(at, 'training.tensors.plan.planningSeconds'));
}

function ratios(hits: Float64Array, misses: Float64Array, from: number): (number | null)[] {
  const out: (number | null)[] = [];
  for (let row = from; row < hits.length; row++) {
    const hit = (hits[row] as number) - (hits[row - 1] ?? 0);
    const miss = (misses[row] as number) - (misses[row - 1] ?? 0);
    out.push(hit >= 0 && miss >= 0 && hit + miss > 0 ? hit / (hit + miss) : null);
  }
  return out;
}

/** Change per second of a growing number; null where it shrank, as at a restart, or where nothing is known. */
export function perSecondOf(times: Float64Array, values: Float64Array, from: number): (number | null)[] {
  const out: (number | null)[] = [];
  for (let row = from; row < values.length; row++) {
    const seconds = ((times[row] as number) - (times[row - 1] ?? Number.NaN)) / 1000;
    const change = (values[row] as number) - (values[row - 1] ?? Number.NaN);
    out.push(change >= 0 && seconds > 0 ? change / seconds : null);
  }
  return out;
}

/** What goes to the store and comes from it, as figures. */
function TrafficStats(props: { store: StoreTraffic; path: string; of: string; waited: string }) {
  const { store, path, of } = props;
  return (
    <>
      <Stat label="Read from the store">
        <Num value={store.readBytes} format={bytes} path={path + 'readBytes'} of={of} />
      </Stat>
      <Stat label="Written to the store">
        <Num value={store.writtenBytes} format={bytes} path={path + 'writtenBytes'} of={of} />
      </Stat>
      <Stat label="Waited for the store" note={props.waited}>
        <Num value={store.waitSeconds} format={duration} path={path + 'waitSeconds'} of={of} />
      </Stat>
    </>
  );
}

/** The same over time, second by second. */
function TrafficCharts(props: {
  history: History;
  from: number;
  store: StoreTraffic;
  base: 'hotSamples.store.' | 'tables.store.';
  of: string;
}) {
  const { history, from, store, base, of } = props;
  const times = history.times();
  const shown = [...times.subarray(from)];
  const told = ofHistory(history, from);
  const change = (name: keyof StoreTraffic) => ({
    values: perSecondOf(times, history.column((base + name) as Drawn), from),
    source: changes(history, from, (base + name) as Drawn, 'atMillis'),
  });
  return (
    <>
      <Chart
        title="Traffic with the store, a second"
        summary={
          <>
            <Num value={store.readBytes} format={bytes} path={base + 'readBytes'} of={of} /> were read and{' '}
            <Num value={store.writtenBytes} format={bytes} path={base + 'writtenBytes'} of={of} /> written so far.
          </>
        }
        of={of}
        times={shown}
        timeSource={told('atMillis')}
        series={[
          { label: 'read', color: 'accent', ...change('readBytes'), width: 1.5 },
          { label: 'written', color: 'quiet', ...change('writtenBytes'), width: 1.5 },
        ]}
        include={[0]}
        format={bytesPerSecond}
        steps={BYTE_STEPS}
        lines={1}
        height={200}
      />
      <Chart
        title="Share of the time spent waiting for the store"
        summary={
          <>
            The learner waited <Num value={store.waitSeconds} format={duration} path={base + 'waitSeconds'} of={of} />{' '}
            so far.
          </>
        }
        of={of}
        times={shown}
        timeSource={told('atMillis')}
        series={[{ label: 'waiting', color: 'accent', ...change('waitSeconds'), width: 1.5 }]}
        include={[0]}
        format={percent}
        lines={1}
        height={200}
      />
    </>
  );
}

function Samples(props: { view: View; start: number; aside: preact.ComponentChildren }) {
  const { learner, application } = props.view;
  const { hotSamples } = learner.status;
  const of = learner.key;
  const { history } = learner;
  const from = firstAtOrAfter(history.times(), props.start);
  const part = {
    value: share(hotSamples.hits, hotSamples.hits + hotSamples.misses),
    format: percent,
    formula: 'hotSamples.hits / (hotSamples.hits + hotSamples.misses)',
  };
  const told = ofHistory(history, from);
  const line = (name: Drawn) => ({ values: plain(history.column(name), from), source: told(name) });
  return (
    <Card title="Samples: hot cache" id="memory-samples" aside={props.aside}>
      <Stats>
        <Stat label="Read from DRAM">
          <Num {...part} of={of} />
        </Stat>
        <Stat label="Hits">
          <Num value={hotSamples.hits} path="hotSamples.hits" of={of} />
        </Stat>
        <Stat label="Misses" note="read from the store">
          <Num value={hotSamples.misses} path="hotSamples.misses" of={of} />
        </Stat>
        <Stat
          label="In DRAM"
          note={
            <>
              of <Num value={learner.status.samples.storedBytes} format={bytes} path="samples.storedBytes" of={of} /> in
              all
            </>
          }
        >
          <Num value={hotSamples.payloadBytes} format={bytes} path="hotSamples.payloadBytes" of={of} />
        </Stat>
        <Stat
          label="In the store"
          note={
            <>
              <Num value={learner.status.samples.stored} path="samples.stored" of={of} /> samples
            </>
          }
        >
          <Num value={learner.status.samples.storedBytes} format={bytes} path="samples.storedBytes" of={of} />
        </Stat>
        <Stat
          label="Donated"
          note={
            application && (
              <>
                configured <Num value={application.hotBytes} format={bytes} path="application.hotBytes" of={of} />
              </>
            )
          }
        >
          <Num value={hotSamples.donatedBytes} format={bytes} path="hotSamples.donatedBytes" of={of} />
        </Stat>
        <TrafficStats store={hotSamples.store} path="hotSamples.store." of={of} waited="to read payloads" />
      </Stats>
      <div class="columns two">
        <Chart
          title="Share of payloads found in DRAM, second by second"
          summary={
            <>
              Since the learner was opened <Num {...part} of={of} /> of the payloads of batches were found in DRAM.
            </>
          }
          of={of}
          times={[...history.times().subarray(from)]}
          timeSource={told('atMillis')}
          series={[
            {
              label: 'hits',
              color: 'accent',
              values: ratios(history.column('hotSamples.hits'), history.column('hotSamples.misses'), from),
              source: changes(history, from, 'hotSamples.hits', ['hotSamples.misses']),
            },
          ]}
          include={[0, 1]}
          format={percent}
          lines={1}
          height={200}
        />
        <Chart
          title="Payload bytes by tier"
          summary={
            <>
              <Num value={hotSamples.payloadBytes} format={bytes} path="hotSamples.payloadBytes" of={of} /> in DRAM,{' '}
              <Num value={learner.status.samples.storedBytes} format={bytes} path="samples.storedBytes" of={of} /> in
              the store.
            </>
          }
          of={of}
          times={[...history.times().subarray(from)]}
          timeSource={told('atMillis')}
          series={[
            { label: 'store', color: 'quiet', ...line('samples.storedBytes'), width: 1.5 },
            { label: 'DRAM', color: 'accent', ...line('hotSamples.payloadBytes') },
          ]}
          include={[0]}
          format={bytes}
          steps={BYTE_STEPS}
          lines={1}
          height={200}
        />
        <TrafficCharts history={history} from={from} store={hotSamples.store} base="hotSamples.store." of={of} />
      </div>
    </Card>
  );
}

function Rows(props: { view: View; tables: RowUsage; start: number }) {
  const { tables } = props;
  const { learner } = props.view;
  const { history } = learner;
  const of = learner.key;
  const from = firstAtOrAfter(history.times(), props.start);
  const times = [...history.times().subarray(from)];
  const told = ofHistory(history, from);
  const line = (name: Drawn) => ({ values: plain(history.column(name), from), source: told(name) });
  const reads = tables.hits + tables.buffered + tables.misses;
  return (
    <Card title="Rows of embedding tables" id="memory-rows">
      <Stats>
        <Stat
          label="Rows"
          note={
            <>
              <Num value={tables.hotRows} path="tables.hotRows" of={of} /> in DRAM
            </>
          }
        >
          <Num value={tables.rows} path="tables.rows" of={of} />
        </Stat>
        <Stat label="DRAM">
          <Num value={tables.fastBytes} format={bytes} path="tables.fastBytes" of={of} />
        </Stat>
        <Stat label="Store">
          <Num value={tables.slowBytes} format={bytes} path="tables.slowBytes" of={of} />
        </Stat>
        <Stat
          label="Hits"
          note={
            <>
              <Num
                value={share(tables.hits, reads)}
                format={percent}
                formula="tables.hits / (tables.hits + tables.buffered + tables.misses)"
                of={of}
              />{' '}
              of reads
            </>
          }
        >
          <Num value={tables.hits} path="tables.hits" of={of} />
        </Stat>
        <Stat label="Buffered" note="reads of rows read ahead or to be written">
          <Num value={tables.buffered} path="tables.buffered" of={of} />
        </Stat>
        <Stat label="Misses" note="read from the store">
          <Num value={tables.misses} path="tables.misses" of={of} />
        </Stat>
        <Stat label="Unknown ids" note="reads without a row">
          <Num value={tables.unknown} path="tables.unknown" of={of} />
        </Stat>
        <Stat
          label="Admitted"
          note={
            <>
              <Num value={tables.refused} path="tables.refused" of={of} /> refused
            </>
          }
        >
          <Num value={tables.admitted} path="tables.admitted" of={of} />
        </Stat>
        {tables.outOfRange > 0 && (
          <Stat label="Out of range" note="ids that are not row numbers">
            <Num value={tables.outOfRange} path="tables.outOfRange" of={of} />
          </Stat>
        )}
        <Stat
          label="Counted"
          note={
            <>
              filter <Num value={tables.filterBytes} format={bytes} path="tables.filterBytes" of={of} />
            </>
          }
        >
          <Num value={tables.counted} path="tables.counted" of={of} />
        </Stat>
        <Stat label="Flushed" note="rows written to the store">
          <Num value={tables.flushed} path="tables.flushed" of={of} />
        </Stat>
        <Stat
          label="Expired"
          note={
            <>
              unused <Num value={tables.expired.unused} path="tables.expired.unused" of={of} />, rare{' '}
              <Num value={tables.expired.rare} path="tables.expired.rare" of={of} />, small{' '}
              <Num value={tables.expired.small} path="tables.expired.small" of={of} />, excess{' '}
              <Num value={tables.expired.excess} path="tables.expired.excess" of={of} />
            </>
          }
        >
          <Num
            value={tables.expired.unused + tables.expired.rare + tables.expired.small + tables.expired.excess}
            formula="tables.expired.unused + tables.expired.rare + tables.expired.small + tables.expired.excess"
            of={of}
          />
        </Stat>
        <TrafficStats store={tables.store} path="tables.store." of={of} waited="to read rows" />
      </Stats>
      <div class="columns two">
        <Chart
          title="Rows, and those in DRAM"
          summary={
            <>
              <Num value={tables.rows} path="tables.rows" of={of} /> rows,{' '}
              <Num value={tables.hotRows} path="tables.hotRows" of={of} /> of them in DRAM.
            </>
          }
          of={of}
          times={times}
          timeSource={told('atMillis')}
          series={[
            { label: 'rows', color: 'quiet', ...line('tables.rows'), width: 1.5 },
            { label: 'in DRAM', color: 'accent', ...line('tables.hotRows') },
          ]}
          include={[0]}
          format={count}
          lines={1}
          height={200}
        />
        <Chart
          title="Bytes by tier"
          summary={
            <>
              <Num value={tables.fastBytes} format={bytes} path="tables.fastBytes" of={of} /> in DRAM,{' '}
              <Num value={tables.slowBytes} format={bytes} path="tables.slowBytes" of={of} /> in the store.
            </>
          }
          of={of}
          times={times}
          timeSource={told('atMillis')}
          series={[
            { label: 'store', color: 'quiet', ...line('tables.slowBytes'), width: 1.5 },
            { label: 'DRAM', color: 'accent', ...line('tables.fastBytes') },
          ]}
          include={[0]}
          format={bytes}
          steps={BYTE_STEPS}
          lines={1}
          height={200}
        />
        <TrafficCharts history={history} from={from} store={tables.store} base="tables.store." of={of} />
      </div>
      {tables.byTable.length > 0 && <ByTable tables={tables} of={of} />}
    </Card>
  );
}

const SHOWN_TABLES = 10;

/** What each table does, in the order of their misses. */
function ByTable({ tables, of }: { tables: RowUsage; of: string }) {
  const [all, setAll] = useState(false);
  const shown = all ? tables.byTable : tables.byTable.slice(0, SHOWN_TABLES);
  return (
    <>
      <h3 class="table-title">Table by table, most misses first</h3>
      <TableBox label="Tables, those with most misses first">
        <thead>
          <tr>
            <th scope="col">Table</th>
            <th scope="col">Misses</th>
            <th scope="col">Hits</th>
            <th scope="col">Read from DRAM</th>
            <th scope="col">Rows</th>
            <th scope="col">In DRAM</th>
            <th scope="col">Unknown ids</th>
            <th scope="col">Admitted</th>
            <th scope="col">Refused</th>
            <th scope="col">Expired</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((each, index) => {
            const number = (name: Exclude<keyof typeof each, 'name'>) => (
              <Num value={each[name]} path={'tables.byTable.' + index + '.' + name} of={of} />
            );
            const inDram = each.hits + each.buffered;
            return (
              <tr key={each.name}>
                <th scope="row">{each.name}</th>
                <td>{number('misses')}</td>
                <td>
                  {number('hits')}
                  {each.buffered > 0 && <small>{number('buffered')} buffered</small>}
                </td>
                <td>
                  <Num
                    value={share(inDram, inDram + each.misses)}
                    format={percent}
                    formula={'(HITS + BUFFERED) / (HITS + BUFFERED + MISSES)'.replace(
                      /[A-Z]+/g,
                      (name) => 'tables.byTable.' + index + '.' + name.toLowerCase(),
                    )}
                    of={of}
                  />
                </td>
                <td>{number('rows')}</td>
                <td>{number('hotRows')}</td>
                <td>{number('unknown')}</td>
                <td>{number('admitted')}</td>
                <td>{number('refused')}</td>
                <td>{number('expired')}</td>
              </tr>
            );
          })}
        </tbody>
      </TableBox>
      {tables.byTable.length > SHOWN_TABLES && (
        <p class="quiet-line">
          <button type="button" class="plain" aria-pressed={all} onClick={() => setAll(!all)}>
            {all ? 'Show the first ' + SHOWN_TABLES : 'Show all '}
            {!all && <Num value={tables.byTable.length} path="tables.byTable.length" of={of} />}
          </button>
        </p>
      )}
    </>
  );
}

function Tensors(props: { view: View; start: number }) {
  const { learner } = props.view;
  const { updates } = learner;
  const of = learner.key;
  const at = newestTensors(props.view);
  const number = updates.value(at, 'number');
  const path = (name: string) => 'updates.' + number + '.training.tensors.' + name;
  const first = Math.max(firstAtOrAfter(updates.column('firing.atMillis'), props.start), updates.length - MOST_UPDATES);
  const times = [...updates.column('firing.atMillis').subarray(first)];
  const value = (name: UpdateNumber) => updates.value(at, name);
  const told = ofUpdates(updates, first);
  const line = (name: UpdateNumber) => ({ values: plain(updates.column(name), first), source: told(name) });
  const copiedToSlow = 'training.tensors.copied.fastToSlowBytes';
  const copiedToFast = 'training.tensors.copied.slowToFastBytes';
  const stalled = 'training.tensors.stallSeconds';
  const newest = (name: UpdateNumber, format: (shown: number | null | undefined) => string) => ({
    value: value(name),
    format,
    path: 'updates.' + number + '.' + name,
  });
  const hits = value('training.tensors.arguments.hits');
  const misses = value('training.tensors.arguments.misses');
  return (
    <Card
      title="Tensors while training"
      id="memory-tensors"
      aside={
        <>
          update <Num value={number} path={'updates.' + number + '.number'} of={of} />, policy{' '}
          {updates.tensorPolicy(at)}
        </>
      }
    >
      <Stats>
        <Stat
          label="Arguments on fast"
          note={
            <>
              <Num value={misses} path={path('arguments.misses')} of={of} /> on slow
            </>
          }
        >
          <Num value={hits} path={path('arguments.hits')} of={of} />
        </Stat>
        <Stat label="Copied to slow">
          <Num
            value={value('training.tensors.copied.fastToSlowBytes')}
            format={bytes}
            path={path('copied.fastToSlowBytes')}
            of={of}
          />
        </Stat>
        <Stat label="Copied to fast">
          <Num
            value={value('training.tensors.copied.slowToFastBytes')}
            format={bytes}
            path={path('copied.slowToFastBytes')}
            of={of}
          />
        </Stat>
        <Stat label="Read on slow">
          <Num
            value={value('training.tensors.onSlow.readBytes')}
            format={bytes}
            path={path('onSlow.readBytes')}
            of={of}
          />
        </Stat>
        <Stat label="Written on slow">
          <Num
            value={value('training.tensors.onSlow.writtenBytes')}
            format={bytes}
            path={path('onSlow.writtenBytes')}
            of={of}
          />
        </Stat>
        <Stat
          label="Stalls"
          note={
            <>
              <Num
                value={share(value('training.tensors.stallSeconds'), value('training.seconds'))}
                format={percent}
                formula={path('stallSeconds') + ' / updates.' + number + '.training.seconds'}
                of={of}
              />{' '}
              of the training
            </>
          }
        >
          <Num value={value('training.tensors.stallSeconds')} format={duration} path={path('stallSeconds')} of={of} />
        </Stat>
        <Stat
          label="Forced evictions"
          note={
            <>
              write-back avoided{' '}
              <Num
                value={value('training.tensors.evictions.avoidedWriteBackBytes')}
                format={bytes}
                path={path('evictions.avoidedWriteBackBytes')}
                of={of}
              />
            </>
          }
        >
          <Num value={value('training.tensors.evictions.forced')} path={path('evictions.forced')} of={of} />
        </Stat>
        <Stat
          label="High water of fast"
          note={
            <>
              out of{' '}
              <Num value={value('training.tensors.fast.bytes')} format={bytes} path={path('fast.bytes')} of={of} />
            </>
          }
        >
          <Num
            value={value('training.tensors.fast.highWaterBytes')}
            format={bytes}
            path={path('fast.highWaterBytes')}
            of={of}
          />
        </Stat>
        <Stat
          label="High water of slow"
          note={
            <>
              out of{' '}
              <Num value={value('training.tensors.slow.bytes')} format={bytes} path={path('slow.bytes')} of={of} />
            </>
          }
        >
          <Num
            value={value('training.tensors.slow.highWaterBytes')}
            format={bytes}
            path={path('slow.highWaterBytes')}
            of={of}
          />
        </Stat>
        <Stat
          label="Slow device reads"
          note={
            <>
              writes{' '}
              <Num
                value={value('training.tensors.slow.writeBytesPerSecond')}
                format={bytesPerSecond}
                path={path('slow.writeBytesPerSecond')}
                of={of}
              />
            </>
          }
        >
          <Num
            value={value('training.tensors.slow.readBytesPerSecond')}
            format={bytesPerSecond}
            path={path('slow.readBytesPerSecond')}
            of={of}
          />
        </Stat>
        {known(value('training.tensors.loans.bytes')) && (
          <Stat
            label="Borrowed"
            note={
              <>
                a MiB there and back{' '}
                <Num
                  value={share(value('training.tensors.loans.nanos'), 1e9)}
                  format={duration}
                  formula={path('loans.nanos') + ' / 1e9'}
                  of={of}
                />
                , on the local device{' '}
                <Num
                  value={share(value('training.tensors.loans.localNanos'), 1e9)}
                  format={duration}
                  formula={path('loans.localNanos') + ' / 1e9'}
                  of={of}
                />
                ; <Num value={value('training.tensors.loans.losses')} path={path('loans.losses')} of={of} /> loans lost
              </>
            }
          >
            <Num value={value('training.tensors.loans.bytes')} format={bytes} path={path('loans.bytes')} of={of} />
          </Stat>
        )}
      </Stats>
      <div class="columns two">
        <Chart
          title="Copied between the devices, update by update"
          summary={
            <TextWithNumbers
              words={[
                'Newest update: ',
                newest(copiedToSlow, bytes),
                ' to slow, ',
                newest(copiedToFast, bytes),
                ' to fast.',
              ]}
              of={of}
            />
          }
          of={of}
          times={times}
          timeSource={told('firing.atMillis')}
          series={[
            { label: 'to slow', color: 'accent', ...line(copiedToSlow), width: 1.5 },
            { label: 'to fast', color: 'quiet', ...line(copiedToFast), width: 1.5 },
          ]}
          include={[0]}
          format={bytes}
          steps={BYTE_STEPS}
          lines={1}
          height={200}
        />
        <Chart
          title="Waiting for copies, within the training"
          summary={
            <TextWithNumbers
              words={[
                'Newest update: ',
                newest(stalled, duration),
                ' of ',
                newest('training.seconds', duration),
                ' were stalls.',
              ]}
              of={of}
            />
          }
          of={of}
          times={times}
          timeSource={told('firing.atMillis')}
          series={[
            { label: 'training', color: 'quiet', ...line('training.seconds'), width: 1.5 },
            { label: 'stalls', color: 'accent', ...line(stalled), width: 1.5 },
          ]}
          include={[0]}
          format={duration}
          lines={1}
          height={200}
        />
      </div>
    </Card>
  );
}
