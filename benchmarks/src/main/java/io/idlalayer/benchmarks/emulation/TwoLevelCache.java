package io.idlalayer.benchmarks.emulation;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;

/**
 * A direct-mapped, write-back cache of 64-byte lines that inserts on every miss: how persistent
 * memory hides behind DRAM in hardware. Only tags, no bytes; counts every access that the two media
 * see. Confined to one thread; several {@linkplain Options#shards shards} of the sets may be
 * counted apart, since sets do not know each other.
 *
 * <p>Source: Hildebrand 2022, chapter 2. A write to a line that was read and is still there may
 * skip the check of its tag (dirty data optimisation); the mark that allows it is an assumption
 * about undocumented hardware.
 */
public final class TwoLevelCache {
  /** Bytes of a line. */
  public static final int LINE_BYTES = 64;

  /** How stores reach the cache. */
  public enum StoreKind {
    /** The line is read for ownership, then written. */
    STANDARD,
    /** The line is written without being read. */
    NON_TEMPORAL
  }

  /**
   * The options of the cache.
   *
   * @param ownership whether a write to a line that was read skips the check of its tag
   * @param pageBytes size of pages that are placed at random; 0: addresses are not changed
   * @param seed seed of the places
   * @param shard number of the shard that this instance counts, from 0
   * @param shards number of ranges of sets into which the cache is divided
   */
  public record Options(boolean ownership, int pageBytes, long seed, int shard, int shards) {
    /** With ownership, pages of 4 KiB at random, one shard. */
    public static final Options DEFAULT = new Options(true, 4096, 1, 0, 1);

    /** Addresses as they are, one shard. */
    public static Options identity(boolean ownership) {
      return new Options(ownership, 0, 0, 0, 1);
    }

    public Options {
      if (pageBytes < 0 || pageBytes % LINE_BYTES != 0) {
        throw new IllegalArgumentException(
            "pages of %d bytes; a multiple of %d is needed".formatted(pageBytes, LINE_BYTES));
      }
      if (shards < 1 || shard < 0 || shard >= shards) {
        throw new IllegalArgumentException("shard %d of %d".formatted(shard, shards));
      }
    }
  }

  private final int lines;
  private final long addressBytes;
  private final Options options;
  private final int[] pages;
  private final int from;
  private final int to;
  private final int[] tags;
  private final BitSet dirty;
  private final BitSet owned;
  private long hits;
  private long missesClean;
  private long missesDirty;
  private long ownedWrites;
  private long fastReads;
  private long fastWrites;
  private long slowReads;
  private long slowWrites;

  /**
   * @param fastBytes size of the cache, a positive multiple of a line
   * @param addressBytes end of the addresses, which begin at 0
   */
  public TwoLevelCache(long fastBytes, long addressBytes, Options options) {
    if (fastBytes <= 0 || fastBytes % LINE_BYTES != 0) {
      throw new IllegalArgumentException(
          "a cache of %d bytes; a positive multiple of %d is needed"
              .formatted(fastBytes, LINE_BYTES));
    }
    if (addressBytes <= 0) {
      throw new IllegalArgumentException("an address space of " + addressBytes + " bytes");
    }
    lines = Math.toIntExact(fastBytes / LINE_BYTES);
    this.addressBytes = addressBytes;
    this.options = options;
    pages = options.pageBytes() == 0 ? new int[0] : shuffled(options, addressBytes);
    from = (int) ((long) lines * options.shard() / options.shards());
    to = (int) ((long) lines * (options.shard() + 1) / options.shards());
    tags = new int[to - from];
    dirty = new BitSet(to - from);
    owned = new BitSet(to - from);
    Arrays.fill(tags, -1);
  }

  private static int[] shuffled(Options options, long addressBytes) {
    int[] pages =
        new int[Math.toIntExact((addressBytes + options.pageBytes() - 1) / options.pageBytes())];
    SplittableRandom random = new SplittableRandom(options.seed());
    for (int i = 0; i < pages.length; i++) {
      int other = random.nextInt(i + 1);
      pages[i] = pages[other];
      pages[other] = i;
    }
    return pages;
  }

  /**
   * Loads bytes.
   *
   * @throws IndexOutOfBoundsException if they are not all in the address space
   */
  public void read(long address, long bytes) {
    check(address, bytes);
    for (long at = first(address); at < end(address, bytes); at++) {
      int set = setOf(physical(at));
      if (set >= 0) {
        read(set, physical(at));
      }
    }
  }

  /**
   * Stores bytes; ordinary stores read their lines first.
   *
   * @throws IndexOutOfBoundsException if they are not all in the address space
   */
  public void write(long address, long bytes, StoreKind kind) {
    check(address, bytes);
    for (long at = first(address); at < end(address, bytes); at++) {
      long line = physical(at);
      int set = setOf(line);
      if (set >= 0) {
        if (kind == StoreKind.STANDARD) {
          read(set, line);
        }
        write(set, line);
      }
    }
  }

  private void check(long address, long bytes) {
    if (bytes < 0 || address < 0 || address > addressBytes - bytes) {
      throw new IndexOutOfBoundsException(
          "%d bytes at %d of %d".formatted(bytes, address, addressBytes));
    }
  }

  private static long first(long address) {
    return address / LINE_BYTES;
  }

  private static long end(long address, long bytes) {
    return bytes == 0 ? first(address) : (address + bytes - 1) / LINE_BYTES + 1;
  }

  private long physical(long line) {
    if (pages.length == 0) {
      return line;
    }
    int perPage = options.pageBytes() / LINE_BYTES;
    return (long) pages[(int) (line / perPage)] * perPage + line % perPage;
  }

  /** Index of a line's set in this shard, or -1. */
  private int setOf(long line) {
    int set = (int) (line % lines);
    return set >= from && set < to ? set - from : -1;
  }

  private void read(int set, long line) {
    fastReads++;
    if (tags[set] == (int) (line / lines)) {
      hits++;
    } else {
      miss(set, line);
    }
    if (options.ownership()) {
      owned.set(set);
    }
  }

  private void write(int set, long line) {
    boolean there = tags[set] == (int) (line / lines);
    if (there && owned.get(set)) {
      ownedWrites++;
    } else {
      fastReads++;
      if (there) {
        hits++;
      } else {
        miss(set, line);
      }
    }
    fastWrites++;
    dirty.set(set);
    owned.clear(set);
  }

  private void miss(int set, long line) {
    if (dirty.get(set)) {
      slowWrites++;
      missesDirty++;
    } else {
      missesClean++;
    }
    slowReads++;
    fastWrites++;
    tags[set] = (int) (line / lines);
    dirty.clear(set);
    owned.clear(set);
  }

  /** What was counted since the start or the last {@link #reset}. */
  public TagStats snapshot() {
    return new TagStats(
        hits, missesClean, missesDirty, ownedWrites, fastReads, fastWrites, slowReads, slowWrites);
  }

  /** Dirty lines now; all are written to the slow device by {@link #flush}. */
  public int dirtyLines() {
    return dirty.cardinality();
  }

  /**
   * Writes dirty lines back, without counting that as accesses.
   *
   * @return lines written
   */
  public int flush() {
    int written = dirty.cardinality();
    dirty.clear();
    return written;
  }

  /** Forgets everything. */
  public void reset() {
    Arrays.fill(tags, -1);
    dirty.clear();
    owned.clear();
    hits = 0;
    missesClean = 0;
    missesDirty = 0;
    ownedWrites = 0;
    fastReads = 0;
    fastWrites = 0;
    slowReads = 0;
    slowWrites = 0;
  }
}
