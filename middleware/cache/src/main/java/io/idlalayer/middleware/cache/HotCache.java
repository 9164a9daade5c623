package io.idlalayer.middleware.cache;

import io.idlalayer.middleware.cache.memory.BlockMemory;
import io.idlalayer.middleware.cache.policy.HitCurve;
import io.idlalayer.middleware.cache.policy.Reuse;
import io.idlalayer.middleware.cache.policy.ReuseDistances;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The off-heap cache that all learners of the process share (iMlayer, Rang 2021, chapter 4). Owners
 * donate memory, and all owners use the memory of all donations. The key of a block is a key space,
 * which is a numbered set of keys, and an id in this space.
 *
 * <p>Thread-safe. The budget is a hard limit: off-heap memory never exceeds the donations, and
 * donations never exceed the ceiling. After the cache is closed, every lookup is a miss and every
 * put is refused. Memory that is released, by closing or by a smaller donation, is no longer used
 * or counted; the garbage collector frees it after its last reader.
 *
 * <p>A donation is used in whole regions, at most 1 MiB each, which are spread over the segments.
 * If a donation has less than a region for each segment, the keys of the other segments are never
 * cached.
 */
public final class HotCache implements AutoCloseable {
  /**
   * Largest array, in bytes, that a lookup allocates before it knows that the block is resident.
   */
  private static final int GUESS_BYTES_MAX = 4096;

  /**
   * Number of the first owner of a cache that survives its process. This owner has the blocks that
   * were found in the cache.
   */
  static final int FOUND_OWNER = 0;

  /**
   * Number of the second owner of a cache that survives its process. This owner has the blocks that
   * are held for other processes.
   */
  static final int LENT_OWNER = 1;

  private final CacheSettings settings;
  private final Segment[] segments;
  private final int segmentShift;
  private final List<CacheOwner> owners = new ArrayList<>();
  private final ReferenceAge age = new ReferenceAge();
  private final AtomicInteger spaces = new AtomicInteger();
  private boolean closed;

  /** Whether the memory of the blocks must not be touched any more. */
  private boolean abandoned;

  /** Whether the blocks outlive their owners and this cache. */
  private final boolean survives;

  private final Executor sizeChanges;
  private final @Nullable CacheOwner lentOwner;

  /** In a cache that survives, the limit at the time when an owner left. */
  private long retainedBytes;

  public HotCache(CacheSettings settings) {
    this.settings = settings;
    survives = false;
    sizeChanges = Runnable::run;
    lentOwner = null;
    segments = new Segment[settings.segments()];
    for (int i = 0; i < segments.length; i++) {
      segments[i] = new Segment(settings.policy()::create, new BlockMemory(settings.regionBytes()));
    }
    segmentShift = 64 - Integer.numberOfTrailingZeros(segments.length);
  }

  /**
   * Creates a cache whose blocks are in memory that survives the cache. The cache has two owners
   * without a donation: one has the blocks of an earlier cache and of owners that have left, the
   * other has the blocks that are held for other processes ({@link #lentOwner}). When an owner
   * leaves, the cache does not become smaller. When the cache is closed, its blocks stay in the
   * memory.
   *
   * @param listeners returns the memory of each segment
   * @param sizeChanges runs each change of the size, which touches this memory, in the thread that
   *     requests the change
   */
  public HotCache(
      CacheSettings settings, IntFunction<BlockListener> listeners, Executor sizeChanges) {
    this.settings = settings;
    survives = true;
    this.sizeChanges = sizeChanges;
    segments = new Segment[settings.segments()];
    for (int i = 0; i < segments.length; i++) {
      BlockListener listener = listeners.apply(i);
      segments[i] =
          new Segment(
              settings.policy()::create,
              new BlockMemory(settings.regionBytes(), listener),
              listener);
    }
    segmentShift = 64 - Integer.numberOfTrailingZeros(segments.length);
    attach("found", 0);
    lentOwner = attach("lent", 0);
  }

  /**
   * Returns the owner of blocks that are held for other processes. No other block is evicted for
   * these blocks, and they are evicted when any other block needs their memory.
   *
   * @throws IllegalStateException if the cache is not shared
   */
  public CacheOwner lentOwner() {
    CacheOwner lent = lentOwner;
    if (lent == null) {
      throw new IllegalStateException("the cache is not shared with other processes");
    }
    return lent;
  }

  /** Returns the index of the segment of a block, in a cache with the given number of segments. */
  public static int segmentOf(int space, long id, int segments) {
    return segments == 1
        ? 0
        : (int) (BlockTable.hash(space, id) >>> (64 - Integer.numberOfTrailingZeros(segments)));
  }

  private Segment segment(BlockKey key) {
    return segment(key.hash());
  }

  private Segment segment(long hash) {
    return segments.length == 1 ? segments[0] : segments[(int) (hash >>> segmentShift)];
  }

