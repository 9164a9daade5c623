import { useEffect } from 'preact/hooks';
import type { View } from './view.ts';
import { count, short } from '../format/number.ts';
import { dateTime, duration } from '../format/time.ts';
import { Card, Num, Quiet, Sign, Stat, Stats, TableBox, TextWithNumbers } from '../parts/parts.tsx';
import { IN_TRAINING, MISSING, balance } from '../store/balance.ts';
import { type Verdict, connectionVerdicts, verdicts, worstFirst } from '../store/verdicts.ts';

const SHOWN_NOTES = 20;
const MODELS_EVERY_MILLIS = 30_000;

export function Health({ store, learner, application, nowMillis }: View) {
  const of = learner.key;
  useEffect(() => {
    void store.askModels(of);
    const timer = setInterval(() => void store.askModels(of), MODELS_EVERY_MILLIS);
    return () => clearInterval(timer);
  }, [of]);
  const { status } = learner;
  const sums = balance(status);
  const checks = worstFirst(verdicts(learner, application, nowMillis, store.models.get(of)));
  const connection = connectionVerdicts(store.info, store.link, Date.now());
  const notes = learner.notes.slice(-SHOWN_NOTES).reverse();
  return (
    <>
      <Card title="Checks" id="checks">
        <Checks checks={[...connection, ...checks]} of={of} />
      </Card>
      <div class="columns two">
        <Card title="Balance" id="balance" aside={<Sign severity={sums.verdict.severity} word={sums.verdict.word} />}>
          <dl class="sum">
            <Term word="received" value={sums.received} path="samples.received" of={of} />
            <Term word="trained" value={sums.trained} path="progress.trainedNewSamples" of={of} sign="=" />
            <Term word="duplicates" value={sums.duplicates} path="samples.duplicates" of={of} sign="+" />
            <Term word="malformed" value={sums.malformed} path="samples.malformed" of={of} sign="+" />
            <Term word="unlabeled" value={sums.unlabeled} path="samples.unlabeled" of={of} sign="+" />
            <Term word="merged" value={sums.merged} path="samples.merged" of={of} sign="+" />
            <Term word="labels waiting" value={sums.labelsWaiting} path="samples.labelsWaiting" of={of} sign="+" />
            <Term word="labels given up" value={sums.labelsGivenUp} path="samples.labelsGivenUp" of={of} sign="+" />
            <Term word="quarantined" value={sums.quarantined} path="samples.quarantined" of={of} sign="+" />
            <Term word="pending" value={sums.pending} path="decision.pending" of={of} sign="+" />
            {sums.inTraining > 0 && (
              <Term word="in the running training" value={sums.inTraining} formula={IN_TRAINING} of={of} sign="+" />
            )}
            {sums.missing !== 0 && (
              <Term
                word={sums.missing > 0 ? 'missing' : 'too many'}
                value={Math.abs(sums.missing)}
                of={of}
                sign={sums.missing > 0 ? '+' : '\u2212'}
                formula={MISSING}
              />
            )}
          </dl>
          <Quiet>
            <Num value={status.samples.labelsDefaulted} path="samples.labelsDefaulted" of={of} /> events got the default
            label, <Num value={status.samples.defaultsCorrected} path="samples.defaultsCorrected" of={of} /> of these
            were corrected. <Num value={sums.lostOffsets} path="input.lostOffsets" of={of} /> offsets lost,{' '}
            <Num value={status.input.reread} path="input.reread" of={of} /> records delivered again,{' '}
            <Num value={status.input.refusedControls} path="input.refusedControls" of={of} /> requests refused.
          </Quiet>
        </Card>
        <Card title="Speed" id="speed">
          <Stats>
            <Stat label="Ingestion p50">
              <Num value={status.ingestion.p50Millis} format={millis} path="ingestion.p50Millis" of={of} />
            </Stat>
            <Stat label="p99">
              <Num value={status.ingestion.p99Millis} format={millis} path="ingestion.p99Millis" of={of} />
            </Stat>
            <Stat
              label="Longest"
              note={
                <>
                  of <Num value={status.ingestion.events} path="ingestion.events" of={of} /> events
                </>
              }
            >
              <Num value={status.ingestion.maxMillis} format={millis} path="ingestion.maxMillis" of={of} />
            </Stat>
            <Stat label="Incorporation, mean" note="from arrival to publication">
              <Num
                value={status.incorporation.meanSeconds}
                format={duration}
                path="incorporation.meanSeconds"
                of={of}
              />
            </Stat>
            <Stat
              label="Incorporation, p99"
              note={
                <>
                  of <Num value={status.incorporation.count} path="incorporation.count" of={of} /> samples
                </>
              }
            >
              <Num value={status.incorporation.p99Seconds} format={duration} path="incorporation.p99Seconds" of={of} />
            </Stat>
            <Stat label="Labels joined late">
              <Num value={status.samples.joined} path="samples.joined" of={of} />
            </Stat>
            <Stat label="Passed over" note="known before training">
              <Num value={status.samples.passedOver} path="samples.passedOver" of={of} />
            </Stat>
          </Stats>
        </Card>
      </div>
      <Card title="What the learner said" id="notes">
        {notes.length === 0 ? (
          <Quiet>Nothing that people should read has happened, as far back as is known.</Quiet>
        ) : (
          <TableBox label="Events, newest first" class="short-table">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Event</th>
                <th scope="col">Update</th>
                <th scope="col">Message</th>
              </tr>
            </thead>
            <tbody>
              {notes.map((note) => {
                const path = 'notes.' + note.atMillis + '.' + note.type + '.';
                return (
                  <tr key={note.atMillis + note.type + note.message}>
                    <td class="nowrap">
                      <Num value={note.atMillis} format={dateTime} path={path + 'atMillis'} of={of} />
                    </td>
                    <td class="nowrap">{note.type.toLowerCase().replaceAll('_', ' ')}</td>
                    <td>
                      <Num value={note.updateNumber} path={path + 'updateNumber'} of={of} />
                    </td>
                    <td class="prose-cell">{note.message}</td>
                  </tr>
                );
              })}
            </tbody>
          </TableBox>
        )}
      </Card>
      {status.input.lost.length > 0 && (
        <Card title="Lost ranges of the input" id="lost">
          <TableBox label="Lost ranges of the input">
            <thead>
              <tr>
                <th scope="col">Input</th>
                <th scope="col">From</th>
                <th scope="col">Until</th>
                <th scope="col">Why</th>
              </tr>
            </thead>
            <tbody>
              {status.input.lost.map((range, index) => (
                <tr key={range.input + range.from}>
                  <th scope="row">{range.input}</th>
                  <td>
                    <Num value={range.from} path={'input.lost.' + index + '.from'} of={of} />
                  </td>
                  <td>
                    <Num value={range.until} path={'input.lost.' + index + '.until'} of={of} />
                  </td>
                  <td class="prose-cell">{range.why}</td>
                </tr>
              ))}
            </tbody>
          </TableBox>
        </Card>
      )}
    </>
  );
}

