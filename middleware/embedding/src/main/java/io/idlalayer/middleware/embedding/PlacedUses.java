package io.idlalayer.middleware.embedding;

import io.idlalayer.middleware.sample.IdLists;
import java.util.List;

/**
 * Where in their sets the ids of a batch's samples were placed, use by use, so that samples that
 * come in the same order again need not be searched. One thread.
 */
final class PlacedUses {
  static final int NONE = -1;

  private final IdLists[] samples;
  private final int[] positions;

  /** The sample that is expected next, and its first use. */
  private int sample;

  private int use;

  /**
   * @param samples of the batch; their uses are put afterwards
   */
  PlacedUses(List<IdLists> samples) {
    this.samples = samples.toArray(new IdLists[0]);
    int uses = 0;
    for (IdLists each : this.samples) {
      uses += each.size();
    }
    positions = new int[uses];
  }

  /** The same uses, from the first sample on. */
  PlacedUses(PlacedUses other) {
    samples = other.samples;
    positions = other.positions;
  }

  /** The id of a use is at a position of its set. */
  void put(int ofUse, int position) {
    positions[ofUse] = position;
  }

  /**
   * Where the uses of a sample begin: known of the sample after the one that was asked for last,
   * and of the first.
   *
   * @return a position, or {@link #NONE} for other samples
   */
  @SuppressWarnings("ReferenceEquality") // A sample that is equal is found by its ids.
  int from(IdLists ids) {
    if (sample < samples.length && samples[sample] == ids) {
      return next(ids);
    }
    if (samples.length > 0 && samples[0] == ids) {
      sample = 0;
      use = 0;
      return next(ids);
    }
    return NONE;
  }

  private int next(IdLists ids) {
    int from = use;
    use += ids.size();
    sample++;
    return from;
  }

  /** The position of an id in its set. */
  int position(int ofUse) {
    return positions[ofUse];
  }
}
