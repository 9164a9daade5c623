import type { Application, ConsoleInfo, ModelsAnswer } from '../api/types.ts';
import { count, counted, decimals, known, list, percent } from '../format/number.ts';
import { age, dateTime, duration } from '../format/time.ts';
import { balance } from './balance.ts';
import type { Learner } from './learner.ts';
import { heldPin } from './pins.ts';

export type Severity = 'bad' | 'warn' | 'good' | 'quiet';

/** A check of a learner, with what it found in words. */
export interface Verdict {
  check: string;
  severity: Severity;
  text: string;
  /** the number that it rests on, by its path in the status */
  path?: string;
  value?: number;
  learner?: string;
}

const ORDER: Record<Severity, number> = { bad: 0, warn: 1, good: 2, quiet: 3 };

/** A learner says something at least this often. */
const SAYS_EVERY_SECONDS = 30;
const SILENT_WARN = 1.5 * SAYS_EVERY_SECONDS;
const SILENT_BAD = 4 * SAYS_EVERY_SECONDS;
const SLOW_INGESTION_MILLIS = 1000;
const WORSE_THAN_REFERENCE = 0.01;
/** Of 1,000 samples, so that chance alone seldom makes the difference. */
const LATELY_WORSE_THAN_REFERENCE = 0.04;
const ENOUGH_SCORED = 1000;
const RECENT_MILLIS = 10 * 60_000;

export function worstFirst(verdicts: Verdict[]): Verdict[] {
  return [...verdicts].sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
}

export function worst(verdicts: Verdict[]): Severity {
  return worstFirst(verdicts)[0]?.severity ?? 'quiet';
}

/** All checks of a learner, in a fixed order. */
export function verdicts(
  learner: Learner,
  application: Application | undefined,
  nowMillis: number,
  models?: ModelsAnswer,
): Verdict[] {
  const found = [
    silence(learner, nowMillis),
    balanced(learner),
    lost(learner),
    quarantined(learner),
    malformed(learner),
    dropped(learner, nowMillis),
    refused(learner),
    unscored(learner),
    ingestion(learner),
    quality(learner),
    drift(learner),
    gate(learner, application),
    models ? null : pin(learner),
    engine(learner),
    store(learner, application),
    pinned(models),
  ];
  return found.filter((verdict) => verdict !== null).map((verdict) => ({ ...verdict, learner: learner.key }));
}

function silence(learner: Learner, nowMillis: number): Verdict {
  const seconds = Math.max(0, (nowMillis - learner.last.atMillis) / 1000);
  const finished = learner.last.type === 'FINISHED';
  const severity = finished || seconds < SILENT_WARN ? 'good' : seconds < SILENT_BAD ? 'warn' : 'bad';
  const text = finished
    ? 'The end of the input was reached; all before it is trained and published.'
    : severity === 'good'
      ? 'Said something ' + age(seconds) + ' ago.'
      : 'Silent for ' +
        age(seconds) +
        ', since ' +
        dateTime(learner.last.atMillis) +
        '. A learner says something every ' +
        SAYS_EVERY_SECONDS +
        ' s at least: look whether the job runs.';
  return { check: 'Learner', severity, text };
}

function balanced(learner: Learner): Verdict {
  const sums = balance(learner.status);
  const check = 'Balance';
  const base = { check, path: 'samples.received', value: sums.received };
  return sums.missing === 0
    ? { ...base, severity: 'good', text: 'All ' + counted(sums.received, 'event') + ' received are accounted for.' }
    : {
        ...base,
        severity: 'bad',
        text:
          counted(Math.abs(sums.missing), 'event') +
          (sums.missing > 0
            ? ' of ' + count(sums.received) + ' received are not accounted for.'
            : ' are accounted for more than once.'),
      };
}

