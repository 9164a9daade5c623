/** Numbers inside nested objects, by paths such as `samples.received`. */

export type Getter = (of: unknown) => number;

/** Compiles a path once. The getter gives NaN where there is no number; booleans are 0 and 1. */
export function getter(path: string): Getter {
  const steps = path.split('.');
  return (of) => {
    let at: unknown = of;
    for (const step of steps) {
      if (at === null || typeof at !== 'object') {
        return Number.NaN;
      }
      at = (at as Record<string, unknown>)[step];
    }
    return typeof at === 'number' ? at : typeof at === 'boolean' ? Number(at) : Number.NaN;
  };
}

/** Numbers of the status that the page draws over time; the others are shown as they are now. */
export const DRAWN = [
  'samples.received',
  'samples.stored',
  'samples.storedBytes',
  'stages.newborn',
  'stages.mature',
  'stages.preserve',
  'stages.discard',
  'progress.updates',
  'progress.modelVersion',
  'prequential.scored',
  'prequential.unscored',
  'prequential.classification.logLoss',
  'prequential.classification.accuracy',
  'prequential.classification.recentAccuracy',
  'prequential.classification.noChangeAccuracy',
  'prequential.classification.majorityAccuracy',
  'prequential.classification.recentNoChangeAccuracy',
  'prequential.classification.recentMajorityAccuracy',
  'prequential.regression.meanAbsoluteError',
  'prequential.regression.rootMeanSquaredError',
  'prequential.regression.noChangeMeanAbsoluteError',
  'ingestion.p99Millis',
  'hotSamples.hits',
  'hotSamples.misses',
  'hotSamples.payloadBytes',
  'hotSamples.store.readBytes',
  'hotSamples.store.writtenBytes',
  'hotSamples.store.waitSeconds',
  'decision.pending',
  'decision.grounds.charge.sampleSeconds',
  'decision.grounds.charge.thresholdSampleSeconds',
  'decision.grounds.basis.urgency',
  'decision.grounds.guarantee.certifiedRatio',
  'tables.rows',
  'tables.hotRows',
  'tables.fastBytes',
  'tables.slowBytes',
  'tables.hits',
  'tables.misses',
  'tables.store.readBytes',
  'tables.store.writtenBytes',
  'tables.store.waitSeconds',
] as const;

export type Drawn = (typeof DRAWN)[number];

/** Numbers of an update that the page keeps. Times are epoch milliseconds. */
export const UPDATE_NUMBERS = [
  'number',
  'firing.atMillis',
  'firing.newSamples',
  'firing.replayedSamples',
  'firing.grounds.charge.sampleSeconds',
  'firing.grounds.charge.thresholdSampleSeconds',
  'firing.grounds.predicted.low',
  'firing.grounds.predicted.mean',
  'firing.grounds.predicted.high',
  'firing.grounds.basis.costs.secondsPerSample',
  'firing.grounds.basis.costs.fixedSeconds',
  'firing.grounds.basis.costs.weight',
  'firing.grounds.basis.urgency',
  'firing.grounds.guarantee.certifiedRatio',
  'training.parentVersion',
  'training.seconds',
  'training.meanLossBefore',
  'training.meanLossAfter',
  'training.tensors.copied.fastToSlowBytes',
  'training.tensors.copied.slowToFastBytes',
  'training.tensors.onSlow.readBytes',
  'training.tensors.onSlow.writtenBytes',
  'training.tensors.arguments.hits',
  'training.tensors.arguments.misses',
  'training.tensors.stallSeconds',
  'training.tensors.evictions.forced',
  'training.tensors.evictions.avoidedWriteBackBytes',
  'training.tensors.fast.bytes',
  'training.tensors.fast.highWaterBytes',
  'training.tensors.slow.bytes',
  'training.tensors.slow.highWaterBytes',
  'training.tensors.slow.readBytesPerSecond',
  'training.tensors.slow.writeBytesPerSecond',
  'training.tensors.loans.bytes',
  'training.tensors.loans.losses',
  'training.tensors.loans.nanos',
  'training.tensors.loans.localNanos',
  'training.tensors.plan.step.predicted',
  'training.tensors.plan.step.measured',
  'training.tensors.plan.step.unplanned',
  'training.tensors.plan.step.bound',
  'training.tensors.plan.planningSeconds',
  'training.tensors.plan.differingSteps',
  'training.tensors.plan.rerunKernels',
  'published.version',
  'published.atMillis',
] as const;

export type UpdateNumber = (typeof UPDATE_NUMBERS)[number];
