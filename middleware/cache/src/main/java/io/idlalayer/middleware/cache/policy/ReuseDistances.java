package io.idlalayer.middleware.cache.policy;

import java.util.Arrays;

/**
 * Measures, for each reference, how large a cache would have to be for the reference to be a hit.
 * It measures reuse distances in bytes on a sample of the keys that is as large as fixed memory
 * allows (SHARDS, Waldspurger 2015, with its correction of the first bucket). The hash of a key
 * decides whether the key is sampled. When the sample is full, keys whose last reference is further
 * back than the largest measured distance are removed; if there is no such key, half of the keys
 * are removed.
 *
 * <p>Each reference costs one comparison, and a reference to a sampled key O(log sample). The work
 * when the sample or the row of positions is full is O(log sample) for each such reference,
 * amortised. Confined to one thread or guarded by its owner's lock.
 */
public final class ReuseDistances {
  private static final int SHIFT_MAX = 16;
  private static final int POSITIONS_PER_KEY = 4;

  private final KeyTable table = new KeyTable();
  private final Shape shape;
  private final long[] hashes;
  private final int[] bytes;
  private final int[] positions;
  private final int[] free;

  /**
   * Slots of sampled keys in the order of their last reference; {@link #tree} sums their bytes up
   * to a position.
   */
  private final int[] slotAt;

  private final long[] tree;
  private int freeCount;
  private int used;
  private int size;
  private int next;
  private long totalBytes;
  private int shift;
  private double[][] distances = {};
  private double[] sampled = {};
  private double[] references = {};

  /**
   * The dimensions of the measurement: size of the sample and of the histogram.
   *
   * @param keys largest number of keys in the sample, at least 2
   * @param grainBytes capacity that one bucket spans, positive
   * @param buckets number of buckets; larger distances count like first references
   * @param parts number of parts of the cache, a power of two, of which this object sees one.
   *     Distances are multiplied by this number. At most one of this number of keys is sampled,
   *     because all parts together see enough keys
   */
  public record Shape(int keys, long grainBytes, int buckets, int parts) {
    public Shape {
      if (keys < 2 || grainBytes < 1 || buckets < 1 || parts < 1) {
        throw new IllegalArgumentException(
            "reuse distances of %d keys, %d buckets of %d bytes, %d parts; at least 2 keys and 1 of each other are needed"
                .formatted(keys, buckets, grainBytes, parts));
      }
    }
  }

  public ReuseDistances(Shape shape) {
    this.shape = shape;
    shift = 31 - Integer.numberOfLeadingZeros(shape.parts());
    hashes = new long[shape.keys()];
    bytes = new int[shape.keys()];
    positions = new int[shape.keys()];
    free = new int[shape.keys()];
    slotAt = new int[POSITIONS_PER_KEY * shape.keys()];
    tree = new long[slotAt.length + 1];
    Arrays.fill(slotAt, KeyTable.ABSENT);
  }

  private boolean isSampled(long hash) {
    return (hash >>> 20 & ((1L << shift) - 1)) == 0;
  }

  /**
   * Records that a key was looked up, or inserted because it was absent.
   *
   * @param hash hash of the key, well mixed
   * @param owner number of the owner that referenced it, a small number
   * @param occupiedBytes bytes that the key's block occupies
   * @param weight number of references for which this one stands, at least 1
   */
  public void referenced(long hash, int owner, int occupiedBytes, int weight) {
    known(owner);
    references[owner] += weight;
    if (!isSampled(hash)) {
      return;
    }
    int slot = table.get(hash);
    if (slot == KeyTable.ABSENT) {
      if (insert(hash, occupiedBytes)) {
        sampled[owner] += weight;
      }
      return;
    }
    sampled[owner] += weight;
    double between = (double) (totalBytes - upTo(positions[slot])) * (1L << shift);
    double distance = shape.parts() * (between + occupiedBytes);
    int bucket = (int) Math.min(Integer.MAX_VALUE, Math.ceil(distance / shape.grainBytes()) - 1);
    if (bucket < shape.buckets()) {
      distances[owner][Math.max(0, bucket)] += weight;
    }
    moveToEnd(slot, occupiedBytes);
  }

  /**
   * Records that a resident block was overwritten. The block counts as recently referenced, but not
   * as looked up.
   */
  public void replaced(long hash, int occupiedBytes) {
    if (isSampled(hash)) {
      int slot = table.get(hash);
      if (slot == KeyTable.ABSENT) {
        insert(hash, occupiedBytes);
      } else {
        moveToEnd(slot, occupiedBytes);
      }
    }
  }

  private void known(int owner) {
    if (owner >= references.length) {
      int from = references.length;
      references = Arrays.copyOf(references, owner + 1);
      sampled = Arrays.copyOf(sampled, owner + 1);
      distances = Arrays.copyOf(distances, owner + 1);
      for (int i = from; i <= owner; i++) {
        distances[i] = new double[shape.buckets()];
      }
    }
  }

