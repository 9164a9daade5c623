import type { Status } from '../api/types.ts';

/** Whether every received event is accounted for. */
export interface Balance {
  received: number;
  trained: number;
  duplicates: number;
  malformed: number;
  unlabeled: number;
  quarantined: number;
  pending: number;
  /** Newborns that the running training has: they wait no longer, and are not trained yet */
  inTraining: number;
  /** received minus all others; 0 if the balance holds */
  missing: number;
  lostOffsets: number;
  holds: boolean;
}

export function balance(status: Status): Balance {
  const { received, duplicates, malformed, unlabeled, quarantined } = status.samples;
  const trained = status.progress.trainedNewSamples;
  const pending = status.decision.pending;
  const rest = received - trained - duplicates - malformed - unlabeled - quarantined - pending;
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
    quarantined,
    pending,
    inTraining,
    missing,
    lostOffsets,
    holds: missing === 0 && lostOffsets === 0,
  };
}