function lost(learner: Learner): Verdict {
  const { lostOffsets, lost: ranges } = learner.status.input;
  const base = { check: 'Lost input', path: 'input.lostOffsets', value: lostOffsets };
  if (lostOffsets === 0) {
    return { ...base, severity: 'good', text: 'No input was lost.' };
  }
  const newest = ranges[ranges.length - 1];
  const where = newest
    ? ' Newest range: ' +
      newest.input +
      ', ' +
      count(newest.from) +
      ' to ' +
      count(newest.until) +
      ' (' +
      newest.why +
      ').'
    : '';
  return {
    ...base,
    severity: 'bad',
    text: counted(lostOffsets, 'offset') + ' of the input were gone before they were read.' + where,
  };
}

function quarantined(learner: Learner): Verdict {
  const value = learner.status.samples.quarantined;
  const base = { check: 'Quarantined samples', path: 'samples.quarantined', value };
  return value === 0
    ? { ...base, severity: 'good', text: 'No sample makes trainings fail.' }
    : {
        ...base,
        severity: 'warn',
        text: counted(value, 'sample') + ' are not trained, because trainings with them failed repeatedly.',
      };
}

function malformed(learner: Learner): Verdict {
  const { malformed: value, received } = learner.status.samples;
  const part = received > 0 ? value / received : 0;
  const base = { check: 'Malformed events', path: 'samples.malformed', value };
  return value === 0
    ? { ...base, severity: 'good', text: 'Every event could be decoded.' }
    : {
        ...base,
        severity: part > 0.01 ? 'warn' : 'quiet',
        text: counted(value, 'event') + ' (' + percent(part, 2) + ') could not be decoded; they are dead letters.',
      };
}

function dropped(learner: Learner, nowMillis: number): Verdict {
  const notes = learner.notes.filter((note) => note.type === 'DROPPED');
  const newest = notes[notes.length - 1];
  if (!newest) {
    return {
      check: 'Dropped updates',
      severity: 'good',
      text: 'No training and no publication failed, as far back as is known.',
    };
  }
  const recent = nowMillis - newest.atMillis < RECENT_MILLIS;
  return {
    check: 'Dropped updates',
    severity: recent ? 'bad' : 'warn',
    text:
      counted(notes.length, 'update') +
      ' dropped; the newest at ' +
      dateTime(newest.atMillis) +
      ': ' +
      (newest.message || 'no reason given'),
  };
}

function refused(learner: Learner): Verdict {
  const value = learner.status.input.refusedControls;
  const base = { check: 'Refused requests', path: 'input.refusedControls', value };
  return value === 0
    ? { ...base, severity: 'good', text: 'No record on the control topic was refused.' }
    : {
        ...base,
        severity: 'warn',
        text: counted(value, 'record') + ' on the control topic are no valid requests; they are dead letters.',
      };
}

function unscored(learner: Learner): Verdict {
  const { unscored: value, scored } = learner.status.prequential;
  const base = { check: 'Test before training', path: 'prequential.unscored', value };
  const part = scored + value > 0 ? value / (scored + value) : 0;
  return value === 0
    ? { ...base, severity: 'good', text: 'The scorer kept up: every new sample was tested.' }
    : {
        ...base,
        severity: part > 0.05 ? 'warn' : 'quiet',
        text:
          counted(value, 'sample') + ' (' + percent(part) + ') were not tested, because the scorer could not keep up.',
      };
}

function ingestion(learner: Learner): Verdict {
  const { events, p99Millis } = learner.status.ingestion;
  const base = { check: 'Ingestion', path: 'ingestion.p99Millis', value: p99Millis };
  if (events === 0) {
    return { ...base, severity: 'quiet', text: 'No event has arrived since the message before.' };
  }
  return {
    ...base,
    severity: p99Millis > SLOW_INGESTION_MILLIS ? 'warn' : 'good',
    text:
      '99 % of the latest events were processed within ' + duration(p99Millis / 1000) + ' of their time in the topic.',
  };
}

