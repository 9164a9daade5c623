package io.idlalayer.jobs.operator;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
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

  static long[] concat(long[] first, long[] second) {
    long[] both = java.util.Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
