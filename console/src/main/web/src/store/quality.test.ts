import { describe, expect, test } from 'vitest';
import type { ApplicationInfo, PrequentialSummary, Status } from '../api/types.ts';
import { event, plainText, status } from './fixture.ts';
import { Learner } from './learner.ts';
import { betterRules, reading } from './quality.ts';
import { verdicts } from './verdicts.ts';

const CLASS_METRICS = [
  'accuracy',
  'balanced-accuracy',
  'f1',
  'positive-f1',
  'kappa',
  'kappa-m',
  'kappa-temporal',
  'log-loss',
  'normalized-entropy',
  'auc',
];
const TARGET_METRICS = ['mae', 'rmse', 'r2', 'mase', 'quantile-loss-10', 'quantile-loss-90', 'quantile-loss'];

function targets(): PrequentialSummary {
  const metrics = {
    quantileLoss10: 0.4,
    quantileLoss90: 0.6,
    noChangeRootMeanSquaredError: 2.5,
    noChangeQuantileLoss10: 0.5,
    noChangeQuantileLoss90: 0.5,
    deviation: 3,
    rSquared: 0.55,
    mase: 0.9,
    quantile: { level: 0.75, loss: 0.4, noChangeLoss: 0.5 },
  };
  return {
    scored: 5000,
    unscored: 0,
    regression: {
      meanAbsoluteError: 1,
      rootMeanSquaredError: 2,
      noChangeMeanAbsoluteError: 1.1,
      recentMeanAbsoluteError: 1,
      recentRootMeanSquaredError: 2,
      recentNoChangeMeanAbsoluteError: 1.1,
      metrics,
      recent: metrics,
    },
  };
}

function said(metric: string, change: (status: Status) => void): string {
  const now = status();
  change(now);
  const last = event('STATUS', 100_000, { status: now });
  const learner = new Learner({ learner: 'electricity/0', application: 'electricity', partition: 0, last });
  const application = { name: 'electricity', metric } as ApplicationInfo;
  const verdict = verdicts(learner, application, 100_500).find(({ check }) => check === 'Quality');
  return verdict?.severity + ': ' + plainText(verdict?.text ?? []);
}

describe('the metric of an application', () => {
  test.each(CLASS_METRICS)('%s is read for all samples and for the last ones', (metric) => {
    for (const samples of ['all', 'recent'] as const) {
      const found = reading(metric, status().prequential, samples)!;
      expect(found.model.value).toBeGreaterThan(0);
      expect(found.rules.every(({ figure }) => typeof figure.value === 'number')).toBe(true);
      expect(betterRules(found, 0)).toEqual([]);
    }
  });
  test.each(TARGET_METRICS)('%s is read for all samples and for the last ones', (metric) => {
    for (const samples of ['all', 'recent'] as const) {
      const found = reading(metric, targets(), samples)!;
      expect(found.model.value).toBeGreaterThan(0);
      expect(found.rules.every(({ figure }) => typeof figure.value === 'number')).toBe(true);
      expect(betterRules(found, 0)).toHaveLength(metric === 'quantile-loss-90' ? 1 : 0);
    }
  });
  test('decides what is a warning', () => {
    const belowMajority = (now: Status) => {
      now.prequential.classification!.majorityAccuracy = 0.9;
      now.prequential.classification!.recentMajorityAccuracy = 0.9;
    };
    expect(said('kappa-temporal', belowMajority)).toMatch(/^warn: Accuracy .*the most frequent label/);
    expect(said('normalized-entropy', belowMajority)).toMatch(/^good: Normalized entropy 0\.758/);
    const noBetterThanTheBaseRate = (now: Status) => {
      now.prequential.classification!.metrics!.normalizedEntropy = 1.2;
    };
    expect(said('normalized-entropy', noBetterThanTheBaseRate)).toMatch(
      /^warn: Normalized entropy 1\.200 is above the base rate \(1\.000\)\.$/,
    );
    expect(said('accuracy', noBetterThanTheBaseRate)).toMatch(/^good/);
  });
});
