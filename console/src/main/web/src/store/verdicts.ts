import type { ApplicationInfo, ConsoleInfo, VersionTable } from '../api/types.ts';
import { count, decimals, known, percent } from '../format/number.ts';
import { age, dateTime, duration } from '../format/time.ts';
import { MISSING, balance } from './balance.ts';
import type { Learner } from './learner.ts';
import { heldPin } from './pins.ts';
import { type Rule, betterRules, reading } from './quality.ts';
import { type Figure, type TextParts, joinedTexts, countedText } from './textParts.ts';

export type Severity = 'bad' | 'warn' | 'good' | 'quiet';

/** A check of a learner, with what it found in words. */
export interface Verdict {
  check: string;
  severity: Severity;
  text: TextParts;
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
  application: ApplicationInfo | undefined,
  nowMillis: number,
  models?: VersionTable,
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
    quality(learner, application),
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
  const last = { value: learner.last.atMillis, path: 'last.atMillis' };
  const ago: Figure = { ...last, format: () => age(seconds) };
  const text: TextParts = finished
    ? ['The end of the input was reached; all before it is trained and published.']
    : severity === 'good'
      ? ['Said something ', ago, ' ago.']
      : [
          'Silent for ',
          ago,
          ', since ',
          { ...last, format: dateTime },
          '. A learner says something every ' + SAYS_EVERY_SECONDS + ' s at least: look whether the job runs.',
        ];
  return { check: 'Learner', severity, text };
}

function balanced(learner: Learner): Verdict {
  const sums = balance(learner.status);
  const check = 'Balance';
  const received: Figure = { value: sums.received, path: 'samples.received' };
  const missing: Figure = { value: Math.abs(sums.missing), formula: MISSING };
  const base = { check, path: 'samples.received', value: sums.received };
  return sums.missing === 0
    ? { ...base, severity: 'good', text: ['All ', ...countedText(received, 'event'), ' received are accounted for.'] }
    : {
        ...base,
        severity: 'bad',
        text:
          sums.missing > 0
            ? [...countedText(missing, 'event'), ' of ', received, ' received are not accounted for.']
            : [...countedText(missing, 'event'), ' are accounted for more than once.'],
      };
}

function lost(learner: Learner): Verdict {
  const { lostOffsets, lost: ranges } = learner.status.input;
  const base = { check: 'Lost input', path: 'input.lostOffsets', value: lostOffsets };
  if (lostOffsets === 0) {
    return { ...base, severity: 'good', text: ['No input was lost.'] };
  }
  const newest = ranges[ranges.length - 1];
  const path = 'input.lost.' + (ranges.length - 1) + '.';
  const where: TextParts = newest
    ? [
        ' Newest range: ',
        newest.input,
        ', ',
        { value: newest.from, path: path + 'from' },
        ' to ',
        { value: newest.until, path: path + 'until' },
        ' (',
        newest.why,
        ').',
      ]
    : [];
  return {
    ...base,
    severity: 'bad',
    text: [...countedText(base, 'offset'), ' of the input were gone before they were read.', ...where],
  };
}

function quarantined(learner: Learner): Verdict {
  const value = learner.status.samples.quarantined;
  const base = { check: 'Quarantined samples', path: 'samples.quarantined', value };
  return value === 0
    ? { ...base, severity: 'good', text: ['No sample makes trainings fail.'] }
    : {
        ...base,
        severity: 'warn',
        text: [...countedText(base, 'sample'), ' are not trained, because trainings with them failed repeatedly.'],
      };
}

function malformed(learner: Learner): Verdict {
  const { malformed: value, received } = learner.status.samples;
  const part = received > 0 ? value / received : 0;
  const base = { check: 'Malformed events', path: 'samples.malformed', value };
  const share: Figure = {
    value: part,
    format: (shown) => percent(shown, 2),
    formula: 'samples.malformed / samples.received',
  };
  return value === 0
    ? { ...base, severity: 'good', text: ['Every event could be decoded.'] }
    : {
        ...base,
        severity: part > 0.01 ? 'warn' : 'quiet',
        text: [...countedText(base, 'event'), ' (', share, ') could not be decoded; they are dead letters.'],
      };
}

function dropped(learner: Learner, nowMillis: number): Verdict {
  const notes = learner.notes.filter((note) => note.type === 'DROPPED');
  const newest = notes[notes.length - 1];
  if (!newest) {
    return {
      check: 'Dropped updates',
      severity: 'good',
      text: ['No training and no publication failed, as far back as is known.'],
    };
  }
  const recent = nowMillis - newest.atMillis < RECENT_MILLIS;
  const first = notes[0]?.atMillis;
  return {
    check: 'Dropped updates',
    severity: recent ? 'bad' : 'warn',
    text: [
      ...countedText(
        {
          value: notes.length,
          formula: 'count(notes.DROPPED.atMillis, ' + first + ', ' + newest.atMillis + ')',
        },
        'update',
      ),
      ' dropped; the newest at ',
      { value: newest.atMillis, format: dateTime, path: 'notes.' + newest.atMillis + '.DROPPED.atMillis' },
      ': ',
      newest.message || 'no reason given',
    ],
  };
}

