package io.idlalayer.middleware.cache.donation;

/**
 * Settings of the planning of donations: step sizes, bounds, thresholds and rhythm.
 *
 * @param gridMib donations are multiples of it, MiB
 * @param minimumHeapMib memory that stays with each executor, MiB
 * @param leastGain share of the task time that a plan must be predicted to save, in [0, 1)
 * @param hits thresholds of hits for a change of a donation, see {@link Hits}
 * @param rhythm how often and how far donations change
 */
public record DonationSettings(
    long gridMib, long minimumHeapMib, double leastGain, Hits hits, Rhythm rhythm) {
  /**
   * Thresholds for checking a planned donation against the measured hit curve.
   *
   * @param leastShare share of all references, in [0, 1]. A larger donation must gain at least this
   *     share as hits for each grid step, and a smaller donation must not lose more
   * @param leastReferences least number of measured references for a cross-check
   */
  public record Hits(double leastShare, double leastReferences) {
    public Hits {
      if (!(leastShare >= 0 && leastShare <= 1) || !(leastReferences >= 0)) {
        throw new IllegalArgumentException(
            "the least share of hits is %s and the least number of references %s; they must be 0 to 1, and at least 0"
                .formatted(leastShare, leastReferences));
      }
    }
  }

  /**
   * The time between two plans, and the largest change of a donation at once.
   *
   * @param planEverySeconds seconds between two plans, and between two changes of one owner
   * @param changeMib largest change of one donation in that time, in MiB
   * @param rowEverySeconds seconds between two rows of training data of one owner
   */
  public record Rhythm(int planEverySeconds, long changeMib, int rowEverySeconds) {
    public Rhythm {
      if (planEverySeconds < 1 || changeMib < 1 || rowEverySeconds < 1) {
        throw new IllegalArgumentException(
            "plans every %d s, changes of %d MiB, rows every %d s: each number must be at least 1"
                .formatted(planEverySeconds, changeMib, rowEverySeconds));
      }
    }
  }

  public DonationSettings {
    if (gridMib < 1 || minimumHeapMib < 0) {
      throw new IllegalArgumentException(
          "a grid of %d MiB and a minimum heap of %d MiB; the grid must be at least 1, and the heap at least 0"
              .formatted(gridMib, minimumHeapMib));
    }
    if (!(leastGain >= 0 && leastGain < 1)) {
      throw new IllegalArgumentException(
          "a least gain of " + leastGain + "; 0 to below 1 is needed");
    }
  }

  /**
   * Returns the defaults: a grid of 64 MiB, a minimum heap of 64 MiB, a least gain of 2 %, and a
   * least gain of 2 hits in 1000 references for each 64 MiB; a plan every 60 s, and a row of
   * training data every 10 s.
   */
  public static DonationSettings defaults() {
    return new DonationSettings(64, 64, 0.02, new Hits(0.002, 10_000), new Rhythm(60, 64, 10));
  }

  /**
   * Returns the largest donation of one owner in MiB, at least 0. It is the owner's share of the
   * process's memory, {@code memoryMib / executors}, less the minimum heap.
   */
  public long mostMib(double memoryMib, int executors) {
    return (long) Math.max(0, Math.floor(memoryMib / executors) - minimumHeapMib);
  }
}