  /**
   * Adds an owner with its donation.
   *
   * @param donateBytes bytes that the owner adds to the cache, at least 0
   * @throws IllegalArgumentException if all donations would exceed the ceiling
   * @throws IllegalStateException if the cache is closed
   */
  public synchronized CacheOwner attach(String name, long donateBytes) {
    if (closed) {
      throw new IllegalStateException("the cache is closed; " + name + " cannot attach");
    }
    checkCeiling(name, 0, donateBytes);
    CacheOwner owner = new CacheOwner(freeNumber(), name, donateBytes);
    owners.add(owner);
    limit();
    return owner;
  }

  /**
   * Adds an owner with its donation, or with a smaller donation if the full donation would exceed
   * the ceiling.
   */
  public synchronized CacheOwner attachUpTo(String name, long donateBytes) {
    return attach(name, Math.min(donateBytes, settings.ceilingBytes() - limitBytes()));
  }

  private int freeNumber() {
    for (int number = 0; number <= Short.MAX_VALUE; number++) {
      int candidate = number;
      if (owners.stream().noneMatch(owner -> owner.number() == candidate)) {
        return number;
      }
    }
    throw new IllegalStateException("the cache has " + owners.size() + " owners already");
  }

  private void checkCeiling(String name, long before, long donateBytes) {
    long others = limitBytes() - before;
    if (donateBytes < 0 || donateBytes > settings.ceilingBytes() - others) {
      throw new IllegalArgumentException(
          "%s cannot donate %,d bytes: the others have donated %,d, and the ceiling for all is %,d"
              .formatted(name, donateBytes, others, settings.ceilingBytes()));
    }
  }

  /** Returns the sum of all donations in bytes, which limits the cache. */
  public synchronized long limitBytes() {
    return owners.stream().mapToLong(CacheOwner::donatedBytes).sum();
  }

  private void limit() {
    if (abandoned) {
      return;
    }
    long total = closed ? 0 : Math.max(retainedBytes, limitBytes());
    int grain = settings.regionBytes();
    long regions = total / grain;
    sizeChanges.execute(
        () -> {
          for (int i = 0; i < segments.length; i++) {
            long one = i < regions % segments.length ? 1 : 0;
            segments[i].limit((regions / segments.length + one) * grain);
          }
        });
  }

  /**
   * Changes an owner's donation; blocks that no longer fit are evicted before this returns.
   *
   * @throws IllegalArgumentException if all donations would exceed the ceiling
   * @throws IllegalStateException if the owner is not attached
   */
  public synchronized void resize(CacheOwner owner, long donateBytes) {
    if (!owners.contains(owner)) {
      throw new IllegalStateException(owner.name() + " is not attached to this cache");
    }
    checkCeiling(owner.name(), owner.donatedBytes(), donateBytes);
    owner.donatedBytes(donateBytes);
    retainedBytes = 0;
    limit();
  }

  /**
   * Changes an owner's donation. If the requested donation would exceed the ceiling, the owner gets
   * a smaller one.
   */
  public synchronized void resizeUpTo(CacheOwner owner, long donateBytes) {
    long others = limitBytes() - owner.donatedBytes();
    resize(owner, Math.min(donateBytes, settings.ceilingBytes() - others));
  }

  /** Returns the largest number of bytes that all donations together can reach. */
  public long ceilingBytes() {
    return settings.ceilingBytes();
  }

  /**
   * Removes an owner with its donation and the blocks it has put into the cache. In a cache that
   * survives its process, donation and blocks stay.
   */
  public synchronized void detach(CacheOwner owner) {
    if (survives && owners.contains(owner)) {
      retainedBytes = Math.max(retainedBytes, limitBytes());
      owners.remove(owner);
      for (Segment segment : segments) {
        segment.reassign(owner.number(), FOUND_OWNER);
        segment.meter(meter -> meter.left(owner.number()));
      }
    } else if (owners.remove(owner)) {
      for (Segment segment : segments) {
        segment.free(owner.number());
        segment.meter(meter -> meter.left(owner.number()));
      }
      limit();
    }
  }

  /** Returns the number of a new space, that is, of a set of keys that no other caller uses. */
  public int newSpace() {
    return spaces.getAndIncrement();
  }

  /** Removes all blocks of a space, that is, of a set of keys. */
  public void drop(int space) {
    for (Segment segment : segments) {
      segment.drop(space);
    }
  }

  /** Returns a copy of a block's payload, or null if the block is not resident. */
  public byte @Nullable [] get(CacheOwner owner, int space, long id) {
    long hash = BlockTable.hash(space, id);
    Segment segment = segment(hash);
    byte[] payload = new byte[Math.min(segment.lengthReadLast(), GUESS_BYTES_MAX)];
    int length = segment.read(space, id, hash, owner.number(), payload);
    // The loop ends, because the block is longer each time and no block is longer than a region.
    while (length > payload.length) {
      payload = new byte[length];
      length = segment.read(space, id, hash, owner.number(), payload);
    }
    count(owner, length);
    if (length == Segment.ABSENT) {
      return null;
    }
    return length == payload.length ? payload : Arrays.copyOf(payload, length);
  }