function quality(learner: Learner): Verdict | null {
  const { classification, regression, scored } = learner.status.prequential;
  const check = 'Quality';
  if (scored < ENOUGH_SCORED) {
    return {
      check,
      severity: 'quiet',
      text: 'Fewer than ' + count(ENOUGH_SCORED) + ' samples were tested: too early to judge.',
    };
  }
  if (classification) {
    const { recentAccuracy, accuracy, noChangeAccuracy, majorityAccuracy } = classification;
    const { recentNoChangeAccuracy, recentMajorityAccuracy } = classification;
    const behind = linesAbove(accuracy + WORSE_THAN_REFERENCE, noChangeAccuracy, majorityAccuracy);
    const lately = linesAbove(
      recentAccuracy + LATELY_WORSE_THAN_REFERENCE,
      recentNoChangeAccuracy,
      recentMajorityAccuracy,
    );
    const base = { check, path: 'prequential.classification.accuracy', value: accuracy };
    const fall = accuracy - recentAccuracy > 0.1;
    if (behind.length > 0) {
      return { ...base, severity: 'warn', text: 'Accuracy ' + percent(accuracy) + ' is below ' + list(behind) + '.' };
    }
    if (lately.length > 0) {
      return {
        ...base,
        severity: 'warn',
        text:
          'Accuracy of the last 1,000 samples is ' + percent(recentAccuracy) + ', below ' + list(lately) + ' on them.',
      };
    }
    return fall
      ? {
          ...base,
          severity: 'warn',
          text:
            'Accuracy of the last 1,000 samples fell to ' +
            percent(recentAccuracy) +
            ', overall ' +
            percent(accuracy) +
            '.',
        }
      : { ...base, severity: 'good', text: 'Accuracy ' + percent(accuracy) + ', above its reference lines.' };
  }
  if (regression) {
    const { meanAbsoluteError, noChangeMeanAbsoluteError } = regression;
    const base = { check, path: 'prequential.regression.meanAbsoluteError', value: meanAbsoluteError };
    return meanAbsoluteError > noChangeMeanAbsoluteError
      ? { ...base, severity: 'warn', text: 'The mean error is larger than that of repeating the previous target.' }
      : { ...base, severity: 'good', text: 'The mean error is smaller than that of repeating the previous target.' };
  }
  return null;
}

/** Reference lines above a limit, in words. */
function linesAbove(limit: number, noChange: number, majority: number): string[] {
  const above: string[] = [];
  if (noChange > limit) {
    above.push('repeating the previous label (' + percent(noChange) + ')');
  }
  if (majority > limit) {
    above.push('always naming the most frequent label (' + percent(majority) + ')');
  }
  return above;
}

function drift(learner: Learner): Verdict | null {
  const urgency = learner.status.decision.grounds.basis.urgency;
  const base = { check: 'Drift', path: 'decision.grounds.basis.urgency', value: urgency };
  return urgency > 1
    ? {
        ...base,
        severity: 'warn',
        text: 'A drift is open: a waiting sample is charged ' + decimals(urgency, 2) + ' times as much.',
      }
    : { ...base, severity: 'good', text: 'No drift is open.' };
}

function gate(learner: Learner, application: Application | undefined): Verdict | null {
  const state = learner.status.gate;
  const check = 'Release gate';
  if (!state) {
    return {
      check,
      severity: 'quiet',
      text:
        application?.gateAction && application.gateAction !== 'off'
          ? 'Nothing was compared yet.'
          : 'Models are not compared: the gate is off.',
    };
  }
  const past = counted(state.heldModels, 'model') + ' held so far, ' + counted(state.rollbacks, 'rollback') + '.';
  if (state.held) {
    return {
      check,
      severity: 'quiet',
      text:
        'The newest model waits to be compared with version ' +
        count(state.comparedWith) +
        ' (' +
        counted(state.samples, 'sample') +
        ' compared). ' +
        past,
      path: 'gate.samples',
      value: state.samples,
    };
  }
  return {
    check,
    severity: 'good',
    text: 'Version ' + count(state.inServiceVersion) + ' is in service. ' + past,
    path: 'gate.heldModels',
    value: state.heldModels,
  };
}

