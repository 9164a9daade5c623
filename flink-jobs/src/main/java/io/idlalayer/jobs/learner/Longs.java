package io.idlalayer.jobs.learner;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Arrays of longs as state: a version byte, then the values big endian. */
final class Longs {
  static final long[] NONE = {};
  private static final byte VERSION = 1;

  private Longs() {}

  static byte[] encode(long[] values) {
    ByteBuffer out = ByteBuffer.allocate(1 + values.length * Long.BYTES).put(VERSION);
    out.asLongBuffer().put(values);
    return out.array();
  }

  /** Takes {@link #encode} back; null is none. */
  static long[] decode(byte @Nullable [] encoded) {
    if (encoded == null) {
      return NONE;
    }
    ByteBuffer in = ByteBuffer.wrap(encoded);
    StateVersions.require("arrival times", VERSION, in.get());
    LongBuffer values = in.asLongBuffer();
    long[] decoded = new long[values.remaining()];
    values.get(decoded);
    return decoded;
  }

  /** Both, one behind the other; of more than {@code most} the last ones. */
  static long[] concat(long[] first, long[] second, int most) {
    int kept = (int) Math.min(first.length, Math.max(0, (long) most - second.length));
    long[] both = Arrays.copyOfRange(first, first.length - kept, first.length + second.length);
    System.arraycopy(second, 0, both, kept, second.length);
    return both.length <= most ? both : Arrays.copyOfRange(both, both.length - most, both.length);
  }
}
