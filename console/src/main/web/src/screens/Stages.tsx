import { useEffect, useRef, useState } from 'preact/hooks';
import { SPANS, type Span, type View, spanStart } from './view.ts';
import type { SampleHistory } from '../api/types.ts';
import { Chart } from '../charts/Chart.tsx';
import { ofHistory } from '../charts/sources.ts';
import { firstAtOrAfter, plain, stacked } from '../charts/window.ts';
import { count, decimals, percent, share, short } from '../format/number.ts';
import { clockMillis, dateTime } from '../format/time.ts';
import { Card, Num, Quiet, Segments, Stat, Stats, TableBox, TextWithNumbers } from '../parts/parts.tsx';
import { STAGE_WORDS } from '../parts/StageBar.tsx';
import { STAGES, type Stage } from '../store/moves.ts';
import type { TextParts } from '../store/textParts.ts';

const NAMES: Record<Stage, string> = { NEWBORN: 'Newborn', MATURE: 'Mature', PRESERVE: 'Preserve', DISCARD: 'Discard' };

export function Stages(view: View) {
  const { learner, nowMillis } = view;
  const [span, setSpan] = useState<Span>('30m');
  const { stages, samples } = learner.status;
  const of = learner.key;
  const from = firstAtOrAfter(learner.history.times(), spanStart(span, nowMillis));
  const times = [...learner.history.times().subarray(from)];
  const columns = STAGE_WORDS.map(({ key }) => plain(learner.history.column(`stages.${key}`), from));
  const sums = stacked(columns);
  const all = stages.newborn + stages.mature + stages.preserve + stages.discard;
  const told = ofHistory(learner.history, from);
  const part = (key: keyof typeof stages) => ({
    value: share(stages[key], all),
    formula: 'stages.' + key + ' / (' + STAGE_WORDS.map((each) => 'stages.' + each.key).join(' + ') + ')',
  });
  const words = STAGE_WORDS.flatMap(({ key, name }, index): TextParts => [
    (index === 0 ? '' : ', ') + name + ' ',
    { value: stages[key], path: 'stages.' + key },
    ' (',
    { ...part(key), format: (value) => percent(value, 0) },
    ')',
  ]);
  return (
    <>
      <Card
        title="Stored samples by life stage"
        id="stages"
        aside={<Segments label="Span of time" value={span} options={SPANS} change={setSpan} />}
      >
        <Stats>
          {STAGE_WORDS.map(({ key, name }) => (
            <Stat key={key} label={name} note={<Num {...part(key)} format={percent} of={of} />}>
              <Num value={stages[key]} path={'stages.' + key} of={of} />
            </Stat>
          ))}
          <Stat label="Stored">
            <Num value={samples.stored} path="samples.stored" of={of} />
          </Stat>
          <Stat label="Changed" note="by later events">
            <Num value={samples.changed} path="samples.changed" of={of} />
          </Stat>
          <Stat label="Revived" note="trained, then changed">
            <Num value={samples.revived} path="samples.revived" of={of} />
          </Stat>
          <Stat label="Evicted" note="for room">
            <Num value={samples.evicted} path="samples.evicted" of={of} />
          </Stat>
        </Stats>
        <Chart
          title="Life stages over time"
          summary={<TextWithNumbers words={[...words, '.']} of={of} />}
          of={of}
          times={times}
          timeSource={told('atMillis')}
          series={[...STAGE_WORDS]
            .map(({ key, name }, index) => ({
              label: name,
              color: key,
              fill: 'solid' as const,
              width: 1,
              values: sums[index] ?? [],
              shown: columns[index] ?? [],
              source: told(`stages.${key}`),
            }))
            .reverse()}
          include={[0]}
          format={count}
          lines={1}
          height={260}
        />
      </Card>
      <div class="columns two unequal">
        <MoveMatrix {...view} />
        <SampleLookup {...view} />
      </div>
    </>
  );
}

