package io.idlalayer.middleware.primitive;

/**
 * Mixes the bits of numbers, so that close numbers give results that are far apart. The functions
 * have no side effects and are not cryptographic. Decisions of runs depend on the results, so the
 * functions must never change.
 */
public final class BitMixer {
  /**
   * 2^64 divided by the golden ratio, rounded to an odd integer: its multiples are spread evenly
   * (Knuth, The Art of Computer Programming 3, section 6.4).
   */
  public static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  private BitMixer() {}

  /**
   * Returns the index of the cell of a hash table in which a key belongs.
   *
   * @param cells number of cells, a power of two
   */
  public static int cell(long key, int cells) {
    return (int) ((key * GOLDEN_RATIO) >>> 32) & (cells - 1);
  }

  /**
   * Mixes the bits of a number by a bijection that is faster than the others. Even the low bits of
   * the result depend on all bits of the number.
   */
  public static long scattered(long value) {
    long mixed = value * GOLDEN_RATIO;
    return mixed ^ (mixed >>> 29);
  }

  /**
   * Mixes the bits of a number by the finalizer of SplitMix64, a bijection in which each result bit
   * depends on all bits of the number.
   */
  public static long splitMix(long bits) {
    long mixed = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  /** Returns the number from which {@link #splitMix} makes a result. */
  public static long splitMixInverse(long mixed) {
    // The factors are the inverses modulo 2^64 of those of splitMix.
    long bits = (mixed ^ (mixed >>> 31) ^ (mixed >>> 62)) * 0x319642B2D24D8EC3L;
    bits = (bits ^ (bits >>> 27) ^ (bits >>> 54)) * 0x96DE1B173F119089L;
    return bits ^ (bits >>> 30) ^ (bits >>> 60);
  }

  /**
   * Mixes the bits of a number by the finalizer of MurmurHash3, a bijection in which each result
   * bit depends on all bits of the number.
   */
  public static long murmur(long bits) {
    long mixed = (bits ^ (bits >>> 33)) * 0xFF51AFD7ED558CCDL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xC4CEB9FE1A85EC53L;
    return mixed ^ (mixed >>> 33);
  }
}
