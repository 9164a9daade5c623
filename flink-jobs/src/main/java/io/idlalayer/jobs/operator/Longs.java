package io.idlalayer.jobs.operator;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;

/** Arrays of longs as state: a version byte, then the values big endian. */
final class Longs {
  private static final byte VERSION = 1;

  private Longs() {}

  static byte[] encode(long[] values) {
    ByteBuffer out = ByteBuffer.allocate(1 + values.length * Long.BYTES).put(VERSION);
    out.asLongBuffer().put(values);
    return out.array();
  }

  static long[] decode(byte[] encoded) {
    ByteBuffer in = ByteBuffer.wrap(encoded);
    StateVersions.require("arrival times", VERSION, in.get());
    LongBuffer values = in.asLongBuffer();
    long[] decoded = new long[values.remaining()];
    values.get(decoded);
    return decoded;
  }
}