function refused(learner: Learner): Verdict {
  const value = learner.status.input.refusedControls;
  const base = { check: 'Refused requests', path: 'input.refusedControls', value };
  return value === 0
    ? { ...base, severity: 'good', text: ['No record on the control topic was refused.'] }
    : {
        ...base,
        severity: 'warn',
        text: [...countedText(base, 'record'), ' on the control topic are not valid requests; they are dead letters.'],
      };
}

function unscored(learner: Learner): Verdict {
  const { unscored: value, scored } = learner.status.prequential;
  const base = { check: 'Test before training', path: 'prequential.unscored', value };
  const part = scored + value > 0 ? value / (scored + value) : 0;
  const share: Figure = {
    value: part,
    format: percent,
    formula: 'prequential.unscored / (prequential.scored + prequential.unscored)',
  };
  return value === 0
    ? { ...base, severity: 'good', text: ['The scorer kept up: every new sample was tested.'] }
    : {
        ...base,
        severity: part > 0.05 ? 'warn' : 'quiet',
        text: [...countedText(base, 'sample'), ' (', share, ') were not tested, because the scorer could not keep up.'],
      };
}

function ingestion(learner: Learner): Verdict {
  const { events, p99Millis } = learner.status.ingestion;
  const base = { check: 'Ingestion', path: 'ingestion.p99Millis', value: p99Millis };
  if (events === 0) {
    return { ...base, severity: 'quiet', text: ['No event has arrived since the message before.'] };
  }
  return {
    ...base,
    severity: p99Millis > SLOW_INGESTION_MILLIS ? 'warn' : 'good',
    text: [
      '99 % of the latest events were processed within ',
      { value: p99Millis, path: base.path, format: () => duration(p99Millis / 1000) },
      ' of their time in the topic.',
    ],
  };
}

function quality(learner: Learner, application: ApplicationInfo | undefined): Verdict | null {
  const { prequential } = learner.status;
  const check = 'Quality';
  if (prequential.scored < ENOUGH_SCORED) {
    return {
      check,
      severity: 'quiet',
      text: ['Fewer than ' + count(ENOUGH_SCORED) + ' samples were tested: too early to judge.'],
    };
  }
  const metric = application?.metric ?? '';
  const all = reading(metric, prequential, 'all');
  const recent = reading(metric, prequential, 'recent');
  if (!all || !recent || !known(all.model.value)) {
    return null;
  }
  const base = { check, path: all.model.path, value: all.model.value };
  const side = all.higherIsBetter ? 'below' : 'above';
  const behind = betterRules(all, WORSE_THAN_REFERENCE);
  if (behind.length > 0) {
    return {
      ...base,
      severity: 'warn',
      text: [all.words + ' ', all.model, ' is ' + side + ' ', ...ruleWords(behind), '.'],
    };
  }
  const lately = betterRules(recent, LATELY_WORSE_THAN_REFERENCE);
  const ofRecent: TextParts = [all.words + ' of the last 1,000 samples '];
  if (lately.length > 0) {
    return {
      ...base,
      severity: 'warn',
      text: [...ofRecent, 'is ', recent.model, ', ' + side + ' ', ...ruleWords(lately), ' on them.'],
    };
  }
  const fall = all.higherIsBetter && known(recent.model.value) && all.model.value - recent.model.value > 0.1;
  return fall
    ? { ...base, severity: 'warn', text: [...ofRecent, 'fell to ', recent.model, ', overall ', all.model, '.'] }
    : { ...base, severity: 'good', text: [all.words + ' ', all.model, ', better than its reference lines.'] };
}

function ruleWords(rules: Rule[]): TextParts {
  return joinedTexts(rules.map(({ words, figure }) => [words, ' (', figure, ')']));
}

function drift(learner: Learner): Verdict | null {
  const urgency = learner.status.decision.grounds.basis.urgency;
  const base = { check: 'Drift', path: 'decision.grounds.basis.urgency', value: urgency };
  return urgency > 1
    ? {
        ...base,
        severity: 'warn',
        text: [
          'A drift is open: a waiting sample is charged ',
          { value: urgency, path: base.path, format: (value) => decimals(value, 2) },
          ' times as much.',
        ],
      }
    : { ...base, severity: 'good', text: ['No drift is open.'] };
}

