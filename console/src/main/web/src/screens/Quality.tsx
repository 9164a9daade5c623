import { useState } from 'preact/hooks';
import { ByClass } from './ByClass.tsx';
import { LastLabels } from './LastLabels.tsx';
import { Metrics } from './Metrics.tsx';
import { NetworkAlone } from './NetworkAlone.tsx';
import { WithoutContext } from './WithoutContext.tsx';
import { SPANS, type Span, type View, spanStart } from './view.ts';
import { Chart, type Mark } from '../charts/Chart.tsx';
import { ofHistory } from '../charts/sources.ts';
import { firstAtOrAfter, plain, stretchesAbove, thinned } from '../charts/window.ts';
import { decimals, percent, short } from '../format/number.ts';
import { clock, dateTime } from '../format/time.ts';
import { Card, Num, Quiet, Segments, Sign, Stat, Stats, TableBox, TextWithNumbers } from '../parts/parts.tsx';
import type { Learner } from '../store/learner.ts';
import type { Drawn } from '../store/paths.ts';
import { newestModel } from '../store/pins.ts';
import { type Figure, type TextParts, countedText } from '../store/textParts.ts';

const MOST_VERSIONS = 24;
const MOST_EVENTS = 60;
const SHOWN_NOTES = 6;
const GATE_TYPES = new Set(['HELD', 'WORSE', 'ROLLED_BACK', 'UNCOMPARED']);
const MARKED: Record<string, Omit<Mark, 'at'>> = {
  HELD: { color: 'warn', sign: 'alone' },
  WORSE: { color: 'bad', sign: 'line' },
  ROLLED_BACK: { color: 'bad', sign: 'line' },
  UNCOMPARED: { color: 'warn', sign: 'alone' },
};
const NOTE_WORDS: Record<string, string> = {
  HELD: 'Held',
  WORSE: 'Worse',
  ROLLED_BACK: 'Rolled back',
  UNCOMPARED: 'Not compared',
};

/** A model and its reference lines on the same samples. */
const LINES = {
  recent: lines('recentAccuracy', 'recentNoChangeAccuracy', 'recentMajorityAccuracy'),
  all: lines('accuracy', 'noChangeAccuracy', 'majorityAccuracy'),
};

type Accuracy = Drawn extends infer Name
  ? Name extends `prequential.classification.${infer Last}`
    ? Last
    : never
  : never;

function lines(model: Accuracy, noChange: Accuracy, majority: Accuracy) {
  const of = (name: Accuracy) => ('prequential.classification.' + name) as Drawn;
  return [
    { label: 'model', name: of(model), color: 'accent', width: 2.5 },
    { label: 'no-change', name: of(noChange), color: 'quiet', dash: [6, 4], width: 1.5 },
    { label: 'majority', name: of(majority), color: 'quiet', dash: [2, 4], width: 1.5 },
  ];
}

