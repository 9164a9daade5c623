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
  /** received minus all others; 0 if the balance holds */
  missing: number;
  lostOffsets: number;
  holds: boolean;
}

export function balance(status: Status): Balance {
  const { received, duplicates, malformed, unlabeled, quarantined } = status.samples;
  const trained = status.progress.trainedNewSamples;
  const pending = status.decision.pending;
  const missing = received - trained - duplicates - malformed - unlabeled - quarantined - pending;
  const lostOffsets = status.input.lostOffsets;
  return {
    received,
    trained,
    duplicates,
    malformed,
    unlabeled,
    quarantined,
    pending,
    missing,
    lostOffsets,
    holds: missing === 0 && lostOffsets === 0,
  };
}
