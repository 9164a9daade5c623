package io.idlalayer.middleware.primitive;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Computes SipHash-2-4 (Aumasson 2012), a hash with a secret key. Without the key, texts with equal
 * hashes can be found only by trial.
 */
public final class SipHash {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int BYTE_BITS = 8;
  private static final int LENGTH_SHIFT = 56;

  private long v0;
  private long v1;
  private long v2;
  private long v3;

  private SipHash(long low, long high) {
    v0 = low ^ 0x736f6d6570736575L;
    v1 = high ^ 0x646f72616e646f6dL;
    v2 = low ^ 0x6c7967656e657261L;
    v3 = high ^ 0x7465646279746573L;
  }

  /**
   * Returns the 64-bit hash of the first bytes of an array.
   *
   * @param length number of bytes, at most the array's length
   * @param low first eight bytes of the key, lowest first
   * @param high last eight bytes of the key
   */
  public static long hash(byte[] bytes, int length, long low, long high) {
    SipHash state = new SipHash(low, high);
    state.takeAll(bytes, length);
    return state.end(0xFF);
  }

  /**
   * Returns the 128-bit hash of the first bytes of an array, with the eight bytes that the
   * reference implementation writes first at index 0. The arguments are the same as in {@link
   * #hash}.
   */
  public static long[] hash128(byte[] bytes, int length, long low, long high) {
    SipHash state = new SipHash(low, high);
    state.v1 ^= 0xEE;
    state.takeAll(bytes, length);
    long first = state.end(0xEE);
    state.v1 ^= 0xDD;
    return new long[] {first, state.end(0)};
  }

  private void takeAll(byte[] bytes, int length) {
    int whole = length - length % Long.BYTES;
    for (int i = 0; i < whole; i += Long.BYTES) {
      take((long) LONGS.get(bytes, i));
    }
    long last = (long) length << LENGTH_SHIFT;
    for (int i = whole; i < length; i++) {
      last |= (bytes[i] & 0xFFL) << (BYTE_BITS * (i - whole));
    }
    take(last);
  }

  private long end(int mark) {
    v2 ^= mark;
    for (int i = 0; i < 4; i++) {
      round();
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }

  private void take(long eight) {
    v3 ^= eight;
    round();
    round();
    v0 ^= eight;
  }

  private void round() {
    v0 += v1;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v3;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 += v3;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 += v1;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v2 = Long.rotateLeft(v2, 32);
  }
}