export function Quality({ learner, nowMillis, application }: View) {
  const [span, setSpan] = useState<Span>('30m');
  const [which, setWhich] = useState<'recent' | 'all'>('recent');
  const { history } = learner;
  const { prequential, gate } = learner.status;
  const of = learner.key;
  const start = spanStart(span, nowMillis);
  const all = history.times();
  const from = firstAtOrAfter(all, start);
  const times = [...all.subarray(from)];
  const noted = noteMarks(learner, start);
  const shownNotes = thinned(noted, MOST_EVENTS);
  const marks = [...versionMarks(learner, start), ...shownNotes];
  const drifts = stretchesAbove(all, history.column('decision.grounds.basis.urgency'), from, 1).map(([begin, end]) => ({
    from: begin,
    to: end,
    color: 'drift',
  }));
  const { classification, regression } = prequential;
  const told = ofHistory(history, from);
  const accuracy = (name: Exclude<Accuracy, 'logLoss'>): Figure => ({
    value: classification?.[name],
    format: percent,
    path: 'prequential.classification.' + name,
  });
  const urgencies = 'history.' + all[from] + 'to' + all[all.length - 1] + '.decision.grounds.basis.urgency';
  const marked = eventWords({ value: drifts.length, formula: 'stretches(' + urgencies + ', 1)' }, shownNotes.length, {
    value: noted.length,
    formula: numberOfNotes(Object.keys(MARKED), start, learner),
  });
  const tested = (
    <>
      <Stat label="Tested before training">
        <Num value={prequential.scored} path="prequential.scored" of={of} />
      </Stat>
      <Stat label="Not tested" note={prequential.unscored > 0 ? 'the scorer could not keep up' : 'the scorer keeps up'}>
        <Num value={prequential.unscored} path="prequential.unscored" of={of} />
      </Stat>
    </>
  );
  const aside = <Segments label="Span of time" value={span} options={SPANS} change={setSpan} />;
  const notes = learner.notes.filter((note) => GATE_TYPES.has(note.type));
  return (
    <>
      <Card title="Tested on each new sample before training on it" id="quality" aside={aside}>
        {classification && (
          <>
            <Stats>
              <Stat
                label="Accuracy, last 1,000"
                large
                note={
                  <>
                    no-change{' '}
                    <Num
                      value={classification.recentNoChangeAccuracy}
                      format={percent}
                      path="prequential.classification.recentNoChangeAccuracy"
                      of={of}
                    />
                    {', majority '}
                    <Num
                      value={classification.recentMajorityAccuracy}
                      format={percent}
                      path="prequential.classification.recentMajorityAccuracy"
                      of={of}
                    />
                  </>
                }
              >
                <Num
                  value={classification.recentAccuracy}
                  format={percent}
                  path="prequential.classification.recentAccuracy"
                  of={of}
                />
              </Stat>
              <Stat
                label="Accuracy, all"
                note={
                  <>
                    no-change{' '}
                    <Num
                      value={classification.noChangeAccuracy}
                      format={percent}
                      path="prequential.classification.noChangeAccuracy"
                      of={of}
                    />
                    {', majority '}
                    <Num
                      value={classification.majorityAccuracy}
                      format={percent}
                      path="prequential.classification.majorityAccuracy"
                      of={of}
                    />
                  </>
                }
              >
                <Num
                  value={classification.accuracy}
                  format={percent}
                  path="prequential.classification.accuracy"
                  of={of}
                />
              </Stat>
              <Stat
                label="Log loss"
                note={
                  <>
                    perplexity{' '}
                    <Num
                      value={Math.exp(classification.logLoss)}
                      format={short}
                      formula="exp(prequential.classification.logLoss)"
                      of={of}
                    />
                  </>
                }
              >
                <Num value={classification.logLoss} format={short} path="prequential.classification.logLoss" of={of} />{' '}
                nats
              </Stat>
              {tested}
            </Stats>
            <Segments
              label="Which samples"
              value={which}
              options={[
                ['recent', 'Last 1,000 samples'],
                ['all', 'All samples'],
              ]}
              change={setWhich}
            />
            <Chart
              title={which === 'recent' ? 'Accuracy of the last 1,000 samples' : 'Accuracy of all samples so far'}
              summary={
                <TextWithNumbers
                  words={[
                    'Accuracy of the last 1,000 samples is ',
                    accuracy('recentAccuracy'),
                    '; repeating the previous label has ',
                    accuracy('recentNoChangeAccuracy'),
                    ' on them, the most frequent label ',
                    accuracy('recentMajorityAccuracy'),
                    '. Of all samples: ',
                    accuracy('accuracy'),
                    ', ',
                    accuracy('noChangeAccuracy'),
                    ' and ',
                    accuracy('majorityAccuracy'),
                    '. ',
                    ...marked,
                  ]}
                  of={of}
                />
              }
              of={of}
              times={times}
              timeSource={told('atMillis')}
              series={LINES[which].map(({ label, name, ...look }) => ({
                label,
                ...look,
                values: plain(history.column(name), from),
                source: told(name),
              }))}
              marks={marks}
              spans={drifts}
              format={percent}
              height={300}
            />
          </>
        )}
        {regression && (
          <>
            <Stats>
              <Stat label="Mean absolute error" large>
                <Num
                  value={regression.meanAbsoluteError}
                  format={short}
                  path="prequential.regression.meanAbsoluteError"
                  of={of}
                />
              </Stat>
              <Stat label="No-change error">
                <Num
                  value={regression.noChangeMeanAbsoluteError}
                  format={short}
                  path="prequential.regression.noChangeMeanAbsoluteError"
                  of={of}
                />
              </Stat>
              <Stat label="Root mean squared error">
                <Num
                  value={regression.rootMeanSquaredError}
                  format={short}
                  path="prequential.regression.rootMeanSquaredError"
                  of={of}
                />
              </Stat>
              {tested}
            </Stats>
            <Chart
              title="Error over time"
              summary={
                <TextWithNumbers
                  words={[
                    'The mean absolute error is ',
                    {
                      value: regression.meanAbsoluteError,
                      format: short,
                      path: 'prequential.regression.meanAbsoluteError',
                    },
                    '; repeating the previous target has ',
                    {
                      value: regression.noChangeMeanAbsoluteError,
                      format: short,
                      path: 'prequential.regression.noChangeMeanAbsoluteError',
                    },
                    '. ',
                    ...marked,
                  ]}
                  of={of}
                />
              }
              of={of}
              times={times}
              timeSource={told('atMillis')}
              series={[
                {
                  label: 'mean absolute error',
                  color: 'accent',
                  width: 2.5,
                  values: plain(history.column('prequential.regression.meanAbsoluteError'), from),
                  source: told('prequential.regression.meanAbsoluteError'),
                },
                {
                  label: 'root mean squared error',
                  color: 'strong',
                  width: 1.5,
                  values: plain(history.column('prequential.regression.rootMeanSquaredError'), from),
                  source: told('prequential.regression.rootMeanSquaredError'),
                },
                {
                  label: 'no-change',
                  color: 'quiet',
                  dash: [6, 4],
                  width: 1.5,
                  values: plain(history.column('prequential.regression.noChangeMeanAbsoluteError'), from),
                  source: told('prequential.regression.noChangeMeanAbsoluteError'),
                },
              ]}
              marks={marks}
              spans={drifts}
              include={[0]}
              format={short}
              height={300}
            />
          </>
        )}
        {!classification && !regression && <Quiet>No sample was tested yet: the first model is still to come.</Quiet>}
        <p class="quiet-line mark-legend">
          <i class="line-key version" /> version published (thinned) <i class="drift-key" /> drift open{' '}
          <i class="sign-key warn" /> held <i class="sign-key bad" /> worse, rolled back
        </p>
      </Card>
      <NetworkAlone network={learner.status.network} of={of} />
      <WithoutContext history={learner.status.history} of={of} />
      <LastLabels lastLabels={learner.status.lastLabels} of={of} />
      <Metrics classification={classification} regression={regression} of={of} />
      {classification && <ByClass classes={classification.byClass} of={of} />}
      <div class="columns side-first">
        <Card title="Release gate" id="gate">
          {gate ? (
            <Stats>
              <Stat label="In service">
                {gate.inServiceVersion === 0 ? (
                  'none yet'
                ) : (
                  <>
                    v<Num value={gate.inServiceVersion} path="gate.inServiceVersion" of={of} />
                  </>
                )}
              </Stat>
              <Stat
                label="Newest model"
                note={
                  gate.comparedWith > 0 ? (
                    <>
                      compared with v<Num value={gate.comparedWith} path="gate.comparedWith" of={of} />
                    </>
                  ) : (
                    'compared with none'
                  )
                }
              >
                {newestModel(learner.status, gate)}
              </Stat>
              <Stat label="Compared on">
                <Num value={gate.samples} path="gate.samples" of={of} /> samples
              </Stat>
              <Stat label="Difference" note="above 0: the new model is worse">
                <Num value={gate.difference} format={(value) => decimals(value, 4)} path="gate.difference" of={of} />
              </Stat>
              <Stat label="Models held">
                <Num value={gate.heldModels} path="gate.heldModels" of={of} />
              </Stat>
              <Stat label="Rolled back">
                <Num value={gate.rollbacks} path="gate.rollbacks" of={of} />
              </Stat>
            </Stats>
          ) : (
            <Quiet>
              {application?.gateAction && application.gateAction !== 'off'
                ? 'No model has been compared yet.'
                : 'Models are not compared: the release gate is off.'}
            </Quiet>
          )}
        </Card>
        <Card
          title="Held, worse, rolled back"
          id="gate-events"
          aside={
            notes.length > 0 && (
              <TextWithNumbers
                words={countedText(
                  { value: notes.length, formula: numberOfNotes([...GATE_TYPES], notes[0]?.atMillis ?? 0, learner) },
                  'event',
                )}
                of={of}
              />
            )
          }
        >
          {notes.length === 0 ? (
            <Quiet>No model was held or found worse, as far back as is known.</Quiet>
          ) : (
            <TableBox label="Models that were held, worse or rolled back, newest first" class="short-table">
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">Update</th>
                  <th scope="col">What</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              <tbody>
                {notes
                  .slice(-SHOWN_NOTES)
                  .reverse()
                  .map((note) => {
                    const path = 'notes.' + note.atMillis + '.' + note.type + '.';
                    return (
                      <tr key={note.atMillis + note.type}>
                        <td class="nowrap" title={dateTime(note.atMillis)}>
                          <Num value={note.atMillis} format={clock} path={path + 'atMillis'} of={of} />
                        </td>
                        <td>
                          <Num value={note.updateNumber} path={path + 'updateNumber'} of={of} />
                        </td>
                        <td>
                          <Sign
                            severity={note.type === 'HELD' ? 'warn' : 'bad'}
                            word={NOTE_WORDS[note.type] ?? note.type}
                          />
                        </td>
                        <td class="prose-cell">{note.message}</td>
                      </tr>
                    );
                  })}
              </tbody>
            </TableBox>
          )}
        </Card>
      </div>
    </>
  );
}

