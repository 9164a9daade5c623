package io.idlalayer.middleware.cache;

import io.idlalayer.middleware.cache.HotCache.PutResult;
import io.idlalayer.middleware.cache.memory.BlockMemory;
import io.idlalayer.middleware.cache.policy.EvictionPolicy;
import io.idlalayer.middleware.cache.policy.Residents;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.util.Arrays;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A part of the cache with its own lock, memory and policy. Readers copy a payload without a lock,
 * and then check that no thread wrote in the meantime. Their hits are recorded ({@link
 * ReadBuffer}). The next writer, or the reader that fills a ring, drains the records to the policy.
 */
final class Segment implements Residents, ReadBuffer.HitListener {
  private static final Logger LOG = LoggerFactory.getLogger(Segment.class);
  static final int ABSENT = -1;
  private static final int OPTIMISTIC_TRIES = 3;
  private static final int SCATTERED_EVICTIONS = 8;
  private static final int EXPECTED_GRAIN = 32;

  /**
   * Least number of blocks for which metadata is allocated; in larger segments, metadata is
   * allocated for four to eight times the number of resident blocks.
   */
  private static final int EXPECTED_AT_ONCE = 8192;

  private final StampedLock lock = new StampedLock();
  private final BlockMemory memory;
  private final @Nullable BlockListener listener;
  private final EvictionPolicy policy;
  private final ReuseMeter meter = new ReuseMeter();
  private final ReadBuffer readBuffer = new ReadBuffer();

  private int lengthReadLast;
  private int expected;
  private BlockTable table = new BlockTable(16);
  private long limitBytes;
  private long payloadBytes;

  /** Payload bytes by owner number; the array grows with the highest number. */
  private long[] ownerBytes = {};

  private long evictions;
  private boolean full;
  private boolean starved;

  Segment(Function<Residents, EvictionPolicy> policies, BlockMemory memory) {
    this(policies, memory, null);
  }

  /**
   * @param listener receives notices of blocks; null if there is no listener
   */
  Segment(
      Function<Residents, EvictionPolicy> policies,
      BlockMemory memory,
      @Nullable BlockListener listener) {
    this.memory = memory;
    this.listener = listener;
    policy = policies.apply(this);
    policy.ensure(table.capacity());
  }

  @Override
  public long hash(int slot) {
    return table.hash(slot);
  }

  @Override
  public int slot(long hash) {
    return table.find(hash);
  }

  /**
   * Copies the payload of a block into an array, from index 0. Does not copy if the array is too
   * short.
   *
   * @param hash hash of space and id
   * @param reader number of the owner that reads
   * @return length of the payload, or {@link #ABSENT}
   */
  int read(int space, long id, long hash, int reader, byte[] into) {
    for (int tries = 0; tries < OPTIMISTIC_TRIES; tries++) {
      long stamp = lock.tryOptimisticRead();
      if (stamp == 0) {
        Thread.onSpinWait();
        continue;
      }
      BlockTable now = table;
      int slot = now.find(space, id, hash);
      int length = slot == BlockTable.NONE ? ABSENT : copy(now, slot, into);
      if (lock.validate(stamp)) {
        if (length != ABSENT && length <= into.length) {
          recordHit(slot, reader);
        }
        return length;
      }
    }
    return readLocked(new BlockKey(space, id, hash), reader, into);
  }

  /**
   * Returns the payload length of the block that was read last, by any thread. It is a good guess
   * for the length of the next one.
   */
  int lengthReadLast() {
    return lengthReadLast;
  }

  boolean contains(BlockKey key) {
    long stamp = lock.readLock();
    try {
      return table.find(key) != BlockTable.NONE;
    } finally {
      lock.unlockRead(stamp);
    }
  }

  private int readLocked(BlockKey key, int reader, byte[] into) {
    long stamp = lock.readLock();
    try {
      int slot = table.find(key);
      if (slot == BlockTable.NONE) {
        return ABSENT;
      }
      int length = copy(table, slot, into);
      if (length != ABSENT && length <= into.length) {
        recordHit(slot, reader);
      }
      return length;
    } finally {
      lock.unlockRead(stamp);
    }
  }

