import { useState } from 'preact/hooks';
import { SPANS, type Span, type View, spanStart } from './view.ts';
import { Chart, type Mark } from '../charts/Chart.tsx';
import { firstAtOrAfter, plain, thinned } from '../charts/window.ts';
import { count, counted, decimals, percent, short } from '../format/number.ts';
import { dateTime } from '../format/time.ts';
import { Card, Num, Quiet, Segments, Sign, Stat, Stats, TableBox } from '../parts/parts.tsx';
import type { Learner } from '../store/learner.ts';

const MOST_VERSIONS = 24;
const MOST_EVENTS = 60;
const SHOWN_NOTES = 12;
const GATE_TYPES = new Set(['HELD', 'WORSE', 'ROLLED_BACK']);
const NOTE_COLORS: Record<string, string> = { HELD: 'warn', WORSE: 'bad', ROLLED_BACK: 'bad' };
const NOTE_WORDS: Record<string, string> = { HELD: 'Held', WORSE: 'Worse', ROLLED_BACK: 'Rolled back' };

export function Quality({ learner, nowMillis, application }: View) {
  const [span, setSpan] = useState<Span>('30m');
  const { history } = learner;
  const { prequential, gate } = learner.status;
  const of = learner.key;
  const start = spanStart(span, nowMillis);
  const all = history.times();
  const from = firstAtOrAfter(all, start);
  const times = [...all.subarray(from)];
  const marks = [...versionMarks(learner, start), ...driftMarks(learner, from), ...noteMarks(learner, start)];
  const { classification, regression } = prequential;
  const tested = (
    <>
      <Stat label="Tested before training">
        <Num value={prequential.scored} path="prequential.scored" of={of} />
      </Stat>
      <Stat label="Not tested" note="the scorer could not keep up">
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
              <Stat label="Accuracy, last 1,000" large>
                <Num
                  value={classification.recentAccuracy}
                  format={percent}
                  path="prequential.classification.recentAccuracy"
                  of={of}
                />
              </Stat>
              <Stat label="Accuracy, all">
                <Num
                  value={classification.accuracy}
                  format={percent}
                  path="prequential.classification.accuracy"
                  of={of}
                />
              </Stat>
              <Stat label="No-change">
                <Num
                  value={classification.noChangeAccuracy}
                  format={percent}
                  path="prequential.classification.noChangeAccuracy"
                  of={of}
                />
              </Stat>
              <Stat label="Majority">
                <Num
                  value={classification.majorityAccuracy}
                  format={percent}
                  path="prequential.classification.majorityAccuracy"
                  of={of}
                />
              </Stat>
              <Stat label="Log loss" note={'perplexity ' + short(Math.exp(classification.logLoss))}>
                <Num value={classification.logLoss} format={short} path="prequential.classification.logLoss" of={of} />{' '}
                nats
              </Stat>
              {tested}
            </Stats>
            <Chart
              title="Accuracy over time"
              summary={
                'Accuracy of the last 1,000 samples is ' +
                percent(classification.recentAccuracy) +
                ', of all ' +
                percent(classification.accuracy) +
                '; repeating the previous label has ' +
                percent(classification.noChangeAccuracy) +
                ', the most frequent label ' +
                percent(classification.majorityAccuracy) +
                '. ' +
                eventWords(marks)
              }
              times={times}
              series={[
                {
                  label: 'last 1,000',
                  color: 'accent',
                  width: 2.5,
                  values: plain(history.column('prequential.classification.recentAccuracy'), from),
                },
                {
                  label: 'all',
                  color: 'strong',
                  width: 1.5,
                  values: plain(history.column('prequential.classification.accuracy'), from),
                },
                {
                  label: 'no-change',
                  color: 'quiet',
                  dash: [6, 4],
                  width: 1.5,
                  values: plain(history.column('prequential.classification.noChangeAccuracy'), from),
                },
                {
                  label: 'majority',
                  color: 'quiet',
                  dash: [2, 4],
                  width: 1.5,
                  values: plain(history.column('prequential.classification.majorityAccuracy'), from),
                },
              ]}
              marks={marks}
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
                'The mean absolute error is ' +
                short(regression.meanAbsoluteError) +
                '; repeating the previous target has ' +
                short(regression.noChangeMeanAbsoluteError) +
                '. ' +
                eventWords(marks)
              }
              times={times}
              series={[
                {
                  label: 'mean absolute error',
                  color: 'accent',
                  width: 2.5,
                  values: plain(history.column('prequential.regression.meanAbsoluteError'), from),
                },
                {
                  label: 'root mean squared error',
                  color: 'strong',
                  width: 1.5,
                  values: plain(history.column('prequential.regression.rootMeanSquaredError'), from),
                },
                {
                  label: 'no-change',
                  color: 'quiet',
                  dash: [6, 4],
                  width: 1.5,
                  values: plain(history.column('prequential.regression.noChangeMeanAbsoluteError'), from),
                },
              ]}
              marks={marks}
              include={[0]}
              format={short}
              height={300}
            />
          </>
        )}
        {!classification && !regression && <Quiet>No sample was tested yet: the first model is still to come.</Quiet>}
        <p class="quiet-line mark-legend">
          <i class="line-key version" /> version published (thinned) <i class="line-key warn" /> held, drift opened{' '}
          <i class="line-key bad" /> worse, rolled back
        </p>
      </Card>
      <div class="columns two">
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
                {gate.held ? 'waits' : 'in service'}
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
              {application?.tables
                ? 'Models with embedding tables are not compared.'
                : 'Models are not compared: the release gate is off.'}
            </Quiet>
          )}
        </Card>
        <Card
          title="Held, worse, rolled back"
          id="gate-events"
          aside={notes.length > 0 ? counted(notes.length, 'event') : undefined}
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
                </tr>
              </thead>
              <tbody>
                {notes
                  .slice(-SHOWN_NOTES)
                  .reverse()
                  .map((note) => (
                    <tr key={note.atMillis + note.type}>
                      <td class="nowrap">{dateTime(note.atMillis).slice(5)}</td>
                      <td>{count(note.updateNumber)}</td>
                      <td class="prose-cell">
                        <Sign
                          severity={note.type === 'HELD' ? 'warn' : 'bad'}
                          word={NOTE_WORDS[note.type] ?? note.type}
                        />{' '}
                        {note.message}
                      </td>
                    </tr>
                  ))}
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

/** Where the urgency rises above 1: a drift was opened. */
function driftMarks(learner: Learner, from: number): Mark[] {
  const times = learner.history.times();
  const urgency = learner.history.column('decision.grounds.basis.urgency');
  const opened: Mark[] = [];
  for (let row = Math.max(1, from); row < times.length; row++) {
    if ((urgency[row] as number) > 1 && !((urgency[row - 1] as number) > 1)) {
      opened.push({ at: times[row] as number, color: 'warn', sign: true });
    }
  }
  return thinned(opened, MOST_EVENTS);
}

function noteMarks(learner: Learner, start: number): Mark[] {
  const marks = learner.notes
    .filter((note) => note.atMillis >= start && NOTE_COLORS[note.type] !== undefined)
    .map((note) => ({ at: note.atMillis, color: NOTE_COLORS[note.type] as string, sign: true }));
  return thinned(marks, MOST_EVENTS);
}

function eventWords(marks: Mark[]): string {
  const signs = marks.filter((mark) => mark.sign).length;
  return signs === 0
    ? 'No drift and no held or worse model is marked.'
    : counted(signs, 'drift, held or worse model', 'drifts, held or worse models') + ' marked.';
}
