package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.TensorUse;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The bytes of a {@link TensorUse} within the state of a model. */
final class TensorUseState {
  private TensorUseState() {}

  static void write(DataOutputStream out, @Nullable TensorUse use) throws IOException {
    out.writeBoolean(use != null);
    if (use == null) {
      return;
    }
    out.writeUTF(use.policy());
    out.writeLong(use.bytesFastToSlow());
    out.writeLong(use.bytesSlowToFast());
    out.writeLong(use.slowReadBytes());
    out.writeLong(use.slowWrittenBytes());
    out.writeLong(use.hits());
    out.writeLong(use.misses());
    out.writeDouble(use.stallSeconds());
    out.writeLong(use.forcedEvictions());
    out.writeLong(use.avoidedWriteBackBytes());
    out.writeLong(use.fastHighWaterBytes());
    out.writeLong(use.fastBytes());
  }

  static @Nullable TensorUse read(DataInputStream in) throws IOException {
    if (!in.readBoolean()) {
      return null;
    }
    return new TensorUse(
        in.readUTF(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readDouble(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readLong());
  }
}
