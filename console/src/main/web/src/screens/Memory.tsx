import { useState } from 'preact/hooks';
import { SPANS, type Span, type View, spanStart } from './view.ts';
import type { Tables } from '../api/types.ts';
import { Chart } from '../charts/Chart.tsx';
import { BYTE_STEPS, firstAtOrAfter, plain } from '../charts/window.ts';
import { bytes, bytesPerSecond, count, percent, share } from '../format/number.ts';
import { duration } from '../format/time.ts';
import { Card, Num, Quiet, Segments, Stat, Stats } from '../parts/parts.tsx';

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

function ratios(hits: Float64Array, misses: Float64Array, from: number): (number | null)[] {
  const out: (number | null)[] = [];
  for (let row = from; row < hits.length; row++) {
    const hit = (hits[row] as number) - (hits[row - 1] ?? 0);
    const miss = (misses[row] as number) - (misses[row - 1] ?? 0);
    out.push(hit >= 0 && miss >= 0 && hit + miss > 0 ? hit / (hit + miss) : null);
  }
  return out;
}

function Samples(props: { view: View; start: number; aside: preact.ComponentChildren }) {
  const { learner, application } = props.view;
  const { hotSamples } = learner.status;
  const of = learner.key;
  const { history } = learner;
  const from = firstAtOrAfter(history.times(), props.start);
  const part = share(hotSamples.hits, hotSamples.hits + hotSamples.misses);
  return (
    <Card title="Samples: hot cache" id="memory-samples" aside={props.aside}>
      <Stats>
        <Stat label="Read from DRAM">
          <Num value={part} format={percent} />
        </Stat>
        <Stat label="Hits">
          <Num value={hotSamples.hits} path="hotSamples.hits" of={of} />
        </Stat>
        <Stat label="Misses" note="read from the store">
          <Num value={hotSamples.misses} path="hotSamples.misses" of={of} />
        </Stat>
        <Stat label="Donated" note={application ? 'configured ' + bytes(application.hotBytes) : undefined}>
          <Num value={hotSamples.donatedBytes} format={bytes} path="hotSamples.donatedBytes" of={of} />
        </Stat>
        <Stat label="Stored samples">
          <Num value={learner.status.samples.stored} path="samples.stored" of={of} />
        </Stat>
      </Stats>
      <Chart
        title="Share of payloads found in DRAM, second by second"
        summary={'Since the learner was opened ' + percent(part) + ' of the payloads of batches were found in DRAM.'}
        times={[...history.times().subarray(from)]}
        series={[
          {
            label: 'hits',
            color: 'accent',
            values: ratios(history.column('hotSamples.hits'), history.column('hotSamples.misses'), from),
          },
        ]}
        include={[0, 1]}
        format={percent}
        lines={1}
        height={180}
      />
    </Card>
  );
}

function Rows(props: { view: View; tables: Tables; start: number }) {
  const { tables } = props;
  const { learner } = props.view;
  const { history } = learner;
  const of = learner.key;
  const from = firstAtOrAfter(history.times(), props.start);
  const times = [...history.times().subarray(from)];
  const reads = tables.hits + (tables.buffered ?? 0) + tables.misses;
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
        <Stat label="Hits" note={percent(share(tables.hits, reads)) + ' of reads'}>
          <Num value={tables.hits} path="tables.hits" of={of} />
        </Stat>
        {tables.buffered !== undefined && (
          <Stat label="Buffered" note="reads of rows read ahead or to be written">
            <Num value={tables.buffered} path="tables.buffered" of={of} />
          </Stat>
        )}
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
        {(tables.outOfRange ?? 0) > 0 && (
          <Stat label="Out of range" note="ids that are no row number">
            <Num value={tables.outOfRange ?? 0} path="tables.outOfRange" of={of} />
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
          <Num value={tables.expired.unused + tables.expired.rare + tables.expired.small + tables.expired.excess} />
        </Stat>
      </Stats>
      <div class="columns two">
        <Chart
          title="Rows, and those in DRAM"
          summary={count(tables.rows) + ' rows, ' + count(tables.hotRows) + ' of them in DRAM.'}
          times={times}
          series={[
            { label: 'rows', color: 'quiet', values: plain(history.column('tables.rows'), from), width: 1.5 },
            { label: 'in DRAM', color: 'accent', values: plain(history.column('tables.hotRows'), from) },
          ]}
          include={[0]}
          format={count}
          lines={1}
          height={200}
        />
        <Chart
          title="Bytes by tier"
          summary={bytes(tables.fastBytes) + ' in DRAM, ' + bytes(tables.slowBytes) + ' in the store.'}
          times={times}
          series={[
            { label: 'store', color: 'quiet', values: plain(history.column('tables.slowBytes'), from), width: 1.5 },
            { label: 'DRAM', color: 'accent', values: plain(history.column('tables.fastBytes'), from) },
          ]}
          include={[0]}
          format={bytes}
          steps={BYTE_STEPS}
          lines={1}
          height={200}
        />
      </div>
    </Card>
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
  const value = (name: Parameters<typeof updates.value>[1]) => updates.value(at, name);
  const hits = value('training.tensors.arguments.hits');
  const misses = value('training.tensors.arguments.misses');
  return (
    <Card
      title="Tensors while training"
      id="memory-tensors"
      aside={'update ' + count(number) + ', policy ' + updates.tensorPolicy(at)}
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
          note={percent(share(value('training.tensors.stallSeconds'), value('training.seconds'))) + ' of the training'}
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
      </Stats>
      <div class="columns two">
        <Chart
          title="Copied between the devices, update by update"
          summary={
            'Newest update: ' +
            bytes(value('training.tensors.copied.fastToSlowBytes')) +
            ' to slow, ' +
            bytes(value('training.tensors.copied.slowToFastBytes')) +
            ' to fast.'
          }
          times={times}
          series={[
            {
              label: 'to slow',
              color: 'accent',
              values: plain(updates.column('training.tensors.copied.fastToSlowBytes'), first),
              width: 1.5,
            },
            {
              label: 'to fast',
              color: 'quiet',
              values: plain(updates.column('training.tensors.copied.slowToFastBytes'), first),
              width: 1.5,
            },
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
            'Newest update: ' +
            duration(value('training.tensors.stallSeconds')) +
            ' of ' +
            duration(value('training.seconds')) +
            ' were stalls.'
          }
          times={times}
          series={[
            { label: 'training', color: 'quiet', values: plain(updates.column('training.seconds'), first), width: 1.5 },
            {
              label: 'stalls',
              color: 'accent',
              values: plain(updates.column('training.tensors.stallSeconds'), first),
              width: 1.5,
            },
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
