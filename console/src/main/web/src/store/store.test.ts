import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { DecisionEvent, Descent, Gate, ModelVersion, Status, StepPlan, UpdateEntry } from '../api/types.ts';
import { balance } from './balance.ts';
import { Charges } from './charges.ts';
import { Columns } from './columns.ts';
import { event, status, trained, update } from './fixture.ts';
import { chargeAfter, riseOf, secondsToFiring, secondsToThreshold } from './forecast.ts';
import { History } from './history.ts';
import { Learner, sinceSetBack } from './learner.ts';
import { lineage } from './lineage.ts';
import { Moves } from './moves.ts';
import { getter } from './paths.ts';
import { phases } from './phases.ts';
import { newestModel } from './pins.ts';
import { rate } from './rate.ts';
import { axisOf, laneOf, moneyOf } from './timeline.ts';
import { Updates } from './updates.ts';

function received(value: number) {
  const now = status();
  now.samples.received = value;
  return now;
}

describe('columns', () => {
  test('grow up to their capacity, drop at both ends', () => {
    const columns = new Columns(['a', 'b'], 200);
    for (let row = 0; row < 200; row++) {
      columns.set(0, columns.add(), row);
    }
    expect(columns.full()).toBe(true);
    expect(() => columns.add()).toThrow(RangeError);
    columns.dropOldest(50);
    columns.dropNewest(10);
    expect([columns.length, columns.column('a')[0], columns.column('a')[139]]).toEqual([140, 50, 189]);
    expect(columns.value(1, 0)).toBeNaN();
    expect(columns.value(0, 140)).toBeNaN();
  });
  test('halving keeps every other row and the newest', () => {
    for (const rows of [1, 2, 7, 8]) {
      const columns = new Columns(['a'], 8);
      for (let row = 0; row < rows; row++) {
        columns.set(0, columns.add(), row);
      }
      columns.halve();
      expect(columns.length).toBe(Math.ceil(rows / 2));
      expect(columns.column('a')[columns.length - 1]).toBe(rows - 1);
    }
  });
});

describe('plan of a step', () => {
  const plan: StepPlan = {
    planner: 'autovm',
    refused: '',
    kernels: 3,
    kernelsPerPoint: 2,
    backwardKernel: 1,
    updateKernel: 2,
    budgetBytes: 128,
    peakBytes: 192,
    aliveBytes: [128, 192],
    fastBytes: [128, 64],
    fetchedBytes: [0, 64],
    writtenBackBytes: [64, 0],
    evictedBytes: [64, 0],
  };
  const planned = (atMillis: number, planner: string) =>
    event('PLANNED', atMillis, { update: update(3, 1000), plan: { ...plan, planner } });
  const learnerAt = (atMillis: number) =>
    new Learner({ learner: 'a/0', application: 'a', partition: 0, last: event('STATUS', atMillis) });

  test('the newest of answer and events is followed', () => {
    const learner = learnerAt(1000);
    expect(learner.plan).toBeNull();
    learner.loadPlan({ atMillis: 0 });
    expect(learner.plan).toBeNull();
    learner.take(planned(3000, 'autotm'));
    expect(learner.plan).toMatchObject({ atMillis: 3000, updateNumber: 3, plan: { planner: 'autotm' } });
    learner.loadPlan({ atMillis: 2000, updateNumber: 2, plan });
    expect(learner.plan?.plan?.planner).toBe('autotm');
    learner.loadPlan({ atMillis: 4000, updateNumber: 4, plan });
    expect(learner.plan?.plan?.planner).toBe('autovm');
  });
  test('is not held a second time with the newest event', () => {
    const learner = learnerAt(1000);
    learner.take(planned(3000, 'autotm'));
    expect(learner.last.type).toBe('PLANNED');
    expect(learner.last.plan).toBeUndefined();
  });
});

