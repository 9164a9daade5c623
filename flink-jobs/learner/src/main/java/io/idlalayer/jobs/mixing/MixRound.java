package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.ArrayList;
import java.util.List;

/**
 * A round that was fired: it says which contributions become a model. The round is in state before
 * it is carried out, so that a repetition after a restore gives the same result bit for bit.
 *
 * @param number number of the round, from 1; a repetition has the number of the repeated round
 * @param taken the contributions, in the order of partitions; empty if the round only names the
 *     learners that are allowed to adopt the model of the previous round
 * @param waitMillis longest time in milliseconds that a round waits for a learner now
 * @param typicalLength median length of the progress of recent contributions; 0 if it is unknown
 */
public record MixRound(long number, List<Taken> taken, long waitMillis, double typicalLength) {
  private static final StateFormat FORMAT = StateFormat.first("mixing round");
  private static final StateFormat TAKEN = StateFormat.first("taken contribution");

  public MixRound {
    taken = List.copyOf(taken);
  }

  /** The model from which the progress of a contribution is computed. */
  public enum From {
    /** From none: the contribution is the first of all, and becomes the first model unchanged. */
    NOTHING,
    /** From the mixed model that the learner had adopted, whose parameters the contribution has. */
    ADOPTED,
    /** From the learner's previous contribution that a round took. */
    CONTRIBUTED
  }

  /**
   * A contribution that a round takes.
   *
   * @param rows number of new samples from which its progress comes, at least 0
   * @param again whether an earlier round has taken the contribution, and the model of that round
   *     does not contain it
   */
  public record Taken(MixingRecord record, From from, long rows, boolean again) {
    /** Creates a contribution that no round has taken before. */
    public Taken(MixingRecord record, From from, long rows) {
      this(record, from, rows, false);
    }
  }

  byte[] encode() {
    List<byte[]> each = new ArrayList<>();
    for (Taken one : taken) {
      each.add(
          TAKEN
              .writer()
              .putBytes(1, one.record().encode())
              .putText(2, one.from().name())
              .putLong(3, one.rows())
              .putBoolean(4, one.again())
              .bytes());
    }
    return FORMAT
        .writer()
        .putLong(1, number)
        .putList(2, each)
        .putLong(3, waitMillis)
        .putDouble(4, typicalLength)
        .bytes();
  }

  static MixRound decode(byte[] bytes) {
    StateReader in = FORMAT.reader(bytes);
    List<Taken> taken = new ArrayList<>();
    for (byte[] each : in.getList(2)) {
      StateReader one = TAKEN.reader(each);
      taken.add(
          new Taken(
              MixingRecord.decode(one.getBytes(1)),
              From.valueOf(one.getText(2)),
              one.getLong(3),
              one.getBoolean(4)));
    }
    return new MixRound(in.getLong(1), taken, in.getLong(3), in.getDouble(4));
  }
}
