package io.idlalayer.middleware.embedding.batch;

import io.idlalayer.middleware.sample.IdLists;
import java.util.List;

/**
 * Remembers, for every use of an id in a batch's samples, the position of the id in its table's
 * {@link RowSet}. When the samples are read again in this order, no id has to be searched. For one
 * thread.
 */
final class PlacedUses {
  static final int NONE = -1;

  private final IdLists[] samples;
  private final int[] positions;

  /** Index of the sample that is expected next. */
  private int sample;

  private int use;

  /**
   * @param samples samples of the batch; the positions of their ids are set later
   */
  PlacedUses(List<IdLists> samples) {
    this.samples = samples.toArray(new IdLists[0]);
    int uses = 0;
    for (IdLists each : this.samples) {
      uses += each.size();
    }
    positions = new int[uses];
  }

  /**
   * Creates an instance that shares the positions of another one, and begins at the first sample.
   */
  PlacedUses(PlacedUses other) {
    samples = other.samples;
    positions = other.positions;
  }

  /** Records the position in its {@link RowSet} of the id at one use. */
  void put(int ofUse, int position) {
    positions[ofUse] = position;
  }

  /**
   * Returns the index of the first use of a sample. It is known for the first sample, and for the
   * sample after the one of the last call.
   *
   * @return an index, or {@link #NONE} for other samples
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

  /** Returns the position in its {@link RowSet} of the id at one use. */
  int position(int ofUse) {
    return positions[ofUse];
  }
}
