package io.idlalayer.jobs.mixing;

import io.idlalayer.jobs.learner.state.InputPositions;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.SortedMap;

/**
 * A message of a learner to the mixer of its application: the learner has started, or has
 * contributed a model. Both messages contain the learner's progress.
 *
 * @param hello whether the learner has started; else it has contributed
 * @param incarnation random name of the learner since its last start. Only a learner whose
 *     incarnation a version names is allowed to adopt the version
 * @param round round of the version that the learner adopted last; 0 if there is none
 * @param version number of the learner's last contribution; 0 if there is none
 * @param digest digest of the last contribution; "" if the learner has contributed nothing since it
 *     joined
 * @param rows number of new samples on which the learner's model was trained, without the samples
 *     that were given up when it joined
 * @param trained number of all new samples that the learner has trained
 * @param offsets next input offsets, by "topic-partition"
 * @param idle whether no sample of the learner waits for training
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
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not an encoded
   *     record
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