/** Whole numbers whole, others short. */
function plainest(value: number | null | undefined): string {
  return Number.isInteger(value) ? count(value) : short(value);
}

function millis(value: number | null | undefined): string {
  return duration(typeof value === 'number' ? value / 1000 : value);
}

/** A number beside a check has the unit that its path ends with. */
function formatOf(path: string): (value: number | null | undefined) => string {
  return path.endsWith('Millis') ? millis : path.endsWith('Seconds') ? duration : plainest;
}

function Checks(props: { checks: Verdict[]; of: string }) {
  return (
    <ul class="checks">
      {props.checks.map((check) => (
        <li key={check.check}>
          <Sign severity={check.severity} />
          <b>{check.check}</b>
          <span>
            <TextWithNumbers words={check.text} of={props.of} />
          </span>
          {check.path !== undefined && check.value !== undefined ? (
            <span class="check-value">
              <Num value={check.value} format={formatOf(check.path)} path={check.path} of={props.of} />
            </span>
          ) : (
            <span />
          )}
        </li>
      ))}
    </ul>
  );
}

function Term(props: { word: string; value: number; path?: string; formula?: string; of: string; sign?: string }) {
  return (
    <div>
      <dt>
        <span aria-hidden="true">{props.sign ?? ''}</span> {props.word}
      </dt>
      <dd>
        {props.path ? (
          <Num value={props.value} path={props.path} of={props.of} />
        ) : (
          <Num value={props.value} formula={props.formula ?? ''} of={props.of} />
        )}
      </dd>
    </div>
  );
}
