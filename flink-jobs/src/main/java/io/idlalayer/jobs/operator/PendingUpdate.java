package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.Selection;
import io.idlalayer.modelcontroller.update.UpdateDecision.Explanation;
import io.idlalayer.modelcontroller.update.UpdateDecision.Facts;
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
 * @param firedAtMillis by the wall clock
 * @param withdrawnIds samples of the selection whose labels were taken back since, ascending
 */
record PendingUpdate(
    Selection selection,
    long[] arrivedAtMillis,
    long firedAtMillis,
    Explanation explanation,
    long[] withdrawnIds) {
  private static final byte VERSION = 4;
  private static final long[] NONE = {};

  PendingUpdate(
      Selection selection, long[] arrivedAtMillis, long firedAtMillis, Explanation explanation) {
    this(selection, arrivedAtMillis, firedAtMillis, explanation, NONE);
  }

  /** Whether a sample trains in it, and its label was not taken back before. */
  boolean holds(long id) {
    return (Arrays.binarySearch(selection.newIds(), id) >= 0
            || Arrays.binarySearch(selection.replayedIds(), id) >= 0)
        && Arrays.binarySearch(withdrawnIds, id) < 0;
  }

  /** The same after the label of a sample was taken back. */
  PendingUpdate withdrawing(long id) {
    long[] ids = Arrays.copyOf(withdrawnIds, withdrawnIds.length + 1);
    ids[withdrawnIds.length] = id;
    Arrays.sort(ids);
    return new PendingUpdate(selection, arrivedAtMillis, firedAtMillis, explanation, ids);
  }

  /** The same with only these new samples, and without those whose labels were taken back. */
  PendingUpdate with(long[] waitingIds) {
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
    return new PendingUpdate(selection.without(gone), arrived, firedAtMillis, explanation);
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
      out.writeLong(firedAtMillis);
      out.writeUTF(explanation.rule());
      out.writeUTF(explanation.reason());
      out.writeInt(explanation.pending());
      out.writeDouble(explanation.regretSampleSeconds());
      out.writeDouble(explanation.thresholdSampleSeconds());
      out.writeDouble(explanation.predictedSeconds());
      out.writeDouble(explanation.predictedSecondsLow());
      out.writeDouble(explanation.predictedSecondsHigh());
      out.writeLong(explanation.nextFiringNanos());
      writeFacts(out, explanation.facts());
      writeLongs(out, withdrawnIds);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  static PendingUpdate decode(byte[] encoded) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
      StateVersions.require("pending update", VERSION, in.readByte());
      Selection selection =
          new Selection(in.readLong(), readLongs(in), readLongs(in), readLongs(in));
      return new PendingUpdate(
          selection,
          readLongs(in),
          in.readLong(),
          new Explanation(
              in.readUTF(),
              in.readUTF(),
              in.readInt(),
              in.readDouble(),
              in.readDouble(),
              in.readDouble(),
              in.readDouble(),
              in.readDouble(),
              in.readLong(),
              readFacts(in)),
          readLongs(in));
    } catch (IOException truncated) {
      throw new UncheckedIOException("pending update state is truncated", truncated);
    }
  }

  private static void writeFacts(DataOutputStream out, Facts facts) throws IOException {
    out.writeDouble(facts.certifiedRatio());
    out.writeDouble(facts.waitingSampleSeconds());
    out.writeDouble(facts.updateCost());
    out.writeDouble(facts.secondsPerSample());
    out.writeDouble(facts.fixedSeconds());
    out.writeDouble(facts.weight());
    out.writeDouble(facts.urgency());
    out.writeLong(facts.guardDenials());
    out.writeLong(facts.delayed());
  }

  private static Facts readFacts(DataInputStream in) throws IOException {
    return new Facts(
        in.readDouble(),
        in.readDouble(),
        in.readDouble(),
        in.readDouble(),
        in.readDouble(),
        in.readDouble(),
        in.readDouble(),
        in.readLong(),
        in.readLong());
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