describe('history', () => {
  test('of several points in a second the newest counts', () => {
    const history = new History(100);
    [0, 300, 600, 900, 1200, 2500].forEach((at, index) => history.add(at, received(index)));
    expect([...history.times()]).toEqual([900, 1200, 2500]);
    expect([...history.column('samples.received')]).toEqual([3, 4, 5]);
  });
  test('each second of the clock has one point', () => {
    const history = new History(1000);
    for (let at = 0; at < 100_000; at += 170) {
      history.add(at, received(at));
    }
    const times = history.times();
    const seconds = Array.from(times, (at) => Math.floor(at / 1000));
    expect(seconds).toEqual(Array.from({ length: 100 }, (_, second) => second));
    expect(times[times.length - 1]).toBe(99_960);
  });
  test('an older status is passed over', () => {
    const history = new History(10);
    history.add(5000, received(1));
    history.add(4000, received(2));
    expect(history.length).toBe(1);
  });
  test('when it is full, the step doubles and the past stays', () => {
    const history = new History(100);
    for (let second = 0; second < 1000; second++) {
      history.add(second * 1000, received(second));
    }
    const times = history.times();
    expect(times.length).toBeLessThanOrEqual(100);
    expect(times.length).toBeGreaterThan(45);
    expect(times[0]).toBeLessThan(20_000);
    expect(times[times.length - 1]).toBe(999_000);
    expect([...history.column('samples.received')]).toEqual([...times].map((at) => at / 1000));
  });
  test('what was heard while it was loaded stays behind it', () => {
    const history = new History(100);
    history.add(5000, received(5));
    history.add(7000, received(7));
    history.load({
      names: ['samples.received', 'something.else'],
      atMillis: [3000, 4000, 5000],
      values: [
        [3, null, 5],
        [1, 1, 1],
      ],
    });
    expect([...history.times()]).toEqual([3000, 4000, 5000, 7000]);
    expect([...history.column('samples.received')]).toEqual([3, Number.NaN, 5, 7]);
    expect(history.column('tables.rows')[0]).toBeNaN();
  });
});

describe('paths', () => {
  test('name numbers and booleans', () => {
    expect(getter('decision.grounds.charge.sampleSeconds')(status())).toBe(2);
    expect(getter('progress.training')(status())).toBe(0);
    expect(getter('tables.rows')(status())).toBeNaN();
    expect(getter('engine.name')(status())).toBeNaN();
    expect(getter('samples.received.more')(status())).toBeNaN();
    expect(getter('samples')(null)).toBeNaN();
  });
});

describe('updates', () => {
  const story: DecisionEvent[] = [
    event('FIRED', 1001, {
      update: update(1, 1000),
      arrivals: { firstMillis: 700, afterMillis: [0], counts: [66], part: 1, parts: 1 },
    }),
    event('STAGED', 1100, { update: trained(1, 1000) }),
    event('PUBLISHED', 1150, { update: { ...trained(1, 1000), published: { version: 1, atMillis: 1149 } } }),
    event('FIRED', 2001, { update: update(2, 2000) }),
    event('STAGED', 2100, { update: trained(2, 2000) }),
    event('HELD', 2150, { update: trained(2, 2000), message: 'worse' }),
  ];
  test('are put together from their events', () => {
    const updates = new Updates();
    story.forEach((each) => updates.add(each));
    expect(updates.length).toBe(2);
    expect([updates.state(0), updates.state(1)]).toEqual(['published', 'held']);
    expect(updates.message(1)).toBe('worse');
    expect(updates.value(0, 'published.version')).toBe(1);
    expect(updates.value(0, 'training.seconds')).toBe(0.012);
    expect(updates.value(1, 'published.version')).toBeNaN();
    expect(phases(updates, 0)).toEqual({ waiting: 9 / 66, training: 0.012, publishing: 0.049 });
    expect(phases(updates, 1).publishing).toBeNull();
    expect(phases(updates, 1).waiting).toBeCloseTo(9 / 66);
  });
  test('after a restore numbers repeat, and the latest event counts', () => {
    const updates = new Updates();
    story.forEach((each) => updates.add(each));
    updates.add(event('FIRED', 3001, { update: update(1, 3000) }));
    expect(updates.length).toBe(1);
    expect(updates.state(0)).toBe('fired');
    expect(updates.value(0, 'training.seconds')).toBeNaN();
    expect(updates.value(0, 'firing.atMillis')).toBe(3000);
  });
  test('the oldest go when there are too many; one that is gone does not come back', () => {
    const updates = new Updates(16);
    for (let number = 1; number <= 100; number++) {
      updates.add(event('FIRED', number, { update: update(number, number) }));
      updates.add(event('STAGED', number, { update: trained(number, number) }));
    }
    expect(updates.length).toBeLessThanOrEqual(16);
    expect(updates.value(updates.length - 1, 'number')).toBe(100);
    expect(updates.find(100)).toBe(updates.length - 1);
    updates.add(event('PUBLISHED', 101, { update: trained(3, 3) }));
    expect(updates.find(3)).toBe(-1);
    expect(updates.state(updates.length - 1)).toBe('staged');
  });
  test('an answer of the server replaces what is here', () => {
    const updates = new Updates();
    story.forEach((each) => updates.add(each));
    updates.load([
      {
        number: 7,
        state: 'aborted',
        firedAtMillis: 1,
        stagedAtMillis: null,
        publishedAtMillis: null,
        heldAtMillis: null,
        update: update(7, 1),
        message: 'm',
      },
    ]);
    expect([updates.length, updates.state(0), updates.message(0)]).toEqual([1, 'aborted', 'm']);
    expect(updates.value(0, 'stagedAtMillis')).toBeNaN();
  });
});

