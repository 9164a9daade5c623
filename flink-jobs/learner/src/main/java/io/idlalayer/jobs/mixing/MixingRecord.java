package io.idlalayer.jobs.mixing;

import io.idlalayer.jobs.learner.state.InputPositions;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.SortedMap;

/**
 * What a learner says to the mixer of its application: that it has started, or that it has
 * contributed a model. Both say how far it is.
 *
 * @param hello whether it has started; else it has contributed
 * @param incarnation random name of the learner since its last start. A version may be adopted only
 *     by a learner whose incarnation it names
 * @param round round of the version that it has adopted last; 0 if it has adopted none
 * @param version number of its last contribution; 0 if it has contributed nothing
 * @param digest digest of its last contribution; "" if it has contributed nothing since it joined
 * @param rows new samples that its model was trained on, without those that were given up when it
 *     joined
 * @param trained new samples that it has trained altogether
 * @param offsets next input offsets, by "topic-partition"
 * @param idle whether none of its samples waits for training
 */
public record MixingRecord(
    String application,
    int partition,
    boolean hello,
    String incarnation,
    long round,
    long version,
    String digest,
    long rows,
    long trained,
    SortedMap<String, Long> offsets,
    boolean idle)
    implements MixingMessage {
  private static final StateFormat FORMAT = StateFormat.first("mixing record");

  @Override
  public byte[] encode() {
    return InputPositions.put(
            FORMAT
                .writer()
                .putText(1, application)
                .putInt(2, partition)
                .putBoolean(3, hello)
                .putText(4, incarnation)
                .putLong(5, round)
                .putLong(6, version)
                .putText(7, digest)
                .putLong(8, rows)
                .putLong(9, trained)
                .putBoolean(10, idle),
            11,
            offsets)
        .bytes();
  }

  /**
   * Decodes what {@link #encode} has written.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are no such record
   */
  public static MixingRecord decode(byte[] bytes) {
    StateReader in = FORMAT.reader(bytes);
    return new MixingRecord(
        in.getText(1),
        in.getInt(2),
        in.getBoolean(3),
        in.getText(4),
        in.getLong(5),
        in.getLong(6),
        in.getText(7),
        in.getLong(8),
        in.getLong(9),
        InputPositions.offsets(in, 11),
        in.getBoolean(10));
  }
}
