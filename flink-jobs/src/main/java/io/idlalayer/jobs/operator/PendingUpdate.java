package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.Selection;
import io.idlalayer.modelcontroller.update.UpdateDecision.Explanation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * An update that was fired and is not accepted yet. Kept in state, so that a restore trains exactly
 * the same samples again.
 *
 * @param arrivedAtMillis arrival of each new sample, in the order of {@code selection.newIds()}
 */
record PendingUpdate(
    Selection selection, long[] arrivedAtMillis, long firedAtMillis, Explanation explanation) {
  private static final byte VERSION = 1;

  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeLong(selection.updateNumber());
      writeLongs(out, selection.newIds());
      writeLongs(out, selection.replayedIds());
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
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  static PendingUpdate decode(byte[] encoded) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
      StateVersions.require("pending update", VERSION, in.readByte());
      Selection selection = new Selection(in.readLong(), readLongs(in), readLongs(in));
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
              in.readLong()));
    } catch (IOException truncated) {
      throw new UncheckedIOException("pending update state is truncated", truncated);
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