function versionMarks(learner: Learner, start: number): Mark[] {
  const { updates } = learner;
  const published: Mark[] = [];
  for (let position = updates.length - 1; position >= 0; position--) {
    const at = updates.value(position, 'published.atMillis');
    if (updates.value(position, 'firing.atMillis') < start) {
      break;
    }
    if (Number.isFinite(at)) {
      published.push({ at, color: 'mark' });
    }
  }
  return thinned(published.reverse(), MOST_VERSIONS);
}

function noteMarks(learner: Learner, start: number): Mark[] {
  return learner.notes
    .filter((note) => note.atMillis >= start && MARKED[note.type] !== undefined)
    .map((note) => ({ at: note.atMillis, ...(MARKED[note.type] as Omit<Mark, 'at'>) }));
}

/** How many notes of some types there are since then, as a formula. */
function numberOfNotes(types: string[], start: number, learner: Learner): string {
  const until = learner.notes[learner.notes.length - 1]?.atMillis ?? learner.last.atMillis;
  const since = ', ' + Math.max(0, start) + ', ' + until + ')';
  return types.map((type) => 'count(notes.' + type + '.atMillis' + since).join(' + ');
}

function eventWords(drifts: Figure, shown: number, all: Figure): TextParts {
  const thinner: Figure = {
    value: shown,
    formula: 'ceil((' + all.formula + ') / ceil((' + all.formula + ') / ' + MOST_EVENTS + '))',
  };
  return [
    ...countedText(drifts, 'drift'),
    ' and ',
    ...(shown === all.value ? [] : [thinner, ' of ']),
    ...countedText(all, 'held or worse model'),
    ' are marked.',
  ];
}
