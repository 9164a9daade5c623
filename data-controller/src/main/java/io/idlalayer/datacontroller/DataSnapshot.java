package io.idlalayer.datacontroller;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The small state of a data controller. Version 2: three counters, then four parts, each with its
 * length. Version 1 had the counters and the classifier's part only, without length.
 */
record DataSnapshot(
    long nextId,
    long evicted,
    long expired,
    byte[] classifier,
    byte[] scorer,
    byte[] selector,
    byte[] window) {
  private static final byte VERSION = 2;
  private static final byte[] NOTHING = {};

  byte[] encode() {
    byte[][] parts = {classifier, scorer, selector, window};
    int length = Arrays.stream(parts).mapToInt(part -> 4 + part.length).sum();
    ByteBuffer out = ByteBuffer.allocate(1 + 3 * 8 + length);
    out.put(VERSION).putLong(nextId).putLong(evicted).putLong(expired);
    for (byte[] part : parts) {
      out.putInt(part.length).put(part);
    }
    return out.array();
  }

  static DataSnapshot decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte version = in.get();
    if (version != 1 && version != VERSION) {
      throw new IllegalArgumentException(
          "data controller snapshot has version %d, this program reads 1 and %d"
              .formatted(version, VERSION));
    }
    long nextId = in.getLong();
    long evicted = in.getLong();
    long expired = in.getLong();
    if (version == 1) {
      byte[] classifier = take(in, in.remaining());
      return new DataSnapshot(nextId, evicted, expired, classifier, NOTHING, NOTHING, NOTHING);
    }
    return new DataSnapshot(
        nextId,
        evicted,
        expired,
        take(in, in.getInt()),
        take(in, in.getInt()),
        take(in, in.getInt()),
        take(in, in.getInt()));
  }

  private static byte[] take(ByteBuffer in, int length) {
    byte[] part = new byte[length];
    in.get(part);
    return part;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DataSnapshot o && Arrays.equals(encode(), o.encode());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(encode());
  }

  @Override
  public String toString() {
    return "DataSnapshot[nextId=%d, evicted=%d]".formatted(nextId, evicted);
  }
}