describe('updates that are followed and updates that are loaded', () => {
  test('are the same', () => {
    // LearnersTest holds the answers to what the server says of these events.
    const file = new URL('../../../../test/resources/updates.json', import.meta.url);
    const { events, answers } = JSON.parse(readFileSync(file, 'utf8')) as {
      events: DecisionEvent[];
      answers: UpdateEntry[];
    };
    const followed = new Updates();
    events.forEach((each) => followed.add(each));
    const loaded = new Updates();
    loaded.load(answers);
    expect(rowsOf(followed)).toEqual(rowsOf(loaded));
    expect(loaded.length).toBe(answers.length);
  });
});

function rowsOf(updates: Updates) {
  return Array.from({ length: updates.length }, (_, position) => ({
    number: updates.value(position, 'number'),
    state: updates.state(position),
    message: updates.message(position),
    reason: updates.reason(position),
    firedAtMillis: updates.value(position, 'firedAtMillis'),
    stagedAtMillis: updates.value(position, 'stagedAtMillis'),
    publishedAtMillis: updates.value(position, 'publishedAtMillis'),
    heldAtMillis: updates.value(position, 'heldAtMillis'),
    version: updates.value(position, 'published.version'),
    phases: phases(updates, position),
  }));
}

describe('the timeline of updates', () => {
  const updates = new Updates();
  updates.add(event('FIRED', 10_001, { update: update(1, 10_000) }));
  updates.add(event('STAGED', 10_500, { update: trained(1, 10_000) }));
  updates.add(
    event('PUBLISHED', 10_600, { update: { ...trained(1, 10_000), published: { version: 1, atMillis: 10_600 } } }),
  );
  updates.add(event('FIRED', 11_001, { update: update(2, 11_000) }));

  test('stretches follow each other: waiting ends at the firing, training when it is staged', () => {
    const { stretches } = laneOf(updates, 0, 20_000);
    expect(stretches.map((each) => each.phase)).toEqual(['waiting', 'training', 'publishing']);
    const [waiting, training, publishing] = stretches;
    expect(waiting?.to).toBe(10_000);
    expect(waiting?.from).toBeCloseTo(10_000 - (1000 * 9) / 66);
    expect(training).toMatchObject({ phase: 'training', from: 10_488, to: 10_500 });
    expect(publishing).toEqual({ phase: 'publishing', from: 10_500, to: 10_600, end: 'updates.1.published.atMillis' });
  });
  test('an update that trains does so until now', () => {
    expect(laneOf(updates, 1, 12_345).stretches[1]).toMatchObject({ phase: 'training', from: 11_000, to: 12_345 });
  });
  test('a model that the release gate did not let through ends when that was said', () => {
    const refused = new Updates();
    refused.add(event('FIRED', 10_001, { update: update(1, 10_000) }));
    refused.add(event('STAGED', 10_500, { update: trained(1, 10_000) }));
    expect(laneOf(refused, 0, 20_000).stretches[2]?.to).toBe(20_000);
    refused.add(event('HELD', 11_000, { update: trained(1, 10_000), message: 'worse' }));
    expect(laneOf(refused, 0, 20_000).stretches[2]).toMatchObject({ phase: 'publishing', from: 10_500, to: 11_000 });
  });
  test('the axis holds most updates, and not one that is long ago', () => {
    const lanes = Array.from({ length: 10 }, (_, index) => ({
      number: index,
      position: index,
      stretches: [
        {
          phase: 'waiting' as const,
          from: index === 0 ? 0 : 1e6 + index * 1000,
          to: 1e6 + index * 1000 + 500,
          end: 'updates.' + index + '.firing.atMillis',
        },
      ],
    }));
    const [from, to, end] = axisOf(lanes);
    expect(to).toBe(1e6 + 9500);
    expect(end).toBe('updates.9.firing.atMillis');
    expect(to - from).toBe(10_000);
  });
  test('money is what was charged and trained, each at its price', () => {
    const prices = { machinePricePerSecond: 0.5, stalenessPricePerSampleSecond: 0.25 };
    expect(moneyOf(updates, 0, prices)).toEqual({ waiting: 9 * 0.25, training: 0.012 * 0.5 });
    expect(moneyOf(updates, 1, prices)).toEqual({ waiting: 9 * 0.25, training: null });
    expect(moneyOf(updates, 0, { ...prices, machinePricePerSecond: null })).toBeNull();
  });
});

