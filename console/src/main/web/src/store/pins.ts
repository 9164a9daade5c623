import type { Gate, Status, VersionTable } from '../api/types.ts';

/** The pin that holds now: one with a limit ends when a version above the limit is current. */
export function heldPin(models: VersionTable): VersionTable['pin'] {
  const { pin, current } = models;
  return pin && (!pin.until || current <= pin.until) ? pin : null;
}

/** Where the newest model of a learner is that compares its models, in words. */
export function newestModel({ progress, pinned }: Status, { held, inServiceVersion }: Gate): string {
  if (held) {
    return 'waits';
  }
  if (progress.modelVersion === 0) {
    return 'none yet';
  }
  if (inServiceVersion === 0 || inServiceVersion === progress.modelVersion) {
    return 'in service';
  }
  return pinned?.until === 0 ? 'published' : 'rolled back';
}
