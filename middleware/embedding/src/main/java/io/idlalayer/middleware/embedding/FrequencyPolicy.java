package io.idlalayer.middleware.embedding;

/**
 * Keeps rows that are used often, lately. Each use warms a row; a hand goes round and halves the
 * warmth of the rows it looks at, so that old uses are forgotten (a clock, Corbato 1968, with
 * counters). The coolest of the rows that it looks at gives its place to a warmer one. How warm a
 * row is that comes from the store, its own count of occurrences says (admission by frequency,
 * TinyLFU, Einziger 2017), without a sketch.
 */
final class FrequencyPolicy implements RowPolicy {
  /** Rows that the hand looks at for one that comes in. */
  private static final int LOOKED_AT = 8;

  /** So that few uses long ago do not outweigh many since. */
  private static final int MOST_FROM_STORE = 8;

  private int hand;

  @Override
  public void used(HotRows rows, int slot) {
    rows.heat(slot, rows.heat(slot) + 1);
  }

  @Override
  public boolean takes(Candidate candidate) {
    return true;
  }

  @Override
  public int victim(HotRows rows, Candidate candidate) {
    int coolest = HotRows.NONE;
    int least = warmth(candidate);
    for (int i = 0; i < LOOKED_AT; i++) {
      int slot = hand;
      hand = hand + 1 == rows.slots() ? 0 : hand + 1;
      int heat = rows.heat(slot);
      if (heat < least) {
        least = heat;
        coolest = slot;
        if (heat == 0) {
          return coolest;
        }
      }
      rows.heat(slot, heat / 2);
    }
    return coolest;
  }

  private static int warmth(Candidate candidate) {
    int known = Math.min(MOST_FROM_STORE, candidate.occurrences() - 1);
    return candidate.soonAgain() ? known + 1 : known;
  }

  @Override
  public void entered(HotRows rows, int slot, Candidate candidate) {
    rows.heat(slot, Math.max(0, warmth(candidate)));
  }
}
