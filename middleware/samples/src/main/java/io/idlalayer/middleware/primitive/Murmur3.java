package io.idlalayer.middleware.primitive;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Computes the 128-bit MurmurHash3 for 64-bit machines, eight bytes at a time. The results are
 * equal to those of Commons Codec, which reads byte by byte.
 */
public final class Murmur3 {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int BLOCK = 2 * Long.BYTES;
  private static final long C1 = 0x87c37b91114253d5L;
  private static final long C2 = 0x4cf5ad432745937fL;

  private Murmur3() {}

  /**
   * Returns the 128-bit hash of the first bytes of an array.
   *
   * @param length number of bytes, at most the array's length
   * @return the high half, then the low half
   */
  public static long[] hash128(byte[] bytes, int length, int seed) {
    long high = seed & 0xFFFF_FFFFL;
    long low = high;
    int blocks = length / BLOCK;
    for (int block = 0; block < blocks; block++) {
      high ^= first((long) LONGS.get(bytes, block * BLOCK));
      high = 5 * (Long.rotateLeft(high, 27) + low) + 0x52dce729L;
      low ^= second((long) LONGS.get(bytes, block * BLOCK + Long.BYTES));
      low = 5 * (Long.rotateLeft(low, 31) + high) + 0x38495ab5L;
    }
    int rest = blocks * BLOCK;
    high ^= first(partial(bytes, rest, Math.min(length, rest + Long.BYTES)));
    low ^= second(partial(bytes, rest + Long.BYTES, length));
    high ^= length;
    low ^= length;
    high += low;
    low += high;
    high = BitMixer.murmur(high);
    low = BitMixer.murmur(low);
    high += low;
    low += high;
    return new long[] {high, low};
  }

  private static long first(long eight) {
    return Long.rotateLeft(eight * C1, 31) * C2;
  }

  private static long second(long eight) {
    return Long.rotateLeft(eight * C2, 33) * C1;
  }

  /**
   * Returns up to eight bytes of an array as a number, the first byte lowest; 0 if there are no
   * bytes.
   */
  private static long partial(byte[] bytes, int from, int until) {
    long value = 0;
    for (int i = until - 1; i >= from; i--) {
      value = (value << 8) | (bytes[i] & 0xFF);
    }
    return value;
  }
}