  private int copy(BlockTable now, int slot, byte[] into) {
    int length = now.length(slot);
    if (length < 0 || length > memory.maxPayloadBytes()) {
      return ABSENT;
    }
    if (length != lengthReadLast) {
      lengthReadLast = length;
    }
    boolean done = length > into.length || memory.read(now.address(slot), into, 0, length);
    return done ? length : ABSENT;
  }

  private void recordHit(int slot, int reader) {
    int ring = ReadBuffer.own();
    if (readBuffer.add(ring, slot, reader)) {
      long stamp = lock.tryWriteLock();
      if (stamp != 0) {
        try {
          readBuffer.drainFull(ring, this);
        } finally {
          lock.unlockWrite(stamp);
        }
      } else {
        readBuffer.sampleFewer();
      }
    }
  }

  private void drain() {
    readBuffer.drainAll(this);
  }

  @Override
  public void hit(int slot, int reader, int weight) {
    if (table.occupied(slot)) {
      policy.hit(slot, weight);
      if (meter.started()) {
        meter.hit(table.hash(slot), reader, table.length(slot), weight);
      }
    }
  }

  PutResult put(BlockKey key, int owner, byte[] payload, Reuse reuse) {
    long stamp = lock.writeLock();
    try {
      drain();
      int old = table.find(key);
      if (old != BlockTable.NONE) {
        leave(old, false);
      }
      if (payload.length <= memory.maxPayloadBytes()) {
        meter.put(key.hash(), owner, payload.length, old != BlockTable.NONE);
      }
      if (!fits(payload.length)) {
        return PutResult.REFUSED_SIZE;
      }
      policy.missed(key.hash(), reuse);
      long before = evictions;
      int address = room(payload.length, listener != null && owner == HotCache.LENT_OWNER);
      if (address == BlockMemory.NONE) {
        return PutResult.REFUSED_SIZE;
      }
      memory.write(address, payload, 0, payload.length);
      int slot = enter(key, owner, address, payload.length);
      policy.inserted(slot, reuse);
      if (listener != null) {
        listener.placed(place(slot));
      }
      expect(evictions != before);
      return old == BlockTable.NONE ? PutResult.STORED : PutResult.REPLACED;
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  private int enter(BlockKey key, int owner, int address, int length) {
    if (table.full()) {
      BlockTable larger = table.grown();
      policy.ensure(larger.capacity());
      table = larger;
    }
    int slot = table.add(key, owner);
    table.place(slot, address, length);
    payloadBytes += length;
    if (owner >= ownerBytes.length) {
      ownerBytes = Arrays.copyOf(ownerBytes, owner + 1);
    }
    ownerBytes[owner] += length;
    return slot;
  }

  private BlockListener.Place place(int slot) {
    int address = table.address(slot);
    return new BlockListener.Place(
        memory.regionOf(address), memory.payloadOffset(address), table.length(slot));
  }

  private boolean fits(int length) {
    return length <= memory.maxPayloadBytes()
        && BlockMemory.occupiedBytes(length) <= limitBytes / 8;
  }

  /**
   * Allocates a block within the limit, after evicting other blocks if necessary. If there are
   * enough free bytes but they are not contiguous, the policy first chooses a few more victims.
   * Then neighbouring blocks are evicted, which always frees enough contiguous bytes. Further
   * victims of the policy could be anywhere, so most of the cache would be evicted before
   * neighbouring blocks are.
   *
   * @param lent whether the block belongs to another process; no block is evicted for it
   */
  private int room(int length, boolean lent) {
    long need = BlockMemory.occupiedBytes(length);
    if (memory.allocatedBytes() + need > limitBytes) {
      if (lent) {
        return BlockMemory.NONE;
      }
      evictLent();
    }
    while (memory.allocatedBytes() + need > limitBytes && table.size() > 0) {
      evict();
    }
    int address = memory.allocate(length);
    if (address == BlockMemory.NONE && grow()) {
      address = memory.allocate(length);
    }
    if (address == BlockMemory.NONE && !lent) {
      // Enough free bytes are possibly available between blocks of other processes.
      evictLent();
      address = memory.allocate(length);
    }
    for (int tries = 0; !lent && address == BlockMemory.NONE && table.size() > 0; tries++) {
      if (tries < SCATTERED_EVICTIONS) {
        evict();
      } else {
        evictRange(length);
      }
      address = memory.allocate(length);
    }
    return address;
  }

  private boolean grow() {
    if (starved || memory.regionBytes() + memory.bytesPerRegion() > limitBytes) {
      return false;
    }
    try {
      return memory.grow();
    } catch (OutOfMemoryError e) {
      // Each further attempt would cost the JVM a garbage collection and half a second, under the
      // lock.
      starved = true;
      String cause =
          listener == null
              ? "no direct memory is left; raise -XX:MaxDirectMemorySize or give the cache less"
              : e.getMessage();
      LOG.warn(
          "a segment of the hot cache cannot grow; it has {} of the {} bytes that it may have: {}",
          memory.regionBytes(),
          limitBytes,
          cause,
          e);
      return false;
    }
  }

  /**
   * Evicts the policy's next victim and its neighbours, so that a payload of the given length fits
   * into their place.
   */
  private void evictRange(int length) {
    int start = memory.range(table.address(policy.victim()), length);
    for (int slot = 0; slot < table.used(); slot++) {
      if (table.occupied(slot)
          && BlockMemory.overlaps(table.address(slot), table.length(slot), start, length)) {
        evictions++;
        leave(slot, true);
      }
    }
  }

  /** Evicts all blocks of other processes, because this process needs the memory itself. */
  private void evictLent() {
    if (listener == null
        || ownerBytes.length <= HotCache.LENT_OWNER
        || ownerBytes[HotCache.LENT_OWNER] == 0) {
      return;
    }
    for (int slot = 0; slot < table.used(); slot++) {
      if (table.occupied(slot) && table.owner(slot) == HotCache.LENT_OWNER) {
        evictions++;
        leave(slot, true);
      }
    }
  }

  private void evict() {
    evictions++;
    leave(policy.victim(), true);
  }

  /**
   * Tells the policy how many blocks the segment can hold within its limit. That number is known
   * once a block was evicted; before, it is estimated from the mean length of the resident blocks.
   * An estimate that is too high is worse than an estimate that is too low, because a ghost cache
   * that is larger than the cache chooses no victim.
   */
  private void expect(boolean evicted) {
    full |= evicted;
    int size = table.size();
    long meanBytes = Math.max(1, memory.allocatedBytes() / size);
    long estimate = evicted ? size : Math.max(size, expected);
    if (!full) {
      long atOnce = 4L * Integer.highestOneBit(Math.max(EXPECTED_AT_ONCE, size));
      estimate = Math.min(atOnce, limitBytes / meanBytes);
    }
    if (estimate < expected || estimate - expected > expected / EXPECTED_GRAIN) {
      expected = (int) Math.min(Integer.MAX_VALUE, estimate);
      policy.capacity(expected, meanBytes);
    }
  }

  private void leave(int slot, boolean evicted) {
    policy.removed(slot);
    if (listener != null) {
      listener.leaving(place(slot), table.owner(slot), evicted);
    }
    memory.free(table.address(slot));
    payloadBytes -= table.length(slot);
    ownerBytes[table.owner(slot)] -= table.length(slot);
    table.remove(slot);
  }

  boolean invalidate(BlockKey key) {
    long stamp = lock.writeLock();
    try {
      drain();
      int slot = table.find(key);
      if (slot != BlockTable.NONE) {
        leave(slot, false);
      }
      policy.forgotten(key.hash());
      meter.forgotten(key.hash());
      return slot != BlockTable.NONE;
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  /** Removes the blocks that an owner has put into this segment. */
  int free(int owner) {
    return removeWhere(slot -> table.owner(slot) == owner);
  }

  /** Removes the blocks of a space, that is, of a set of keys. */
  int drop(int space) {
    return removeWhere(slot -> table.space(slot) == space);
  }

  /** Assigns the blocks of an owner to another owner. */
  void reassign(int from, int to) {
    long stamp = lock.writeLock();
    try {
      ownerBytes = Arrays.copyOf(ownerBytes, Math.max(ownerBytes.length, Math.max(from, to) + 1));
      ownerBytes[to] += ownerBytes[from];
      ownerBytes[from] = 0;
      for (int slot = 0; slot < table.used(); slot++) {
        if (table.occupied(slot) && table.owner(slot) == from) {
          table.owner(slot, to);
        }
      }
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  /** Forgets all blocks and accepts no new ones, but leaves the bytes of the blocks as they are. */
  void abandon() {
    long stamp = lock.writeLock();
    try {
      table = new BlockTable(16);
      limitBytes = 0;
      payloadBytes = 0;
      ownerBytes = new long[0];
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  private int removeWhere(IntPredicate chosen) {
    long stamp = lock.writeLock();
    try {
      drain();
      int removed = 0;
      for (int slot = 0; slot < table.used(); slot++) {
        if (table.occupied(slot) && chosen.test(slot)) {
          long hash = table.hash(slot);
          leave(slot, false);
          policy.forgotten(hash);
          meter.forgotten(hash);
          removed++;
        }
      }
      return removed;
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  /**
   * Changes the limit of this segment in bytes; blocks that no longer fit are evicted and regions
   * beyond the limit are released.
   */
  void limit(long bytes) {
    long stamp = lock.writeLock();
    try {
      drain();
      limitBytes = bytes;
      full = false;
      starved = false;
      if (memory.allocatedBytes() > limitBytes) {
        evictLent();
      }
      while (memory.allocatedBytes() > limitBytes && table.size() > 0) {
        evict();
      }
      while (memory.regionBytes() > limitBytes) {
        release(memory.lastRegion());
      }
      adopt();
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  /** Takes regions with the blocks of an earlier process, as far as the limit allows. */
  private void adopt() {
    BlockListener files = listener;
    while (files != null && memory.regionBytes() + memory.bytesPerRegion() <= limitBytes) {
      BlockListener.Found found = files.nextFound(memory.nextRegion());
      if (found == null) {
        return;
      }
      int[] addresses = memory.adopt(found.bytes(), found.offsets(), found.lengths());
      for (int i = 0; i < addresses.length; i++) {
        BlockKey key = BlockKey.of(found.spaces()[i], found.ids()[i]);
        if (table.find(key) == BlockTable.NONE) {
          policy.missed(key.hash(), Reuse.UNKNOWN);
          int slot = enter(key, HotCache.FOUND_OWNER, addresses[i], found.lengths()[i]);
          policy.inserted(slot, Reuse.UNKNOWN);
          expect(false);
        } else {
          // The block was put into the segment again before its old region was taken over; the
          // listener keeps the new block.
          memory.free(addresses[i]);
        }
      }
    }
  }

  private void release(int region) {
    for (int slot = 0; slot < table.used(); slot++) {
      if (table.occupied(slot) && memory.regionOf(table.address(slot)) == region) {
        evictions++;
        leave(slot, true);
      }
    }
    memory.drop(region);
  }

  /** Returns the payload bytes of an owner's resident blocks in this segment. */
  long payloadBytes(int owner) {
    long stamp = lock.readLock();
    try {
      return owner < ownerBytes.length ? ownerBytes[owner] : 0;
    } finally {
      lock.unlockRead(stamp);
    }
  }

  SegmentHolding holding() {
    long stamp = lock.readLock();
    try {
      return new SegmentHolding(
          table.size(),
          payloadBytes,
          memory.allocatedBytes(),
          memory.regionBytes(),
          table.bytes() + policy.metadataBytes() + meter.metadataBytes(),
          evictions);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  /** Calls an action with the meter of reuse distances, under the write lock. */
  void meter(Consumer<ReuseMeter> what) {
    long stamp = lock.writeLock();
    try {
      drain();
      what.accept(meter);
    } finally {
      lock.unlockWrite(stamp);
    }
  }
}
