package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.jobs.events.UpdateRecord;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An update that was fired and is not accepted yet. Kept in state, so that a restore trains exactly
 * the same samples again.
 *
 * @param arrivedAtMillis arrival of each new sample, in the order of {@code selection.newIds()}, by
 *     the learner's clock
 * @param withdrawnIds samples of the selection whose labels were taken back since, ascending
 */
record FiredUpdate(
    Selection selection, long[] arrivedAtMillis, UpdateRecord.Firing firing, long[] withdrawnIds) {
  private static final byte VERSION = 1;
  private static final long[] NONE = {};

  FiredUpdate(Selection selection, long[] arrivedAtMillis, UpdateRecord.Firing firing) {
    this(selection, arrivedAtMillis, firing, NONE);
  }

  /** What is known of it before it has trained. */
  UpdateRecord toRecord() {
    return UpdateRecord.fired(selection.updateNumber(), firing);
  }

  /** Whether a sample trains in it, and its label was not taken back before. */
  boolean holds(long id) {
    return (Arrays.binarySearch(selection.newIds(), id) >= 0
            || Arrays.binarySearch(selection.replayedIds(), id) >= 0)
        && Arrays.binarySearch(withdrawnIds, id) < 0;
  }

  /** The same after the label of a sample was taken back. */
  FiredUpdate withdrawing(long id) {
    long[] ids = Arrays.copyOf(withdrawnIds, withdrawnIds.length + 1);
    ids[withdrawnIds.length] = id;
    Arrays.sort(ids);
    return new FiredUpdate(selection, arrivedAtMillis, firing, ids);
  }

  /** The same with only these new samples, and without those whose labels were taken back. */
  FiredUpdate with(long[] waitingIds) {
    Set<Long> gone = Arrays.stream(selection.newIds()).boxed().collect(Collectors.toSet());
    Arrays.stream(waitingIds).forEach(gone::remove);
    Arrays.stream(withdrawnIds).forEach(gone::add);
    if (gone.isEmpty()) {
      return this;
    }
    long[] newIds = selection.newIds();
    long[] arrived =
        IntStream.range(0, newIds.length)
            .filter(i -> !gone.contains(newIds[i]))
            .mapToLong(i -> arrivedAtMillis[i])
            .toArray();
    Selection left = selection.without(gone);
    UpdateRecord.Firing smaller =
        new UpdateRecord.Firing(
            firing.atMillis(), arrived.length, left.replayedIds().length, firing.grounds());
    return new FiredUpdate(left, arrived, smaller);
  }

  /** How many new samples lost their labels while they trained. */
  int withdrawnNew() {
    return (int)
        Arrays.stream(selection.newIds())
            .filter(id -> Arrays.binarySearch(withdrawnIds, id) >= 0)
            .count();
  }

  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeLong(selection.updateNumber());
      writeLongs(out, selection.newIds());
      writeLongs(out, selection.replayedIds());
      writeLongs(out, selection.passedIds());
      writeLongs(out, arrivedAtMillis);
      UpdateRecords.write(out, firing);
      writeLongs(out, withdrawnIds);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  static FiredUpdate decode(byte[] encoded) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
      StateVersions.require("fired update", VERSION, in.readByte());
      Selection selection =
          new Selection(in.readLong(), readLongs(in), readLongs(in), readLongs(in));
      return new FiredUpdate(selection, readLongs(in), UpdateRecords.readFiring(in), readLongs(in));
    } catch (IOException truncated) {
      throw new UncheckedIOException("fired update state is truncated", truncated);
    }
  }

  private static void writeLongs(DataOutputStream out, long[] values) throws IOException {
    out.writeInt(values.length);
    for (long value : values) {
      out.writeLong(value);
    }
  }

  private static long[] readLongs(DataInputStream in) throws IOException {
    long[] values = new long[in.readInt()];
    for (int i = 0; i < values.length; i++) {
      values[i] = in.readLong();
    }
    return values;
  }
}
