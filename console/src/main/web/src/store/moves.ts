import type { DecisionEvent, MoveHistory } from '../api/types.ts';

export const STAGES = ['NEWBORN', 'MATURE', 'PRESERVE', 'DISCARD'] as const;
export type Stage = (typeof STAGES)[number];

/** Moves of samples between life stages, summed since the console began to read. */
export class Moves {
  private readonly counts = new Map<string, number>();
  private untilMillis = Number.NEGATIVE_INFINITY;

  count(before: Stage, after: Stage): number {
    return this.counts.get(before + '>' + after) ?? 0;
  }

  /** Begins with the totals of the server. */
  load(answer: MoveHistory): void {
    this.counts.clear();
    for (const [move, count] of Object.entries(answer.counts)) {
      this.counts.set(move, count);
    }
    this.untilMillis = answer.points[answer.points.length - 1]?.atMillis ?? Number.NEGATIVE_INFINITY;
  }

  /** Takes an event; one that the totals of the server contain already is passed over. */
  add(event: DecisionEvent): void {
    if (!event.moves || event.atMillis <= this.untilMillis) {
      return;
    }
    for (const [move, count] of Object.entries(event.moves.counts)) {
      this.counts.set(move, (this.counts.get(move) ?? 0) + count);
    }
    this.untilMillis = event.atMillis;
  }
}
