package io.idlalayer.middleware.cache.policy;

import java.util.Arrays;

/**
 * A set of slots that finds the next member after any slot: a bit map with two levels of summary
 * bits.
 */
final class SlotSet {
  static final int NONE = -1;

  private long[] bits = {};
  private long[] words = {};
  private long[] blocks = {};
  private int size;

  void ensure(int slots) {
    if (slots > bits.length << 6) {
      int length = Math.max((slots + 63) >> 6, bits.length + (bits.length >> 1));
      bits = Arrays.copyOf(bits, length);
      words = Arrays.copyOf(words, (length + 63) >> 6);
      blocks = Arrays.copyOf(blocks, (words.length + 63) >> 6);
    }
  }

  boolean isEmpty() {
    return size == 0;
  }

  void add(int slot) {
    long bit = 1L << slot;
    int word = slot >> 6;
    if ((bits[word] & bit) == 0) {
      size++;
      bits[word] |= bit;
      words[word >> 6] |= 1L << word;
      blocks[word >> 12] |= 1L << (word >> 6);
    }
  }

  void remove(int slot) {
    long bit = 1L << slot;
    int word = slot >> 6;
    if ((bits[word] & bit) != 0) {
      size--;
      bits[word] &= ~bit;
      if (bits[word] == 0) {
        words[word >> 6] &= ~(1L << word);
        if (words[word >> 6] == 0) {
          blocks[word >> 12] &= ~(1L << (word >> 6));
        }
      }
    }
  }

  /** Returns the smallest member that is at least {@code from}, or {@link #NONE}. */
  int next(int from) {
    int word = from >> 6;
    if (word >= bits.length) {
      return NONE;
    }
    long here = bits[word] & (-1L << from);
    if (here != 0) {
      return (word << 6) + Long.numberOfTrailingZeros(here);
    }
    word = nextWord(word + 1);
    return word == NONE ? NONE : (word << 6) + Long.numberOfTrailingZeros(bits[word]);
  }

  private int nextWord(int from) {
    int summary = from >> 6;
    if (summary >= words.length) {
      return NONE;
    }
    long here = words[summary] & (-1L << from);
    if (here != 0) {
      return (summary << 6) + Long.numberOfTrailingZeros(here);
    }
    int next = nextSummary(summary + 1);
    return next == NONE ? NONE : (next << 6) + Long.numberOfTrailingZeros(words[next]);
  }

  private int nextSummary(int from) {
    int block = from >> 6;
    long mask = -1L << from;
    while (block < blocks.length) {
      long here = blocks[block] & mask;
      if (here != 0) {
        return (block << 6) + Long.numberOfTrailingZeros(here);
      }
      block++;
      mask = -1L;
    }
    return NONE;
  }

  long bytes() {
    return 8L * (bits.length + words.length + blocks.length);
  }
}