describe('balance', () => {
  test('holds when every event is accounted for', () => {
    expect(balance(status())).toMatchObject({ missing: 0, verdict: { severity: 'good', word: 'Holds' } });
  });
  test('does not hold when one is missing, or input was lost', () => {
    expect(balance(received(11721))).toMatchObject({ missing: 1, verdict: { severity: 'bad', word: 'Does not hold' } });
    const lost = status();
    lost.input.lostOffsets = 5;
    expect(balance(lost)).toMatchObject({ missing: 0, verdict: { severity: 'bad', word: 'Holds; input lost' } });
  });
});

describe('the balance of recorded events', () => {
  test('holds at every moment, also while trainings run', () => {
    const file = new URL('../../../../test/resources/recording.jsonl.gz', import.meta.url);
    const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
    const sums = lines.map((line) => balance((JSON.parse(line) as DecisionEvent).status));
    expect(sums.filter((each) => each.verdict.word !== 'Holds')).toEqual([]);
    expect(sums.filter((each) => each.inTraining > 0).length).toBeGreaterThan(100);
  });
});

describe('forecast', () => {
  const waiting = { charge: 2, threshold: 8, pending: 3, arrivalsPerSecond: 0 };
  test('without arrivals the charge rises in a line', () => {
    expect(secondsToThreshold(waiting)).toBe(2);
    expect(chargeAfter(waiting, 2)).toBe(8);
  });
  test('with arrivals it rises faster', () => {
    const more = { ...waiting, arrivalsPerSecond: 4 };
    const seconds = secondsToThreshold(more) as number;
    expect(seconds).toBeLessThan(2);
    expect(chargeAfter(more, seconds)).toBeCloseTo(8, 10);
  });
  test('without waiting samples it never fires', () => {
    expect(secondsToThreshold({ ...waiting, pending: 0 })).toBeNull();
    expect(secondsToThreshold({ ...waiting, charge: 9 })).toBe(0);
  });
  test('a rule that charges something else rises to the time that the learner named', () => {
    const rise = riseOf('dla', waiting, 3);
    expect([rise?.seconds, rise?.from, rise?.chargeAfter(3)]).toEqual([3, 'learner', 8]);
    expect(riseOf('adaptive', waiting, 3)).toMatchObject({ seconds: 2, from: 'arrivals' });
    expect(riseOf('dla', waiting, -1)).toBeNull();
    expect(riseOf('periodic', { ...waiting, threshold: 0 }, 5)).toBeNull();
  });
  test('the learner says a time from its last event on', () => {
    expect(secondsToFiring(3, 1000, 2000)).toBe(2);
    expect(secondsToFiring(3, 1000, 9000)).toBe(0);
    expect(secondsToFiring(-1, 1000, 2000)).toBeNull();
  });
});

describe('the newest model', () => {
  const words = (change: (said: Status, gate: Gate) => void) => {
    const said = status();
    const gate = said.gate as Gate;
    change(said, gate);
    return newestModel(said, gate);
  };
  test('is in service, waits, was rolled back, or is behind a pinned one', () => {
    const serves = 89;
    expect(words((said) => (said.progress.modelVersion = serves))).toBe('in service');
    expect(words((_, gate) => (gate.held = true))).toBe('waits');
    expect(words((said) => (said.progress.modelVersion = 0))).toBe('none yet');
    expect(words((said) => (said.progress.modelVersion = serves + 1))).toBe('rolled back');
    expect(
      words((said) => {
        said.progress.modelVersion = serves + 1;
        said.pinned = { version: serves, until: 0, reason: 'the audit wants it', by: 'somebody' };
      }),
    ).toBe('published');
  });
});

describe('rate', () => {
  test('is the change within the window', () => {
    const times = Float64Array.of(0, 1000, 2000, 3000);
    expect(rate(times, Float64Array.of(0, 100, 200, 400), 2000)).toBe(150);
    expect(rate(times, Float64Array.of(0, 100, 200, Number.NaN), 2000)).toBe(100);
    expect(rate(times, Float64Array.of(9, 8, 7, 6), 2000)).toBeNull();
    expect(rate(Float64Array.of(1), Float64Array.of(1), 2000)).toBeNull();
  });
});