function MoveMatrix({ learner }: View) {
  const { moves } = learner;
  const most = Math.max(
    1,
    ...STAGES.flatMap((before) =>
      STAGES.filter((after) => after !== before).map((after) => moves.count(before, after)),
    ),
  );
  return (
    <Card title="Moves between stages" id="moves">
      <Quiet>Evaluations since the console began to read; a row is the stage before, a column the stage after.</Quiet>
      <TableBox label="Moves between life stages: rows are the stage before, columns the stage after" class="matrix">
        <thead>
          <tr>
            <td />
            {STAGES.map((after) => (
              <th key={after} scope="col">
                {NAMES[after]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {STAGES.map((before) => (
            <tr key={before}>
              <th scope="row">{NAMES[before]}</th>
              {STAGES.map((after) => {
                const value = moves.count(before, after);
                const stay = before === after;
                const heat = stay || value === 0 ? 0 : 0.08 + 0.32 * Math.sqrt(value / most);
                return (
                  <td key={after} class={stay ? 'stay' : ''}>
                    <i class="heat" style={{ opacity: heat }} aria-hidden="true" />
                    <Num value={value} path={'moves.' + before + '>' + after} of={learner.key} />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </TableBox>
    </Card>
  );
}

const AGAIN_MILLIS = 700;
const MOST_LOOKS = 12;

function SampleLookup({ store, learner }: View) {
  const [id, setId] = useState('');
  const [asked, setAsked] = useState<string | null>(null);
  const [answer, setAnswer] = useState<SampleHistory | null>(null);
  const [said, setSaid] = useState('');
  // An answer to an earlier question must not take the place of that to the newest.
  const newest = useRef(0);
  useEffect(() => {
    newest.current++;
    setAsked(null);
    setAnswer(null);
    setSaid('');
  }, [learner.key]);
  const recorded = store.link.state === 'recorded';
  const ask = async () => {
    const wanted = id.trim();
    if (wanted === '') {
      return;
    }
    const question = ++newest.current;
    const overtaken = () => newest.current !== question;
    setAsked(wanted);
    setAnswer(null);
    setSaid('Asking\u2026');
    try {
      const known = await store.client.sample(learner.key, wanted);
      if (overtaken()) {
        return;
      }
      setAnswer(known);
      if (!store.writable()) {
        setSaid(
          known.answer || known.moves.length > 0
            ? 'What is known already. Enter the token to ask the learner itself.'
            : 'Nothing is known of this sample yet. Enter the token to ask the learner itself.',
        );
        return;
      }
      const accepted = await store.client.explain(learner.application, wanted);
      if (overtaken()) {
        return;
      }
      setSaid(accepted);
      for (let look = 0; look < MOST_LOOKS; look++) {
        await new Promise((resume) => setTimeout(resume, AGAIN_MILLIS));
        const now = await store.client.sample(learner.key, wanted);
        if (overtaken()) {
          return;
        }
        if (JSON.stringify(now.answer) !== JSON.stringify(known.answer)) {
          setAnswer(now);
          setSaid('');
          return;
        }
      }
      setSaid(
        known.answer
          ? 'The learner says the same as before, or has not answered yet.'
          : 'No answer within ' + Math.round((AGAIN_MILLIS * MOST_LOOKS) / 1000) + ' s.',
      );
    } catch (failed) {
      if (!overtaken()) {
        setSaid((failed as Error).message);
      }
    }
  };
  return (
    <Card title="One sample" id="sample">
      {recorded ? (
        <Quiet>A recorded report cannot be asked for samples.</Quiet>
      ) : (
        <form
          class="inline-form"
          onSubmit={(event) => {
            event.preventDefault();
            void ask();
          }}
        >
          <label class="field">
            Id of the event, or # and the sample's number
            <input
              type="text"
              value={id}
              placeholder="#1000"
              maxLength={2000}
              onInput={(event) => setId((event.target as HTMLInputElement).value)}
            />
          </label>
          <button type="submit" class="accent">
            {store.writable() ? 'Explain' : 'Look up'}
          </button>
        </form>
      )}
      <p class="said" role="status">
        {said}
      </p>
      {asked !== null && answer && <SampleFacts asked={asked} answer={answer} of={learner.key} />}
    </Card>
  );
}

function SampleFacts(props: { asked: string; answer: SampleHistory; of: string }) {
  const { of } = props;
  const { answer: sample, moves } = props.answer;
  const strengths = Object.entries(sample?.strengths ?? {}).sort((a, b) => b[1] - a[1]);
  return (
    <div class="sample">
      {sample && !sample.found && <Quiet>The learner does not have sample {props.asked}.</Quiet>}
      {sample?.found && (
        <>
          <Stats>
            <Stat
              label={
                <>
                  Sample #<Num value={sample.sampleId} path="sample.sampleId" of={of} />
                </>
              }
            >
              {NAMES[sample.stage as Stage] ?? sample.stage}
            </Stat>
            <Stat
              label="Score"
              note={
                <>
                  now <Num value={sample.scoreNow} format={thousandths} path="sample.scoreNow" of={of} />
                </>
              }
            >
              <Num value={sample.score} format={thousandths} path="sample.score" of={of} />
            </Stat>
            <Stat label="Loss">
              {sample.loss < 0 ? 'not measured' : <Num value={sample.loss} format={short} path="sample.loss" of={of} />}
            </Stat>
            <Stat
              label="Evaluated"
              note={
                sample.lastUpdate === 0 ? (
                  'never trained'
                ) : (
                  <>
                    last in update <Num value={sample.lastUpdate} path="sample.lastUpdate" of={of} />
                  </>
                )
              }
            >
              <Num value={sample.evaluations} path="sample.evaluations" of={of} /> {'\u00d7'}
            </Stat>
          </Stats>
          <Bars title="Facts" entries={Object.entries(sample.facts)} path="sample.facts." of={of} />
          {strengths.length > 0 && (
            <Bars title="Rules, by how strongly they fire" entries={strengths} path="sample.strengths." of={of} unit />
          )}
          {Object.keys(sample.idOccurrences ?? {}).length > 0 && (
            <Bars
              title="How often its ids came in training"
              entries={Object.entries(sample.idOccurrences)}
              path="sample.idOccurrences."
              of={of}
              whole
            />
          )}
        </>
      )}
      {moves.length > 0 ? (
        <TableBox label="Moves of this sample, newest first">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Move</th>
              <th scope="col">Score</th>
              <th scope="col">Cause</th>
            </tr>
          </thead>
          <tbody>
            {moves
              .map((move, index) => (
                <tr key={move.atMillis}>
                  <td title={dateTime(move.atMillis)}>
                    <Num
                      value={move.atMillis}
                      format={clockMillis}
                      path={'sample.moves.' + index + '.atMillis'}
                      of={of}
                    />
                  </td>
                  <td>
                    {NAMES[move.before as Stage] ?? move.before} {'\u2192'} {NAMES[move.after as Stage] ?? move.after}
                  </td>
                  <td>
                    <Num value={move.score} format={thousandths} path={'sample.moves.' + index + '.score'} of={of} />
                  </td>
                  <td>{move.cause.toLowerCase()}</td>
                </tr>
              ))
              .reverse()}
          </tbody>
        </TableBox>
      ) : (
        <Quiet>No moves are known; they are traced for one sample in 64.</Quiet>
      )}
    </div>
  );
}

function thousandths(value: number | null | undefined): string {
  return decimals(value, 3);
}

function Bars(props: {
  title: string;
  entries: [string, number][];
  path: string;
  of: string;
  unit?: boolean;
  whole?: boolean;
}) {
  return (
    <div class="bars">
      <h3>{props.title}</h3>
      <dl>
        {props.entries.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {props.unit && (
                <span class="bar-track" aria-hidden="true">
                  <i style={{ width: Math.max(0, Math.min(1, value)) * 100 + '%' }} />
                </span>
              )}
              <Num value={value} format={props.whole ? count : thousandths} path={props.path + name} of={props.of} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
