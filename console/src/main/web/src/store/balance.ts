import type { Status } from '../api/types.ts';

const REST =
  '(samples.received - progress.trainedNewSamples - samples.duplicates - samples.malformed - samples.unlabeled' +
  ' - samples.merged - samples.labelsWaiting - samples.labelsGivenUp - samples.quarantined - decision.pending)';
const AT_LEAST_NONE = 'max(0, ' + REST + ')';
const NEWBORNS = 'max(0, stages.newborn - decision.pending)';

/** As balance() computes what is in training and what is missing; a training runs where there is the first one. */
export const IN_TRAINING = AT_LEAST_NONE + ' + ' + NEWBORNS + ' - max(' + AT_LEAST_NONE + ', ' + NEWBORNS + ')';
const DIFFERENCE = REST + ' - progress.training * (' + IN_TRAINING + ')';
/** What is missing or too much. */
export const MISSING = 'max(' + DIFFERENCE + ', 0 - (' + DIFFERENCE + '))';

/** Whether every received event is accounted for. */
export interface Balance {
  received: number;
  trained: number;
  duplicates: number;
  malformed: number;
  unlabeled: number;
  merged: number;
  labelsWaiting: number;
  labelsGivenUp: number;
  quarantined: number;
  pending: number;
  /** Newborns that the running training has: they wait no longer, and are not trained yet */
  inTraining: number;
  /** received minus all others; 0 if the balance holds */
  missing: number;
  /** offsets that were gone before they were read; no received events */
  lostOffsets: number;
  /** in words: whether the balance holds and nothing was lost before it */
  verdict: { severity: 'good' | 'bad'; word: string };
}

export function balance(status: Status): Balance {
  const { received, duplicates, malformed, unlabeled, quarantined } = status.samples;
  const { merged, labelsWaiting, labelsGivenUp } = status.samples;
  const withIds = merged + labelsWaiting + labelsGivenUp;
  const trained = status.progress.trainedNewSamples;
  const pending = status.decision.pending;
  const rest = received - trained - duplicates - malformed - unlabeled - withIds - quarantined - pending;
  const newborns = Math.max(0, status.stages.newborn - pending);
  const inTraining = status.progress.training ? Math.min(Math.max(0, rest), newborns) : 0;
  const missing = rest - inTraining;
  const lostOffsets = status.input.lostOffsets;
  return {
    received,
    trained,
    duplicates,
    malformed,
    unlabeled,
    merged,
    labelsWaiting,
    labelsGivenUp,
    quarantined,
    pending,
    inTraining,
    missing,
    lostOffsets,
    verdict:
      missing !== 0
        ? { severity: 'bad', word: 'Does not hold' }
        : lostOffsets > 0
          ? { severity: 'bad', word: 'Holds; input lost' }
          : { severity: 'good', word: 'Holds' },
  };
}
