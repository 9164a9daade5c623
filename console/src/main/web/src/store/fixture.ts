import { count } from '../format/number.ts';
import type { TextParts } from './textParts.ts';
import type { DecisionEvent, EventType, Grounds, Status, UpdateRecord } from '../api/types.ts';

/** Events for tests, with plausible numbers. */

export function grounds(charge = 2, threshold = 8): Grounds {
  return {
    rule: 'adaptive',
    reason: 'waiting is still cheaper than an update',
    charge: { sampleSeconds: charge, thresholdSampleSeconds: threshold, virtualWaitingSampleSeconds: charge },
    predicted: { low: 0.004, mean: 0.018, high: 0.031 },
    basis: {
      costs: { secondsPerSample: 6.7e-5, fixedSeconds: 0.008, weight: 1000 },
      overheadSeconds: 0.004,
      urgency: 1,
    },
    guarantee: { certifiedRatio: 1.87, guardDenials: 0, delayedUpdates: 23 },
  };
}

export function status(): Status {
  return {
    samples: {
      received: 11720,
      malformed: 29,
      unlabeled: 0,
      duplicates: 2,
      stored: 11689,
      storedBytes: 374048,
      revived: 0,
      joined: 0,
      evicted: 0,
      quarantined: 0,
      passedOver: 0,
      merged: 0,
      changed: 0,
      labelsWaiting: 0,
      labelsGivenUp: 0,
      labelsDefaulted: 0,
      defaultsCorrected: 0,
    },
    stages: { newborn: 36, mature: 5165, preserve: 3375, discard: 3113 },
    progress: { updates: 132, trainedNewSamples: 11653, modelVersion: 89, training: false },
    prequential: {
      scored: 11186,
      unscored: 0,
      classification: {
        logLoss: 0.52,
        accuracy: 0.85,
        recentAccuracy: 0.848,
        noChangeAccuracy: 0.8,
        majorityAccuracy: 0.56,
        recentNoChangeAccuracy: 0.79,
        recentMajorityAccuracy: 0.57,
        recentLogLoss: 0.53,
        metrics: {
          model: { balancedAccuracy: 0.84, f1: 0.845, positiveF1: 0.87, kappa: 0.69 },
          noChange: { balancedAccuracy: 0.79, f1: 0.795, positiveF1: 0.82, kappa: 0.59 },
          majority: { balancedAccuracy: 0.5, f1: 0.36, positiveF1: 0.72, kappa: 0 },
          kappaM: 0.66,
          kappaTemporal: 0.25,
          baseRateLogLoss: 0.686,
          normalizedEntropy: 0.758,
          auc: 0.91,
          aucError: 0.002,
          calibration: 1.02,
        },
        recent: {
          model: { balancedAccuracy: 0.838, f1: 0.842, positiveF1: 0.868, kappa: 0.685 },
          noChange: { balancedAccuracy: 0.78, f1: 0.785, positiveF1: 0.81, kappa: 0.57 },
          majority: { balancedAccuracy: 0.5, f1: 0.363, positiveF1: 0.726, kappa: 0 },
          kappaM: 0.647,
          kappaTemporal: 0.276,
          baseRateLogLoss: 0.683,
          normalizedEntropy: 0.776,
          auc: 0.905,
          aucError: 0.003,
          calibration: 1.03,
        },
        calibration: [
          { samples: 5600, predicted: 0.2, actual: 0.18 },
          { samples: 5586, predicted: 0.9, actual: 0.88 },
        ],
        byClass: [
          {
            name: 'UP',
            samples: 4900,
            predicted: 4700,
            correct: 3961,
            recentSamples: 430,
            recentPredicted: 428,
            recentCorrect: 353,
          },
          {
            name: 'DOWN',
            samples: 6286,
            predicted: 6486,
            correct: 5547,
            recentSamples: 570,
            recentPredicted: 572,
            recentCorrect: 495,
          },
        ],
      },
    },
    incorporation: { count: 11587, meanSeconds: 0.717, p99Seconds: 2.495 },
    ingestion: { events: 346, p50Millis: 88, p99Millis: 172, maxMillis: 177 },
    hotSamples: {
      donatedBytes: 67108864,
      payloadBytes: 374048,
      hits: 28336,
      misses: 1059,
      store: { readBytes: 33888, writtenBytes: 374048, waitSeconds: 0.02 },
    },
    decision: { pending: 36, nextFiringInSeconds: 0.5, grounds: grounds() },
    inputOffsets: { 'electricity-samples-0': 11720 },
    input: { lostOffsets: 0, lost: [], reread: 0, refusedControls: 0, ends: [], run: 'r' },
    engine: { name: 'onednn 3.1.0', threads: 1, reason: '', warnings: [] },
    processor: {
      updates: 132,
      recentUpdateSeconds: 0.0061,
      caused: {
        decidingSeconds: 0.081,
        trainingSeconds: 0.412,
        acceptingSeconds: 0.187,
        reportingSeconds: 0.203,
        publishingSeconds: 0.294,
        cleaningUpSeconds: 0.102,
        sendingSeconds: 0.121,
        followingSeconds: 0.077,
      },
      statusSeconds: 0.052,
      process: { seconds: 31.4, compilationSeconds: 11.9 },
    },
    gate: {
      inServiceVersion: 89,
      held: false,
      comparedWith: 88,
      samples: 101,
      difference: -0.01,
      heldModels: 42,
      rollbacks: 0,
    },
  };
}

export function update(number: number, atMillis: number): UpdateRecord {
  return { number, firing: { atMillis, newSamples: 66, replayedSamples: 64, grounds: grounds(9, 8) } };
}

export function trained(number: number, atMillis: number): UpdateRecord {
  return {
    ...update(number, atMillis),
    training: { parentVersion: number - 1, seconds: 0.012, meanLossBefore: 0.48, meanLossAfter: 0.42 },
  };
}

export function event(type: EventType, atMillis: number, change: Partial<DecisionEvent> = {}): DecisionEvent {
  return {
    formatVersion: 1,
    type,
    application: 'electricity',
    partition: 0,
    atMillis,
    message: '',
    status: status(),
    ...change,
  };
}

/** A text as it is read. */
export function plainText(parts: TextParts): string {
  return parts.map((each) => (typeof each === 'string' ? each : (each.format ?? count)(each.value))).join('');
}