  /**
   * Adds a key to the sample, after making room; returns false if the key is not in the sampled
   * range any more.
   */
  private boolean insert(long hash, int occupiedBytes) {
    if (size == shape.keys()) {
      dropBeyond();
    }
    while (size == shape.keys() && shift < SHIFT_MAX) {
      halve();
    }
    if (size == shape.keys() || !isSampled(hash)) {
      return false;
    }
    int slot = freeCount > 0 ? free[--freeCount] : used++;
    hashes[slot] = hash;
    table.put(hash, slot);
    size++;
    append(slot, occupiedBytes);
    return true;
  }

  /**
   * Removes keys from the sample whose next reference would be beyond the last bucket, where it
   * counts like a first reference.
   */
  private void dropBeyond() {
    double horizon = (double) shape.grainBytes() * shape.buckets() / shape.parts();
    for (int at = 0; at < next; at++) {
      int slot = slotAt[at];
      if (slot != KeyTable.ABSENT) {
        if ((double) (totalBytes - upTo(at)) * (1L << shift) <= horizon) {
          return;
        }
        leave(slot);
      }
    }
  }

  private void halve() {
    shift++;
    for (int at = 0; at < next; at++) {
      int slot = slotAt[at];
      if (slot != KeyTable.ABSENT && !isSampled(hashes[slot])) {
        leave(slot);
      }
    }
    for (int owner = 0; owner < references.length; owner++) {
      sampled[owner] /= 2;
      scale(distances[owner], 0.5);
    }
  }

  /** Removes a key from the sample that will not be referenced again. */
  public void forgotten(long hash) {
    int slot = isSampled(hash) ? table.get(hash) : KeyTable.ABSENT;
    if (slot != KeyTable.ABSENT) {
      leave(slot);
    }
  }

  private void leave(int slot) {
    takeOut(slot);
    table.remove(hashes[slot]);
    free[freeCount++] = slot;
    size--;
  }

  private void moveToEnd(int slot, int occupiedBytes) {
    takeOut(slot);
    append(slot, occupiedBytes);
  }

  private void takeOut(int slot) {
    slotAt[positions[slot]] = KeyTable.ABSENT;
    add(positions[slot], -bytes[slot]);
    totalBytes -= bytes[slot];
  }

  private void append(int slot, int occupiedBytes) {
    if (next == slotAt.length) {
      closeGaps();
    }
    bytes[slot] = occupiedBytes;
    place(slot, next++);
    totalBytes += occupiedBytes;
  }

  private void place(int slot, int at) {
    slotAt[at] = slot;
    positions[slot] = at;
    add(at, bytes[slot]);
  }

  private void closeGaps() {
    Arrays.fill(tree, 0);
    int at = 0;
    for (int from = 0; from < next; from++) {
      int slot = slotAt[from];
      slotAt[from] = KeyTable.ABSENT;
      if (slot != KeyTable.ABSENT) {
        place(slot, at++);
      }
    }
    next = at;
  }

  private void add(int at, long amount) {
    for (int i = at + 1; i < tree.length; i += i & -i) {
      tree[i] += amount;
    }
  }

  /** Returns the bytes of the sampled keys whose last reference was at a position or before. */
  private long upTo(int at) {
    long sum = 0;
    for (int i = at + 1; i > 0; i -= i & -i) {
      sum += tree[i];
    }
    return sum;
  }

  private static void scale(double[] values, double factor) {
    for (int i = 0; i < values.length; i++) {
      values[i] *= factor;
    }
  }

  /**
   * Reduces the weight of the references that were counted so far.
   *
   * @param keep factor of the weight from now on, 0 to 1
   */
  public void fade(double keep) {
    scale(references, keep);
    scale(sampled, keep);
    for (double[] of : distances) {
      scale(of, keep);
    }
  }

  /** Removes the counts of an owner that has left the cache; another owner can get its number. */
  public void left(int owner) {
    if (owner < references.length) {
      references[owner] = 0;
      sampled[owner] = 0;
      Arrays.fill(distances[owner], 0);
    }
  }

  /**
   * Adds an owner's histogram of reuse distances to an array, scaled from the sample to all keys.
   *
   * @param into receives references by distance, one element for each bucket; the first can be
   *     negative
   * @return number of all references of the owner
   */
  public double addTo(int owner, double[] into) {
    if (owner >= references.length) {
      return 0;
    }
    double factor = 1L << shift;
    // By chance, the sample has too few or too many of the most referenced keys. This is corrected
    // here.
    double missing = references[owner] - factor * sampled[owner];
    into[0] += missing;
    for (int i = 0; i < shape.buckets(); i++) {
      into[i] += factor * distances[owner][i];
    }
    return references[owner];
  }

  /** Returns the number of keys in the sample. */
  public int size() {
    return size;
  }

  /** Returns the heap bytes of the measurement. */
  public long metadataBytes() {
    long histograms = 8L * (shape.buckets() + 2) * references.length;
    return table.bytes() + 20L * hashes.length + 4L * slotAt.length + 8L * tree.length + histograms;
  }
}