describe('moves', () => {
  test('add up behind what the server knows', () => {
    const moves = new Moves();
    moves.load({ counts: { 'NEWBORN>MATURE': 5 }, points: [{ atMillis: 100, updateNumber: 1, counts: {} }] });
    moves.add(event('STAGED', 100, { moves: { counts: { 'NEWBORN>MATURE': 1 }, traced: [] } }));
    moves.add(event('STAGED', 101, { moves: { counts: { 'NEWBORN>MATURE': 1, 'MATURE>DISCARD': 2 }, traced: [] } }));
    expect([moves.count('NEWBORN', 'MATURE'), moves.count('MATURE', 'DISCARD')]).toEqual([6, 2]);
  });
});

describe('a learner whose past is on its way', () => {
  test('keeps the moves and updates that come meanwhile', () => {
    const learner = new Learner({ learner: 'a/0', application: 'a', partition: 0, last: event('STATUS', 50) });
    learner.loading();
    learner.take(event('STAGED', 100, { moves: { counts: { 'NEWBORN>MATURE': 2 }, traced: [] } }));
    learner.take(event('STAGED', 101, { moves: { counts: { 'NEWBORN>MATURE': 1 }, traced: [] } }));
    learner.loadMoves({ counts: { 'NEWBORN>MATURE': 7 }, points: [{ atMillis: 100, updateNumber: 1, counts: {} }] });
    learner.loadUpdates([]);
    expect(learner.moves.count('NEWBORN', 'MATURE')).toBe(8);
  });
});

describe('charges', () => {
  test('have the peak of a firing', () => {
    const charges = new Charges();
    charges.add(event('STATUS', 1000));
    charges.add(event('FIRED', 2001, { update: update(1, 2000) }));
    expect([...charges.times()]).toEqual([1000, 1999, 2001]);
    expect([...charges.charge()]).toEqual([2, 9, 2]);
  });
  test('stay bounded', () => {
    const charges = new Charges();
    for (let at = 0; at < 10_000; at++) {
      charges.add(event('STATUS', at));
    }
    expect(charges.length).toBeLessThanOrEqual(2400);
  });
});