function gate(learner: Learner, application: ApplicationInfo | undefined): Verdict | null {
  const state = learner.status.gate;
  const check = 'Release gate';
  if (!state) {
    return {
      check,
      severity: 'quiet',
      text: [
        application?.gateAction && application.gateAction !== 'off'
          ? 'Nothing was compared yet.'
          : 'Models are not compared: the gate is off.',
      ],
    };
  }
  const past: TextParts = [
    ...countedText({ value: state.heldModels, path: 'gate.heldModels' }, 'model'),
    ' held so far, ',
    ...countedText({ value: state.rollbacks, path: 'gate.rollbacks' }, 'rollback'),
    '.',
  ];
  if (state.held) {
    return {
      check,
      severity: 'quiet',
      text: [
        'The newest model waits to be compared with version ',
        { value: state.comparedWith, path: 'gate.comparedWith' },
        ' (',
        ...countedText({ value: state.samples, path: 'gate.samples' }, 'sample'),
        ' compared). ',
        ...past,
      ],
      path: 'gate.samples',
      value: state.samples,
    };
  }
  return {
    check,
    severity: 'good',
    text: ['Version ', { value: state.inServiceVersion, path: 'gate.inServiceVersion' }, ' is in service. ', ...past],
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
  const base = { path: 'pinned.version', value: pinned.version };
  return {
    check: 'Version in service',
    severity: 'warn',
    text: ['Version ', base, ' serves ' + until + ': ', pinned.reason],
    ...base,
  };
}

function engine(learner: Learner): Verdict {
  const { name, threads, reason, warnings } = learner.status.engine;
  const check = 'Engine';
  if (name === '') {
    return { check, severity: 'quiet', text: ['The learner did not say what trains its model.'] };
  }
  const base = { path: 'engine.threads', value: threads };
  const instead: TextParts = reason === '' ? [] : [", instead of iDlaLayer's engine: ", reason];
  const notes: TextParts =
    warnings.length === 0
      ? ['.']
      : ['. Note: ', ...warnings.flatMap((each, index) => (index === 0 ? [each] : ['; ', each])), '.'];
  return {
    check,
    severity: reason === '' && warnings.length === 0 ? 'good' : 'warn',
    text: [name, ', ', ...countedText(base, 'thread'), ...instead, ...notes],
    ...base,
  };
}

function store(learner: Learner, application: ApplicationInfo | undefined): Verdict | null {
  const { stored, evicted } = learner.status.samples;
  if (!application || !known(application.maxSamples) || application.maxSamples <= 0) {
    return null;
  }
  const base = { check: 'Sample store', path: 'samples.stored', value: stored };
  const text: TextParts = [
    base,
    ' of at most ',
    ...countedText({ value: application.maxSamples, path: 'application.maxSamples' }, 'sample'),
    ' are stored; ',
    { value: evicted, path: 'samples.evicted' },
    ' were evicted for room.',
  ];
  return { ...base, severity: 'good', text };
}

function pinned(models: VersionTable | undefined): Verdict | null {
  if (!models) {
    return null;
  }
  const damaged = models.versions.filter((version) => version.damaged !== '');
  if (models.problem !== '' || damaged.length > 0) {
    const problem: TextParts = models.problem === '' ? [] : [models.problem];
    const which: TextParts =
      damaged.length === 0
        ? []
        : [
            (problem.length > 0 ? '. ' : '') + 'Damaged: version ',
            ...joinedTexts(damaged.map(({ version }) => [{ value: version, path: 'models.' + version + '.version' }])),
            '.',
          ];
    return { check: 'Model folder', severity: 'bad', text: [...problem, ...which] };
  }
  const pin = heldPin(models);
  return pin
    ? {
        check: 'Model folder',
        severity: 'warn',
        text: [
          'Version ',
          { value: pin.version, path: 'models.pin.version' },
          ' is pinned, so newer ones do not serve: ',
          pin.reason,
        ],
      }
    : {
        check: 'Model folder',
        severity: 'good',
        text: [
          ...countedText({ value: models.versions.length, formula: 'count(models.all.version)' }, 'version'),
          ' whole, nothing is pinned.',
        ],
      };
}

/** How the page and the server are connected, and the server with the topics. */
export function connectionVerdicts(
  info: ConsoleInfo | null,
  link: { state: 'connecting' | 'live' | 'lost' | 'recorded'; sinceMillis: number; problem: string },
  localMillis: number,
): Verdict[] {
  // The page's own time: no event says it.
  const since = age((localMillis - link.sinceMillis) / 1000);
  const check = 'Page to console';
  const page: Verdict =
    link.state === 'live'
      ? link.problem === ''
        ? { check, severity: 'good', text: ['Connected for ' + since + '.'] }
        : {
            check,
            severity: 'warn',
            text: ['Connected, but what happened before could not be loaded: ', link.problem],
          }
      : link.state === 'recorded'
        ? { check, severity: 'quiet', text: ['A recorded report: nothing is asked.'] }
        : link.state === 'connecting'
          ? { check, severity: 'quiet', text: ['Connecting.'] }
          : { check, severity: 'bad', text: ['Lost for ' + since + ': ', link.problem] };
  if (!info) {
    return [page];
  }
  const source: Verdict = info.connected
    ? {
        check: 'Console to topics',
        severity: info.problem === '' ? 'good' : 'warn',
        text: [
          info.source === 'recording' ? 'Reads the recording ' : 'Reads the topics of ',
          info.sourceName,
          info.problem === '' ? '.' : '. ' + info.problem + '.',
        ],
      }
    : { check: 'Console to topics', severity: 'bad', text: [info.problem || 'The topics cannot be read.'] };
  return [page, source];
}
