package io.idlalayer.middleware.cache;

import io.idlalayer.middleware.cache.memory.BlockMemory;
import io.idlalayer.middleware.cache.policy.EvictionPolicy;
import io.idlalayer.middleware.cache.policy.Residents;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A part of the cache with its own lock, memory and policy. Readers copy a payload without a lock
 * and check that nobody wrote meanwhile. What they hit is noted ({@link HitNotes}) until the next
 * writer, or the reader who fills a ring of notes, tells the policy.
 */
final class Segment implements Residents, HitNotes.Taker {
  private static final Logger LOG = LoggerFactory.getLogger(Segment.class);
  static final long ABSENT = -1;
  private static final int OPTIMISTIC_TRIES = 3;
  private static final int SCATTERED_EVICTIONS = 8;
  private static final int EXPECTED_GRAIN = 32;

  /**
   * Books are made for at least so many blocks, and for four to eight times those that are here.
   */
  private static final int EXPECTED_AT_ONCE = 8192;

  private final StampedLock lock = new StampedLock();
  private final BlockMemory memory;
  private final EvictionPolicy policy;
  private final ReuseMeter meter = new ReuseMeter();
  private final HitNotes notes = new HitNotes();

  private int lengthReadLast;
  private int expected;
  private SlotBooks books = new SlotBooks(16);
  private long limitBytes;
  private long payloadBytes;
  private long evictions;
  private boolean full;
  private boolean starved;

  Segment(Function<Residents, EvictionPolicy> policies, BlockMemory memory) {
    this.memory = memory;
    policy = policies.apply(this);
    policy.ensure(books.capacity());
  }

  @Override
  public long hash(int slot) {
    return books.hash(slot);
  }

  @Override
  public int slot(long hash) {
    return books.find(hash);
  }

  /**
   * Copies a payload into an array, from index 0; does not if the array is shorter.
   *
   * @param hash of space and id
   * @param reader the number of the owner who asks
   * @return who had put it there (upper half) and its length, or {@link #ABSENT}
   */
  long read(int space, long id, long hash, int reader, byte[] into) {
    for (int tries = 0; tries < OPTIMISTIC_TRIES; tries++) {
      long stamp = lock.tryOptimisticRead();
      if (stamp == 0) {
        Thread.onSpinWait();
        continue;
      }
      SlotBooks now = books;
      int slot = now.find(space, id, hash);
      long found = slot == SlotBooks.NONE ? ABSENT : copy(now, slot, into);
      if (lock.validate(stamp)) {
        if (found != ABSENT && (int) found <= into.length) {
          note(slot, reader);
        }
        return found;
      }
    }
    return readLocked(new BlockKey(space, id, hash), reader, into);
  }

  /** The length that was read last by anybody: a good guess for the next. */
  int lengthReadLast() {
    return lengthReadLast;
  }

  boolean contains(BlockKey key) {
    long stamp = lock.readLock();
    try {
      return books.find(key) != SlotBooks.NONE;
    } finally {
      lock.unlockRead(stamp);
    }
  }

  private long readLocked(BlockKey key, int reader, byte[] into) {
    long stamp = lock.readLock();
    try {
      int slot = books.find(key);
      if (slot == SlotBooks.NONE) {
        return ABSENT;
      }
      long found = copy(books, slot, into);
      if (found != ABSENT && (int) found <= into.length) {
        note(slot, reader);
      }
      return found;
    } finally {
      lock.unlockRead(stamp);
    }
  }

  private long copy(SlotBooks now, int slot, byte[] into) {
    int length = now.length(slot);
    if (length < 0 || length > memory.maxPayloadBytes()) {
      return ABSENT;
    }
    if (length != lengthReadLast) {
      lengthReadLast = length;
    }
    boolean done = length > into.length || memory.read(now.address(slot), into, 0, length);
    return done ? (long) now.owner(slot) << 32 | length : ABSENT;
  }

  private void note(int slot, int reader) {
    int ring = HitNotes.own();
    if (notes.add(ring, slot, reader)) {
      long stamp = lock.tryWriteLock();
      if (stamp != 0) {
        try {
          notes.takeFull(ring, this);
        } finally {
          lock.unlockWrite(stamp);
        }
      } else {
        notes.thinner();
      }
    }
  }

  private void drain() {
    notes.takeAll(this);
  }

  @Override
  public void hit(int slot, int reader, int weight) {
    if (books.occupied(slot)) {
      policy.hit(slot, weight);
      if (meter.started()) {
        meter.hit(books.hash(slot), reader, books.length(slot), weight);
      }
    }
  }