describe('a learner', () => {
  test('keeps the newest event, whatever the order of the topics, without its lists', () => {
    const learner = new Learner({
      learner: 'electricity/0',
      application: 'electricity',
      partition: 0,
      last: event('STATUS', 5000),
    });
    learner.take(event('STAGED', 4000, { update: trained(1, 3900), moves: { counts: {}, traced: [] } }));
    expect(learner.last.atMillis).toBe(5000);
    expect(learner.updates.length).toBe(1);
    learner.take(event('STAGED', 6000, { update: trained(2, 5900), moves: { counts: {}, traced: [] } }));
    expect(learner.last.atMillis).toBe(6000);
    expect(learner.last.moves).toBeUndefined();
  });
  test('knows when its clock was set back', () => {
    const learner = new Learner({ learner: 'a/0', application: 'a', partition: 0, last: event('STATUS', 3_600_000) });
    expect(learner.setBackBy(event('STATUS', 3_590_000))).toBe(false);
    expect(learner.setBackBy(event('STATUS', 3_500_000))).toBe(true);
  });
  test('forgets what the server knows from before its clock was set back', () => {
    const entries = [10, 500, 900, 100, 130, 160].map((second) => second * 1000);
    const at = (millis: number) => millis;
    expect(sinceSetBack(entries, at, 165_000)).toEqual([100_000, 130_000, 160_000]);
    expect(sinceSetBack(entries.slice(0, 3), at, 900_000)).toEqual(entries.slice(0, 3));
    expect(sinceSetBack(entries.slice(0, 3), at, 100_000)).toEqual([]);
    // Entries that overtook each other by less are of one time.
    expect(sinceSetBack([100_000, 90_000, 120_000], at, 110_000)).toHaveLength(3);
    expect(sinceSetBack([], at, 1)).toEqual([]);
  });
  test('loses nothing when a topic is read late', () => {
    const learner = new Learner({ learner: 'a/0', application: 'a', partition: 0, last: event('STATUS', 3_600_000) });
    expect(learner.setBackBy(event('RULES', 3_300_000))).toBe(false);
    learner.take(event('RULES', 3_300_000));
    expect(learner.last.atMillis).toBe(3_600_000);
    expect(learner.setBackBy(event('RULES', 3_500_000))).toBe(false);
    expect(learner.setBackBy(event('RULES', 3_000_000))).toBe(true);
  });
  test('is not led back by a topic that lags behind a clock that was set back', () => {
    const info = { learner: 'a/0', application: 'a', partition: 0 };
    const before = new Learner({ ...info, last: event('STATUS', 3_600_000) });
    before.take(event('RULES', 3_590_000));
    const learner = new Learner({ ...info, last: event('STATUS', 10_000) }, before);
    learner.take(event('RULES', 3_595_000));
    expect(learner.last.atMillis).toBe(10_000);
    expect(learner.setBackBy(event('RULES', 12_000))).toBe(false);
    learner.take(event('RULES', 12_000));
    expect(learner.last.atMillis).toBe(12_000);
  });
  test('takes events that came while updates were asked for behind the answer', () => {
    const learner = new Learner({
      learner: 'electricity/0',
      application: 'electricity',
      partition: 0,
      last: event('STATUS', 1),
    });
    learner.loading();
    learner.take(event('FIRED', 10, { update: update(5, 9) }));
    learner.take(event('STAGED', 20, { update: trained(5, 9) }));
    learner.loadUpdates([
      {
        number: 4,
        state: 'published',
        firedAtMillis: 1,
        stagedAtMillis: 2,
        publishedAtMillis: 3,
        heldAtMillis: null,
        update: { ...trained(4, 1), published: { version: 4, atMillis: 3 } },
        message: '',
      },
      {
        number: 5,
        state: 'fired',
        firedAtMillis: 10,
        stagedAtMillis: null,
        publishedAtMillis: null,
        heldAtMillis: null,
        update: update(5, 9),
        message: '',
      },
    ]);
    expect(learner.updates.length).toBe(2);
    expect(learner.updates.state(1)).toBe('staged');
    expect(learner.published).toEqual({ version: 4, atMillis: 3 });
  });
  test('notes what people should read once', () => {
    const learner = new Learner({
      learner: 'electricity/0',
      application: 'electricity',
      partition: 0,
      last: event('STATUS', 1),
    });
    const dropped = event('DROPPED', 10, { message: 'diverged' });
    learner.take(dropped);
    learner.take(dropped);
    learner.loadNotes([{ atMillis: 10, type: 'DROPPED', updateNumber: null, message: 'diverged' }]);
    expect(learner.notes).toHaveLength(1);
  });
});

describe('the version in service', () => {
  test('has its age while an older one than the newest serves', () => {
    const one = new Learner({ learner: 'a/0', application: 'a', partition: 0, last: event('STATUS', 1) });
    for (const number of [1, 2]) {
      const published = { version: number, atMillis: 1000 * number };
      one.take(event('FIRED', 1000 * number - 2, { update: update(number, 1000 * number - 2) }));
      one.take(event('PUBLISHED', 1000 * number, { update: { ...trained(number, 1000 * number - 2), published } }));
    }
    expect([one.publishedAt(1), one.publishedAt(2), one.publishedAt(3)]).toEqual([1000, 2000, null]);
  });
});

describe('lineage', () => {
  const version = (number: number, parent: number | null, descent: Descent = 'CURRENT'): ModelVersion => ({
    version: number,
    parent,
    createdAtMillis: 0,
    digest: '',
    bytes: 0,
    files: [],
    attributes: {},
    counts: {},
    metrics: {},
    descent,
    damaged: '',
  });
  test('abandoned branches stand apart, each in a lane', () => {
    const rows = lineage([
      version(6, 3),
      version(5, 4, 'ABANDONED'),
      version(4, 2, 'ABANDONED'),
      version(3, 2),
      version(2, 1),
    ]);
    expect(rows.map((row) => row.lane)).toEqual([0, 1, 1, 0, 0]);
    expect(rows.map((row) => row.parentRow)).toEqual([3, 2, 4, 4, -1]);
  });
  test('a version that cannot be read has no parent, and those below no branch', () => {
    const rows = lineage([version(4, 3), version(3, null), version(2, 1, 'UNKNOWN'), version(1, 0, 'UNKNOWN')]);
    expect(rows.map((row) => row.lane)).toEqual([0, 0, 0, 0]);
    expect(rows.map((row) => row.parentRow)).toEqual([1, -1, 3, -1]);
  });
});
