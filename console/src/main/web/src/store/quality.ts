import type { PrequentialSummary } from '../api/types.ts';
import { decimals, percent, short } from '../format/number.ts';
import type { Figure } from './textParts.ts';

/** The samples that a metric is of: all that were tested, or the last 1,000. */
export type Samples = 'all' | 'recent';

/** A rule that needs no model. */
export interface Rule {
  words: string;
  figure: Figure;
}

/** A metric of a model, beside the same metric of rules that need none, on the same samples. */
export interface Reading {
  words: string;
  model: Figure & { path: string };
  rules: Rule[];
  higherIsBetter: boolean;
}

const CLASSIFICATION = 'prequential.classification.';
const REGRESSION = 'prequential.regression.';
const NO_CHANGE = 'repeating the previous label';
const MAJORITY = 'always naming the most frequent label';
const BASE_RATE = 'the base rate';
const MEAN = 'always naming the mean';

type Format = NonNullable<Figure['format']>;

const plain: Format = (value) => decimals(value, 3);

/**
 * Reads a metric of the application file.
 *
 * @param metric its name; "" if the application is not known
 * @returns null if it is not known, for instance because nothing was tested
 */
export function reading(metric: string, prequential: PrequentialSummary, samples: Samples): Reading | null {
  if (prequential.classification) {
    return ofClasses(metric, prequential, samples);
  }
  return prequential.regression ? ofTargets(metric, prequential, samples) : null;
}

/** Rules that are better than the model by more than a share; of errors, a share of the rule's. */
export function betterRules({ model, rules, higherIsBetter }: Reading, share: number): Rule[] {
  const own = model.value;
  return rules.filter(({ figure: { value } }) => {
    if (own === null || own === undefined || value === null || value === undefined) {
      return false;
    }
    return higherIsBetter ? value > own + share : own > value * (1 + share);
  });
}

/** The name of a number on some samples: `accuracy` and `recentAccuracy`. */
export function named(name: string, samples: Samples): string {
  return samples === 'all' ? name : 'recent' + name[0]!.toUpperCase() + name.slice(1);
}

function figureOf(root: object, base: string, format: Format) {
  return (path: string): Figure & { path: string } => {
    let value: unknown = root;
    for (const part of path.split('.')) {
      value = (value as Record<string, unknown> | undefined)?.[part];
    }
    return { value: value as number | undefined, path: base + path, format };
  };
}

const fixed = (value: number): Figure => ({ value, formula: String(value), format: plain });

function ofClasses(metric: string, { classification }: PrequentialSummary, samples: Samples): Reading | null {
  if (!classification) {
    return null;
  }
  const metrics = samples === 'all' ? 'metrics.' : 'recent.';
  const as = (format: Format) => figureOf(classification, CLASSIFICATION, format);
  const ofLabels = (words: string, name: string, format: Format): Reading => ({
    words,
    model: as(format)(metrics + 'model.' + name),
    rules: [
      { words: NO_CHANGE, figure: as(format)(metrics + 'noChange.' + name) },
      { words: MAJORITY, figure: as(format)(metrics + 'majority.' + name) },
    ],
    higherIsBetter: true,
  });
  switch (metric) {
    case 'balanced-accuracy':
      return ofLabels('Balanced accuracy', 'balancedAccuracy', percent);
    case 'f1':
      return ofLabels('F1', 'f1', percent);
    case 'positive-f1':
      return ofLabels('F1 of the second class', 'positiveF1', percent);
    case 'kappa':
      return ofLabels('Kappa', 'kappa', plain);
    case 'log-loss':
      return {
        words: 'Log loss',
        model: as(plain)(named('logLoss', samples)),
        rules: [{ words: BASE_RATE, figure: as(plain)(metrics + 'baseRateLogLoss') }],
        higherIsBetter: false,
      };
    case 'normalized-entropy':
      return {
        words: 'Normalized entropy',
        model: as(plain)(metrics + 'normalizedEntropy'),
        rules: [{ words: BASE_RATE, figure: fixed(1) }],
        higherIsBetter: false,
      };
    case 'auc':
      return {
        words: 'AUC',
        model: as(plain)(metrics + 'auc'),
        rules: [{ words: 'chance', figure: fixed(0.5) }],
        higherIsBetter: true,
      };
    default:
      return {
        words: 'Accuracy',
        model: as(percent)(named('accuracy', samples)),
        rules: [
          { words: NO_CHANGE, figure: as(percent)(named('noChangeAccuracy', samples)) },
          { words: MAJORITY, figure: as(percent)(named('majorityAccuracy', samples)) },
        ],
        higherIsBetter: true,
      };
  }
}

function ofTargets(metric: string, { regression }: PrequentialSummary, samples: Samples): Reading | null {
  if (!regression) {
    return null;
  }
  const metrics = samples === 'all' ? 'metrics.' : 'recent.';
  const as = (format: Format) => figureOf(regression, REGRESSION, format);
  const ofQuantile = (level: '10' | '90'): Reading => ({
    words: 'Quantile loss of 0.' + level[0],
    model: as(short)(metrics + 'quantileLoss' + level),
    rules: [{ words: NO_CHANGE, figure: as(short)(metrics + 'noChangeQuantileLoss' + level) }],
    higherIsBetter: false,
  });
  switch (metric) {
    case 'mase':
      return {
        words: 'MASE',
        model: as(plain)(metrics + 'mase'),
        rules: [{ words: NO_CHANGE, figure: fixed(1) }],
        higherIsBetter: false,
      };
    case 'rmse':
      return {
        words: 'Root mean squared error',
        model: as(short)(named('rootMeanSquaredError', samples)),
        rules: [
          { words: NO_CHANGE, figure: as(short)(metrics + 'noChangeRootMeanSquaredError') },
          { words: MEAN, figure: as(short)(metrics + 'deviation') },
        ],
        higherIsBetter: false,
      };
    case 'r2':
      return {
        words: 'R2',
        model: as(plain)(metrics + 'rSquared'),
        rules: [{ words: MEAN, figure: fixed(0) }],
        higherIsBetter: true,
      };
    case 'quantile-loss-10':
      return ofQuantile('10');
    case 'quantile-loss-90':
      return ofQuantile('90');
    case 'quantile-loss':
      return {
        words: 'Quantile loss of ' + (regression.metrics?.quantile?.level ?? 'its level'),
        model: as(short)(metrics + 'quantile.loss'),
        rules: [{ words: NO_CHANGE, figure: as(short)(metrics + 'quantile.noChangeLoss') }],
        higherIsBetter: false,
      };
    default:
      return {
        words: 'Mean absolute error',
        model: as(short)(named('meanAbsoluteError', samples)),
        rules: [{ words: NO_CHANGE, figure: as(short)(named('noChangeMeanAbsoluteError', samples)) }],
        higherIsBetter: false,
      };
  }
}
