import type { ComparedVersions, MixingStatus } from '../api/types.ts';
import type { ConsoleStore } from '../store/console.ts';
import type { Learner } from '../store/learner.ts';
import { MISSING, balance } from '../store/balance.ts';
import { secondsToFiring } from '../store/forecast.ts';
import { reading } from '../store/quality.ts';
import { route } from '../store/session.ts';
import { type Verdict, verdicts, worst, worstFirst } from '../store/verdicts.ts';
import { count, decimals, known, perSecond } from '../format/number.ts';
import { age, duration } from '../format/time.ts';
import { Card, Num, Sign, TableBox, TextWithNumbers } from '../parts/parts.tsx';
import { STAGE_WORDS, StageBar } from '../parts/StageBar.tsx';
import { ChargeBar } from '../parts/ChargeBar.tsx';

const MOST_FINDINGS = 12;
const TRAINING = 'a training runs';

export function Overview(props: { store: ConsoleStore; nowMillis: number }) {
  const { store, nowMillis } = props;
  const learners = store.sorted();
  const checked = new Map(
    learners.map((learner) => [
      learner.key,
      verdicts(learner, store.application(learner.application), nowMillis, store.newModels(learner.key)),
    ]),
  );
  const findings = worstFirst([...checked.values()].flat()).filter(
    (verdict) => verdict.severity === 'bad' || verdict.severity === 'warn',
  );
  return (
    <>
      <Card
        title="Learners"
        id="learners"
        aside={
          <span class="stage-legend">
            {STAGE_WORDS.map(({ key, name }) => (
              <span key={key}>
                <i class="key" style={{ background: 'var(--' + key + ')' }} />
                {name}
              </span>
            ))}
          </span>
        }
      >
        <TableBox label="Learners, one a row" class="overview">
          <thead>
            <tr>
              <th scope="col">Learner</th>
              <th scope="col">Events, waiting</th>
              <th scope="col">Life stages</th>
              <th scope="col">Model</th>
              <th scope="col">Quality</th>
              <th scope="col">Next update</th>
              <th scope="col">Balance</th>
            </tr>
          </thead>
          <tbody>
            {learners.map((learner) => (
              <Row
                key={learner.key}
                store={store}
                learner={learner}
                nowMillis={nowMillis}
                checks={checked.get(learner.key) ?? []}
              />
            ))}
          </tbody>
        </TableBox>
      </Card>
      <Card title="What is wrong, worst first" id="findings" class="findings">
        {findings.length === 0 ? (
          <p class="all-well">
            <Sign severity="good" word="Nothing" /> Every check of every learner is good.
          </p>
        ) : (
          <ul class="finding-list">
            {findings.slice(0, MOST_FINDINGS).map((finding) => (
              <li key={finding.learner + finding.check}>
                <Sign severity={finding.severity} />
                <a href={route('health', finding.learner ?? '')}>{finding.learner}</a>
                <span>
                  <b>{finding.check}.</b> <TextWithNumbers words={finding.text} of={finding.learner ?? ''} />
                </span>
              </li>
            ))}
            {findings.length > MOST_FINDINGS && <li>and {count(findings.length - MOST_FINDINGS)} more, see Health</li>}
          </ul>
        )}
      </Card>
    </>
  );
}

function Row(props: { store: ConsoleStore; learner: Learner; nowMillis: number; checks: Verdict[] }) {
  const { store, learner, nowMillis, checks } = props;
  const { status } = learner;
  const application = store.application(learner.application);
  const of = learner.key;
  const sums = balance(status);
  const { charge } = status.decision.grounds;
  const { pinned } = status;
  const version = pinned?.version ?? status.progress.modelVersion;
  const publishedAt = learner.publishedAt(version);
  const next = secondsToFiring(status.decision.nextFiringInSeconds, learner.last.atMillis, nowMillis);
  const severity = worst(checks);
  return (
    <tr>
      <th scope="row">
        <a class="learner-link" href={route('why', learner.key)}>
          {learner.key}
        </a>
        <Sign
          severity={severity}
          word={severity === 'good' || severity === 'quiet' ? 'Good' : severity === 'warn' ? 'Warning' : 'Problem'}
        />
        <small>{[application?.modelType, application?.task].filter(Boolean).join(', ')}</small>
      </th>
      <td>
        <Num value={learner.eventsPerSecond()} format={perSecond} formula="rate(samples.received)" of={of} />
        <small>
          <Num value={status.decision.pending} path="decision.pending" of={of} /> waiting
        </small>
      </td>
      <td class="stages-cell">
        <StageBar stages={status.stages} />
        <small>
          <Num value={status.samples.stored} path="samples.stored" of={of} /> stored
        </small>
      </td>
      <td>
        {version === 0 ? (
          'None yet'
        ) : (
          <>
            v<Num value={version} path={pinned ? 'pinned.version' : 'progress.modelVersion'} of={of} />
          </>
        )}
        {pinned && (
          <small>
            {pinned.until === 0 ? 'pinned' : 'rolled back'}, newest is v
            <Num value={status.progress.modelVersion} path="progress.modelVersion" of={of} />
          </small>
        )}
        {status.mixing && <Mixed mixing={status.mixing} of={of} />}
        <small>
          {publishedAt === null ? (
            version === 0 ? (
              ''
            ) : (
              'age not known'
            )
          ) : (
            <>
              <Num
                value={publishedAt}
                format={() => age(Math.max(1, (nowMillis - publishedAt) / 1000))}
                path={'published.' + version}
                of={of}
              />{' '}
              old
            </>
          )}
        </small>
      </td>
      <td class="quality-cell">
        <QualityCell learner={learner} metric={application?.metric ?? ''} />
      </td>
      <td class="next-cell">
        <ChargeBar charge={charge} of={of} />
        <small>
          <Next learner={learner} seconds={next} />
        </small>
      </td>
      <td>
        <Sign severity={sums.verdict.severity} word={sums.verdict.word} />
        <small>
          <Num value={sums.received} path="samples.received" of={of} /> received
          {sums.missing !== 0 && (
            <>
              , <Num value={Math.abs(sums.missing)} formula={MISSING} of={of} />
              {sums.missing > 0 ? ' missing' : ' too many'}
            </>
          )}
          {sums.lostOffsets > 0 && (
            <>
              , <Num value={sums.lostOffsets} path="input.lostOffsets" of={of} /> offsets lost
            </>
          )}
        </small>
      </td>
    </tr>
  );
}