  PutResult put(BlockKey key, int owner, byte[] payload, Reuse reuse) {
    long stamp = lock.writeLock();
    try {
      drain();
      int old = books.find(key);
      if (old != SlotBooks.NONE) {
        leave(old);
      }
      if (payload.length <= memory.maxPayloadBytes()) {
        meter.put(key.hash(), owner, payload.length, old != SlotBooks.NONE);
      }
      if (!fits(payload.length)) {
        return PutResult.REFUSED_SIZE;
      }
      policy.missed(key.hash(), reuse);
      long before = evictions;
      int address = room(payload.length);
      if (address == BlockMemory.NONE) {
        return PutResult.REFUSED_SIZE;
      }
      memory.write(address, payload, 0, payload.length);
      if (books.full()) {
        SlotBooks larger = books.grown();
        policy.ensure(larger.capacity());
        books = larger;
      }
      int slot = books.add(key, owner);
      books.place(slot, address, payload.length);
      payloadBytes += payload.length;
      policy.inserted(slot, reuse);
      expect(evictions != before);
      return old == SlotBooks.NONE ? PutResult.STORED : PutResult.REPLACED;
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  private boolean fits(int length) {
    return length <= memory.maxPayloadBytes()
        && BlockMemory.occupiedBytes(length) <= limitBytes / 8;
  }

  /**
   * Allocates a block within the limit, evicting for it. If the bytes are there but lie scattered,
   * a few more blocks leave by the policy; then those that lie side by side, which ends it: what
   * the policy names next may lie anywhere, and most of the cache would go before neighbours do.
   */
  private int room(int length) {
    long need = BlockMemory.occupiedBytes(length);
    while (memory.allocatedBytes() + need > limitBytes && books.size() > 0) {
      evict();
    }
    int address = memory.allocate(length);
    if (address == BlockMemory.NONE && grow()) {
      address = memory.allocate(length);
    }
    for (int tries = 0; address == BlockMemory.NONE && books.size() > 0; tries++) {
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
      memory.grow();
      return true;
    } catch (OutOfMemoryError e) {
      // Asking again takes the JVM a collection and half a second each time, under the lock.
      starved = true;
      LOG.warn(
          "the hot cache stays at {} of {} bytes in a segment: no direct memory is left; raise"
              + " -XX:MaxDirectMemorySize or give the cache less",
          memory.regionBytes(),
          limitBytes,
          e);
      return false;
    }
  }

  /** Evicts what lies where the policy's victim does, as far as a payload is long. */
  private void evictRange(int length) {
    int start = memory.range(books.address(policy.victim()), length);
    for (int slot = 0; slot < books.used(); slot++) {
      if (books.occupied(slot)
          && BlockMemory.overlaps(books.address(slot), books.length(slot), start, length)) {
        evictions++;
        leave(slot);
      }
    }
  }

  private void evict() {
    evictions++;
    leave(policy.victim());
  }

  /**
   * Tells the policy how many blocks the limit holds. That is known once a block had to leave;
   * before, the mean length of those that are here tells. An estimate too high is worse than one
   * too low: a ghost that holds more than the cache can names no victim.
   */
  private void expect(boolean evicted) {
    full |= evicted;
    int size = books.size();
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

  private void leave(int slot) {
    policy.removed(slot);
    memory.free(books.address(slot));
    payloadBytes -= books.length(slot);
    books.remove(slot);
  }

  boolean invalidate(BlockKey key) {
    long stamp = lock.writeLock();
    try {
      drain();
      int slot = books.find(key);
      if (slot != SlotBooks.NONE) {
        leave(slot);
      }
      policy.forgotten(key.hash());
      meter.forgotten(key.hash());
      return slot != SlotBooks.NONE;
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  /** Removes the blocks of an owner. */
  int free(int owner) {
    return removeWhere(slot -> books.owner(slot) == owner);
  }

  /** Removes the blocks of a space. */
  int drop(int space) {
    return removeWhere(slot -> books.space(slot) == space);
  }

  private int removeWhere(IntPredicate chosen) {
    long stamp = lock.writeLock();
    try {
      drain();
      int removed = 0;
      for (int slot = 0; slot < books.used(); slot++) {
        if (books.occupied(slot) && chosen.test(slot)) {
          long hash = books.hash(slot);
          leave(slot);
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

  /** Changes the limit; what is too much is evicted and regions beyond it are released. */
  void limit(long bytes) {
    long stamp = lock.writeLock();
    try {
      drain();
      limitBytes = bytes;
      full = false;
      starved = false;
      while (memory.allocatedBytes() > limitBytes && books.size() > 0) {
        evict();
      }
      while (memory.regionBytes() > limitBytes) {
        release(memory.lastRegion());
      }
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  private void release(int region) {
    for (int slot = 0; slot < books.used(); slot++) {
      if (books.occupied(slot) && memory.regionOf(books.address(slot)) == region) {
        evictions++;
        leave(slot);
      }
    }
    memory.drop(region);
  }

  SegmentHolding holding() {
    long stamp = lock.readLock();
    try {
      return new SegmentHolding(
          books.size(),
          payloadBytes,
          memory.regionBytes(),
          books.bytes() + policy.bookBytes() + meter.bookBytes(),
          evictions);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  /** Lets the meter be started, read or faded, under the lock. */
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
