import { describe, expect, test } from 'vitest';
import type { ConsoleInfo, DecisionEvent, Status } from '../api/types.ts';
import { event, status, plainText } from './fixture.ts';
import { Learner } from './learner.ts';
import { type Severity, connectionVerdicts, verdicts, worst, worstFirst } from './verdicts.ts';

function learner(change: (status: Status) => void = () => undefined, last: Partial<DecisionEvent> = {}): Learner {
  const now = status();
  change(now);
  const said = event('STATUS', 100_000, { status: now, ...last });
  return new Learner({ learner: 'electricity/0', application: 'electricity', partition: 0, last: said });
}

function severity(check: string, of: Learner, nowMillis = 100_500): Severity | undefined {
  return verdicts(of, undefined, nowMillis).find((verdict) => verdict.check === check)?.severity;
}

describe('verdicts', () => {
  test('of a learner without trouble are good', () => {
    const all = verdicts(learner(), undefined, 100_500);
    expect(['good', 'quiet']).toContain(worst(all.filter((verdict) => verdict.check !== 'Malformed events')));
    expect(worst(all)).not.toBe('bad');
  });
  test('a silent learner is a warning, then a problem', () => {
    expect(severity('Learner', learner(), 100_000 + 40_000)).toBe('good');
    expect(severity('Learner', learner(), 100_000 + 50_000)).toBe('warn');
    expect(severity('Learner', learner(), 100_000 + 130_000)).toBe('bad');
    expect(severity('Learner', learner(undefined, { type: 'FINISHED' }), 100_000 + 9e9)).toBe('good');
  });
  test.each<[string, (status: Status) => void, Severity]>([
    ['Balance', (s) => (s.samples.received += 3), 'bad'],
    ['Lost input', (s) => (s.input.lostOffsets = 7), 'bad'],
    ['Quarantined samples', (s) => (s.samples.quarantined = 1), 'warn'],
    ['Malformed events', (s) => (s.samples.malformed = 5000), 'warn'],
    ['Refused requests', (s) => (s.input.refusedControls = 1), 'warn'],
    ['Test before training', (s) => (s.prequential.unscored = 9000), 'warn'],
    ['Ingestion', (s) => (s.ingestion.p99Millis = 5000), 'warn'],
    ['Ingestion', (s) => (s.ingestion.events = 0), 'quiet'],
    ['Drift', (s) => (s.decision.grounds.basis.urgency = 1.5), 'warn'],
    ['Version in service', (s) => (s.pinned = { version: 80, until: 0, reason: 'audit', by: 'ops' }), 'warn'],
    ['Engine', (s) => (s.engine.reason = 'no kernels for this CPU'), 'warn'],
    ['Engine', (s) => (s.engine.warnings = ['schedules of ScheduleType.EPOCH stay at their first value']), 'warn'],
    ['Quality', (s) => (s.prequential.scored = 10), 'quiet'],
    ['Quality', (s) => (s.prequential.classification!.noChangeAccuracy = 0.9), 'warn'],
    ['Quality', (s) => (s.prequential.classification!.recentNoChangeAccuracy = 0.9), 'warn'],
    ['Quality', (s) => (s.prequential.classification!.recentNoChangeAccuracy = 0.87), 'good'],
    [
      'Quality',
      (s) => {
        // All fell, so the model is not below its lines.
        s.prequential.classification!.recentAccuracy = 0.6;
        s.prequential.classification!.recentNoChangeAccuracy = 0.5;
        s.prequential.classification!.recentMajorityAccuracy = 0.5;
      },
      'warn',
    ],
  ])('%s', (check, change, expected) => {
    expect(severity(check, learner(change))).toBe(expected);
  });
  test('a dropped update is a problem while it is new', () => {
    const one = learner();
    one.take(event('DROPPED', 100_100, { message: 'the loss is not a number' }));
    expect(severity('Dropped updates', one)).toBe('bad');
    expect(severity('Dropped updates', one, 100_100 + 11 * 60_000)).toBe('warn');
  });
  test('regression is judged by its error', () => {
    const with_ = (error: number) =>
      learner((s) => {
        delete s.prequential.classification;
        s.prequential.regression = {
          meanAbsoluteError: error,
          rootMeanSquaredError: error,
          noChangeMeanAbsoluteError: 1,
          recentMeanAbsoluteError: error,
          recentRootMeanSquaredError: error,
          recentNoChangeMeanAbsoluteError: 1,
        };
      });
    expect(severity('Quality', with_(0.5))).toBe('good');
    expect(severity('Quality', with_(1.5))).toBe('warn');
  });
  test('models that are damaged, pinned, or cannot be read are said', () => {
    const models = { current: 2, serving: 2, pin: null, problem: '', aliases: {}, versions: [] };
    const found = (change: object) =>
      verdicts(learner(), undefined, 100_500, { ...models, ...change }).find(
        (verdict) => verdict.check === 'Model folder',
      );
    expect(found({})?.severity).toBe('good');
    expect(found({ problem: 'no such folder' })?.severity).toBe('bad');
    expect(found({ pin: { version: 1, reason: 'by hand' } })?.severity).toBe('warn');
    const versions = [
      { version: 7, damaged: '' },
      { version: 6, damaged: 'model.zip is missing' },
    ];
    const said = (change: object) => plainText(found(change)?.text ?? []);
    expect(found({ versions })?.severity).toBe('bad');
    expect(said({ versions })).toBe('Damaged: version 6.');
    expect(said({ versions, problem: 'pin.json is no JSON' })).toBe('pin.json is no JSON. Damaged: version 6.');
    const more = [...versions, { version: 5, damaged: 'x' }, { version: 4, damaged: 'y' }];
    expect(said({ versions: more })).toBe('Damaged: version 6, 5 and 4.');
  });
  test('the worst come first', () => {
    const sorted = worstFirst([
      { check: 'a', severity: 'good', text: [] },
      { check: 'b', severity: 'bad', text: [] },
      { check: 'c', severity: 'warn', text: [] },
    ]);
    expect(sorted.map((verdict) => verdict.check)).toEqual(['b', 'c', 'a']);
  });
  test('a recording that ends too early is said', () => {
    const info: ConsoleInfo = {
      version: '1',
      source: 'recording',
      sourceName: 'a.jsonl',
      nowMillis: 0,
      writable: false,
      connected: true,
      problem: '',
      applications: [],
    };
    const link = { state: 'live' as const, sinceMillis: 0, problem: '' };
    const [, whole] = connectionVerdicts(info, link, 0);
    expect(whole?.severity).toBe('good');
    expect(plainText(whole?.text ?? [])).toBe('Reads the recording a.jsonl.');
    const [, cut] = connectionVerdicts({ ...info, problem: 'a.jsonl:3: it is cut' }, link, 0);
    expect(cut?.severity).toBe('warn');
    expect(plainText(cut?.text ?? [])).toBe('Reads the recording a.jsonl. a.jsonl:3: it is cut.');
  });
  test('a lost connection is said with its time', () => {
    const lost = connectionVerdicts(null, { state: 'lost', sinceMillis: 0, problem: 'refused' }, 12_000);
    expect(lost[0]?.severity).toBe('bad');
    expect(plainText(lost[0]?.text ?? [])).toBe('Lost for 12\u00a0s: refused');
  });
});