  /**
   * Copies a block's payload into the caller's array. Allocates nothing.
   *
   * @param into receives the payload from index 0 on; bytes beyond the returned length are possibly
   *     overwritten too, by copies that were given up
   * @return length of the payload, or -1 if the block is not resident; if the length exceeds the
   *     length of the array, the array does not contain the payload
   */
  public int get(CacheOwner owner, int space, long id, byte[] into) {
    long hash = BlockTable.hash(space, id);
    int length = segment(hash).read(space, id, hash, owner.number(), into);
    count(owner, length);
    return length;
  }

  /** Returns whether a block is resident; does not count as a lookup or a reference. */
  public boolean contains(int space, long id) {
    BlockKey key = BlockKey.of(space, id);
    return segment(key).contains(key);
  }

  private static void count(CacheOwner owner, int length) {
    if (length == Segment.ABSENT) {
      owner.misses.increment();
    } else {
      owner.hits.increment();
    }
  }

  /** Outcomes of putting a block into the cache. */
  public enum PutResult {
    /** The block is resident now. */
    STORED,
    /** The block is resident now and has replaced an older payload with the same key. */
    REPLACED,
    /**
     * The block is not resident, because it is too large or the cache has no memory; an older
     * payload with the same key was removed.
     */
    REFUSED_SIZE
  }

  /** Puts a copy of a payload into the cache, unless the cache cannot hold it. */
  public PutResult put(CacheOwner owner, int space, long id, byte[] payload, Reuse reuse) {
    BlockKey key = BlockKey.of(space, id);
    PutResult result = segment(key).put(key, owner.number(), payload, reuse);
    owner.puts.increment();
    if (result == PutResult.REFUSED_SIZE) {
      owner.refusals.increment();
    }
    return result;
  }

  /**
   * Counts the last lookup of an owner, which was a miss here, as a hit, because the payload was
   * found in the memory of another process.
   */
  public void foundElsewhere(CacheOwner owner) {
    owner.misses.decrement();
    owner.hits.increment();
  }

  /** Removes a block from the cache. Returns false if it was not resident. */
  public boolean invalidate(int space, long id) {
    BlockKey key = BlockKey.of(space, id);
    return segment(key).invalidate(key);
  }

  /**
   * Starts to measure the references for {@link #hitCurve()}. Measuring takes about 200 KiB of heap
   * for each of at most 16 segments, and 4 KiB for each owner in each segment.
   */
  public void measure() {
    for (Segment segment : segments) {
      segment.meter(meter -> meter.start(settings.meterShape()));
    }
  }

  /**
   * Returns the measured share of all owners' references that a cache would answer, by its
   * capacity; the curve has no references before {@link #measure} was called.
   */
  public HitCurve hitCurve() {
    List<CacheOwner> all;
    synchronized (this) {
      all = List.copyOf(owners);
    }
    return hitCurve(all);
  }

  /** Returns the measured hit curve of one owner's references, in a cache that all owners share. */
  public HitCurve hitCurve(CacheOwner owner) {
    return hitCurve(List.of(owner));
  }

  private HitCurve hitCurve(List<CacheOwner> of) {
    ReuseDistances.Shape shape = settings.meterShape();
    double[] distances = new double[shape.buckets()];
    double[] references = {0};
    for (Segment segment : segments) {
      for (CacheOwner owner : of) {
        segment.meter(meter -> references[0] += meter.addTo(owner.number(), distances));
      }
    }
    return new HitCurve(shape.grainBytes(), distances, references[0]);
  }

  /**
   * Reduces the weight of the references that were measured so far, so that later ones count more:
   * to 90 % for each minute since the last call, by any owner.
   *
   * @param nanos time of a monotonic clock, the same one for all owners
   */
  public void fade(long nanos) {
    double keep;
    synchronized (this) {
      keep = age.keep(nanos);
    }
    for (Segment segment : segments) {
      segment.meter(meter -> meter.fade(keep));
    }
  }

  /** Returns the payload bytes of the resident blocks that an owner has put into the cache. */
  public long payloadBytes(CacheOwner owner) {
    long bytes = 0;
    for (Segment segment : segments) {
      bytes += segment.payloadBytes(owner.number());
    }
    return bytes;
  }

  public CacheStats stats() {
    SegmentHolding all = SegmentHolding.NONE;
    for (Segment segment : segments) {
      all = all.plus(segment.holding());
    }
    synchronized (this) {
      return new CacheStats(
          limitBytes(),
          all.regionBytes(),
          all.payloadBytes(),
          all.allocatedBytes(),
          all.metadataBytes(),
          all.blocks(),
          all.evictions(),
          owners.stream().map(CacheOwner::usage).toList());
    }
  }

  /**
   * Makes every lookup a miss and every put a refusal, and never touches the memory of the blocks
   * again. Owners can still be added and removed and can change their donations, but this has no
   * effect.
   */
  public synchronized void abandon() {
    abandoned = true;
    for (Segment segment : segments) {
      segment.abandon();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (survives) {
      abandon();
    } else {
      limit();
    }
  }
}