function pin(learner: Learner): Verdict | null {
  const { pinned } = learner.status;
  if (!pinned) {
    return null;
  }
  const until = pinned.until === 0 ? 'until it is unpinned' : 'until the next version is published';
  return {
    check: 'Version in service',
    severity: 'warn',
    text: 'Version ' + count(pinned.version) + ' serves ' + until + ': ' + pinned.reason,
    path: 'pinned.version',
    value: pinned.version,
  };
}

function engine(learner: Learner): Verdict {
  const { name, threads, reason, warnings } = learner.status.engine;
  const check = 'Engine';
  if (name === '') {
    return { check, severity: 'quiet', text: 'The learner did not say what trains its model.' };
  }
  const instead = reason === '' ? '' : ", instead of iDlaLayer's engine: " + reason;
  const notes = warnings.length === 0 ? '.' : '. Note: ' + warnings.join('; ') + '.';
  return {
    check,
    severity: reason === '' && warnings.length === 0 ? 'good' : 'warn',
    text: name + ', ' + counted(threads, 'thread') + instead + notes,
    path: 'engine.threads',
    value: threads,
  };
}

function store(learner: Learner, application: Application | undefined): Verdict | null {
  const { stored, evicted } = learner.status.samples;
  if (!application || !known(application.maxSamples) || application.maxSamples <= 0) {
    return null;
  }
  const base = { check: 'Sample store', path: 'samples.stored', value: stored };
  const text =
    count(stored) +
    ' of at most ' +
    counted(application.maxSamples, 'sample') +
    ' are stored; ' +
    count(evicted) +
    ' were evicted for room.';
  return { ...base, severity: 'good', text };
}

function pinned(models: ModelsAnswer | undefined): Verdict | null {
  if (!models) {
    return null;
  }
  const damaged = models.versions.filter((version) => version.damaged !== '');
  if (models.problem !== '' || damaged.length > 0) {
    const which =
      damaged.length > 0 ? 'Damaged: version ' + list(damaged.map((each) => count(each.version))) + '.' : '';
    return { check: 'Model folder', severity: 'bad', text: [models.problem, which].filter(Boolean).join('. ') };
  }
  const pin = heldPin(models);
  return pin
    ? {
        check: 'Model folder',
        severity: 'warn',
        text: 'Version ' + count(pin.version) + ' is pinned, so newer ones do not serve: ' + pin.reason,
      }
    : {
        check: 'Model folder',
        severity: 'good',
        text: counted(models.versions.length, 'version') + ' whole, nothing is pinned.',
      };
}

/** How the page and the server are connected, and the server with the topics. */
export function connectionVerdicts(
  info: ConsoleInfo | null,
  link: { state: 'connecting' | 'live' | 'lost' | 'recorded'; sinceMillis: number; problem: string },
  localMillis: number,
): Verdict[] {
  const since = age((localMillis - link.sinceMillis) / 1000);
  const page: Verdict =
    link.state === 'live'
      ? link.problem === ''
        ? { check: 'Page to console', severity: 'good', text: 'Connected for ' + since + '.' }
        : {
            check: 'Page to console',
            severity: 'warn',
            text: 'Connected, but what happened before could not be loaded: ' + link.problem,
          }
      : link.state === 'recorded'
        ? { check: 'Page to console', severity: 'quiet', text: 'A recorded report: nothing is asked.' }
        : link.state === 'connecting'
          ? { check: 'Page to console', severity: 'quiet', text: 'Connecting.' }
          : { check: 'Page to console', severity: 'bad', text: 'Lost for ' + since + ': ' + link.problem };
  if (!info) {
    return [page];
  }
  const source: Verdict = info.connected
    ? {
        check: 'Console to topics',
        severity: 'good',
        text: (info.source === 'recording' ? 'Reads the recording ' : 'Reads the topics of ') + info.sourceName + '.',
      }
    : { check: 'Console to topics', severity: 'bad', text: info.problem || 'The topics cannot be read.' };
  return [page, source];
}
