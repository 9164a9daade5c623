import type { ModelsAnswer } from '../api/types.ts';

/** The pin that holds now: one with a limit ends when a version above the limit is current. */
export function heldPin(models: ModelsAnswer): ModelsAnswer['pin'] {
  const { pin, current } = models;
  return pin && (!pin.until || current <= pin.until) ? pin : null;
}
