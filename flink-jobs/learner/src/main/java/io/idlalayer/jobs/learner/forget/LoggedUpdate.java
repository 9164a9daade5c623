package io.idlalayer.jobs.learner.forget;

import io.idlalayer.datacontroller.api.PastTraining;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The facts about an accepted update that are needed to train it again.
 *
 * @param number number of the update, from 1
 * @param rows rows that the update trained
 * @param eventHashes hashes of the events' own ids of the rows that were trained for the first
 *     time, in their order
 */
public record LoggedUpdate(long number, PastTraining rows, long[] eventHashes) {
  private static final StateFormat FORMAT = StateFormat.first("logged update");
  private static final int SEVEN_BITS = 0x7F;
  private static final int MORE = 0x80;

  public LoggedUpdate {
    int fresh = 0;
    for (boolean each : rows.fresh()) {
      fresh += each ? 1 : 0;
    }
    if (eventHashes.length != fresh) {
      throw new IllegalArgumentException(
          "%d new rows and hashes of %d events".formatted(fresh, eventHashes.length));
    }
  }

  /**
   * Returns the log entry of a batch.
   *
   * @param key key of the hashes of events' ids
   */
  public static LoggedUpdate of(TrainingBatch batch, HashKey key) {
    List<TrainingRow> rows = batch.rows();
    PastTraining past =
        new PastTraining(
            rows.stream().mapToLong(TrainingRow::sampleId).toArray(),
            rows.stream().mapToInt(row -> PastTraining.shortened(row.content())).toArray(),
            new boolean[rows.size()]);
    for (int i = 0; i < rows.size(); i++) {
      past.fresh()[i] = rows.get(i).fresh();
    }
    long[] events =
        rows.stream()
            .filter(TrainingRow::fresh)
            .mapToLong(row -> ContentHasher.idHash(row.sample().id(), key))
            .toArray();
    return new LoggedUpdate(batch.updateNumber(), past, events);
  }

  /**
   * Returns whether one of some samples was trained.
   *
   * @param sampleIds in ascending order
   */
  boolean trains(long[] sampleIds) {
    // Usually there is one sample id, and a log has millions of rows to compare with it.
    boolean one = sampleIds.length == 1;
    long first = one ? sampleIds[0] : 0;
    for (long id : rows.ids()) {
      if (one ? id == first : Arrays.binarySearch(sampleIds, id) >= 0) {
        return true;
      }
    }
    return false;
  }

  /** Returns the samples of an event that this update was the first to train. */
  List<Long> samplesOf(long eventHash) {
    if (Arrays.stream(eventHashes).noneMatch(hash -> hash == eventHash)) {
      return List.of();
    }
    List<Long> found = new ArrayList<>();
    int event = 0;
    for (int i = 0; i < rows.ids().length; i++) {
      if (rows.fresh()[i] && eventHashes[event++] == eventHash) {
        found.add(rows.ids()[i]);
      }
    }
    return found;
  }

  /** Returns this update without the rows of some samples. The result can be without rows. */
  public LoggedUpdate without(Set<Long> sampleIds) {
    return picking(
        IntStream.range(0, rows.ids().length)
            .filter(i -> !sampleIds.contains(rows.ids()[i]))
            .toArray());
  }

  /**
   * Returns this update without the rows of some samples; each sample is left out if this update is
   * not after a given update.
   *
   * @param through for each sample, the number of the last update from which it is left out
   */
  public LoggedUpdate without(Map<Long, Long> through) {
    return picking(
        IntStream.range(0, rows.ids().length)
            .filter(i -> through.getOrDefault(rows.ids()[i], 0L) < number)
            .toArray());
  }

  /** Returns this update with only the rows of some samples. The result can be without rows. */
  public LoggedUpdate only(Set<Long> sampleIds) {
    return picking(
        IntStream.range(0, rows.ids().length)
            .filter(i -> sampleIds.contains(rows.ids()[i]))
            .toArray());
  }

  private LoggedUpdate picking(int[] picked) {
    if (picked.length == rows.ids().length) {
      return this;
    }
    int[] eventOf = new int[rows.ids().length];
    int event = 0;
    for (int i = 0; i < eventOf.length; i++) {
      eventOf[i] = rows.fresh()[i] ? event++ : -1;
    }
    long[] ids = new long[picked.length];
    int[] contents = new int[picked.length];
    boolean[] fresh = new boolean[picked.length];
    for (int i = 0; i < picked.length; i++) {
      ids[i] = rows.ids()[picked[i]];
      contents[i] = rows.contents()[picked[i]];
      fresh[i] = rows.fresh()[picked[i]];
    }
    long[] events =
        IntStream.of(picked)
            .filter(i -> eventOf[i] >= 0)
            .mapToLong(i -> eventHashes[eventOf[i]])
            .toArray();
    return new LoggedUpdate(number, new PastTraining(ids, contents, fresh), events);
  }

  /**
   * Returns this update as bytes. Each row has the difference between its id and the previous id,
   * in one or a few bytes, and four bytes of the hash of its content. Each new row also has eight
   * bytes of the hash of its event's id.
   */
  byte[] encode() {
    ByteArrayOutputStream ids = new ByteArrayOutputStream();
    BitSet fresh = new BitSet();
    long before = 0;
    for (int i = 0; i < rows.ids().length; i++) {
      for (long rest = rows.ids()[i] - before; ; rest >>>= 7) {
        if (rest >>> 7 == 0) {
          ids.write((int) rest);
          break;
        }
        ids.write((int) (rest & SEVEN_BITS) | MORE);
      }
      before = rows.ids()[i];
      fresh.set(i, rows.fresh()[i]);
    }
    return FORMAT
        .writer()
        .putLong(1, number)
        .putBytes(2, ids.toByteArray())
        .putInts(3, rows.contents())
        .putBytes(4, fresh.toByteArray())
        .putLongs(5, eventHashes)
        .bytes();
  }

  /**
   * Decodes an {@linkplain #encode() encoded} update.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not an encoded
   *     update
   */
  static LoggedUpdate decode(byte[] bytes) {
    StateReader in = FORMAT.reader(bytes);
    int[] contents = in.getInts(3);
    long[] events = in.getLongs(5);
    BitSet marks = BitSet.valueOf(in.getBytes(4));
    byte[] differences = in.getBytes(2);
    long[] ids = new long[contents.length];
    boolean[] fresh = new boolean[contents.length];
    int at = 0;
    long id = 0;
    for (int i = 0; i < ids.length; i++) {
      long difference = 0;
      int shift = 0;
      int read = MORE;
      while (read >= MORE) {
        if (at == differences.length || shift > 63) {
          throw in.refused("it has fewer ids than its %d rows".formatted(ids.length));
        }
        read = differences[at++] & 0xFF;
        difference |= (long) (read & SEVEN_BITS) << shift;
        shift += 7;
      }
      id += difference;
      ids[i] = id;
      fresh[i] = marks.get(i);
    }
    if (at != differences.length
        || marks.cardinality() != events.length
        || marks.length() > ids.length) {
      throw in.refused("its %d rows do not fit each other".formatted(ids.length));
    }
    return new LoggedUpdate(in.getLong(1), new PastTraining(ids, contents, fresh), events);
  }
}