/** The metric that the application goes by, of the last 1,000 samples, beside what needs no model. */
function QualityCell(props: { learner: Learner; metric: string }) {
  const { status, key: of } = props.learner;
  const found = reading(props.metric, status.prequential, 'recent');
  if (!found) {
    return <small>not tested yet</small>;
  }
  const { classification } = status.prequential;
  const temporal = classification?.recent?.kappaTemporal;
  return (
    <>
      <Num {...found.model} of={of} />
      <small>{/^[A-Z][A-Z0-9]/.test(found.words) ? found.words : found.words.toLowerCase()}</small>
      {found.rules.map(({ words, figure }) => (
        <small key={words}>
          {words} <Num {...figure} of={of} />
        </small>
      ))}
      {props.metric === 'kappa-temporal' && known(temporal) && (
        <small>
          kappa-temporal{' '}
          <Num
            value={temporal}
            format={(value) => decimals(value, 3)}
            path="prequential.classification.recent.kappaTemporal"
            of={of}
          />
        </small>
      )}
      {status.compared && status.compared.samples >= FEWEST_EVENTS && <Compared compared={status.compared} of={of} />}
    </>
  );
}

/** Older versions and the model itself, on the last 1,000 events that have tested them all. */
function Compared(props: { compared: ComparedVersions; of: string }) {
  const { compared, of } = props;
  const { once, renewed, model } = compared;
  const format = (value: number | null | undefined) => decimals(value, 3);
  return (
    <>
      <small title={'Version ' + once.version + ', which has learned ' + count(once.learned) + ' events'}>
        trained once <Num value={once.quality.recent} format={format} path="compared.once.quality.recent" of={of} />
      </small>
      <small title={'Version ' + renewed.version + ', which has learned ' + count(renewed.learned) + ' events'}>
        renewed every <Num value={compared.every} path="compared.every" of={of} /> events{' '}
        <Num value={renewed.quality.recent} format={format} path="compared.renewed.quality.recent" of={of} />
      </small>
      <small>
        this model, same events <Num value={model.recent} format={format} path="compared.model.recent" of={of} />
      </small>
    </>
  );
}

/** Fewest tested events of a comparison that is shown; fewer of them say little. */
const FEWEST_EVENTS = 100;

const MIXING_STATES = {
  ALONE: 'nothing contributed yet',
  OPEN: 'contribution waits',
  SETTLED: 'goes on from it',
  LATE: 'goes on alone: no version has contained its contribution in time',
  REFUSED: 'goes on alone: the release gate has refused the mixed model with its contribution',
};

/** Where partitions learn one model: the round that the learner adopted last, and who took part in it. */
function Mixed(props: { mixing: MixingStatus; of: string }) {
  const { mixing, of } = props;
  const parts = mixing.parts.map((part) => part.partition + ': ' + count(part.rows) + ' new samples');
  return (
    <small title={[...parts, ...mixing.notes].join('; ')}>
      {mixing.round > 0 && (
        <>
          mixed, round <Num value={mixing.round} path="mixing.round" of={of} />
          {mixing.parts.length > 0 && (
            <>
              {' '}
              of <Num value={mixing.parts.length} path="mixing.parts.length" of={of} />{' '}
              {mixing.parts.length === 1 ? 'partition' : 'partitions'}
            </>
          )}
          ,{' '}
        </>
      )}
      {MIXING_STATES[mixing.state]}
    </small>
  );
}

/** In words: when the next update fires. */
export function Next(props: { learner: Learner; seconds: number | null }) {
  const { learner, seconds } = props;
  const { progress, decision } = learner.status;
  if (seconds === null) {
    return <>{progress.training ? TRAINING : decision.pending === 0 ? 'no sample waits' : 'no time known'}</>;
  }
  const words =
    seconds === 0 ? 'due' : 'in ' + duration(seconds < 1 ? seconds : Number(decimals(seconds, 1).replaceAll(',', '')));
  return (
    <Num
      value={learner.last.atMillis + 1000 * decision.nextFiringInSeconds}
      format={() => (progress.training ? TRAINING : words)}
      formula="last.atMillis + 1000 * decision.nextFiringInSeconds"
      of={learner.key}
    />
  );
}
