package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.copy.CopyEngine;
import io.idlalayer.middleware.memory.copy.MoveReceipt;
import io.idlalayer.middleware.memory.copy.Traffic;
import io.idlalayer.middleware.memory.copy.TransferCorrection;
import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.memory.device.StaleRegionException;
import io.idlalayer.middleware.memory.device.TieredMemoryException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory of several devices with the objects on them: allocates, copies and evicts; policies decide
 * what and where. Any thread.
 *
 * <p>Invariants, which {@link #verify} checks: regions cover a device without gaps, and free
 * neighbours are merged; every region in use has one object, or is in flight; an object has one
 * primary and at most one region per device; its region on a fast device is the primary; regions
 * that differ from the primary are marked stale; what is pinned does not move; a device never holds
 * more than its budget, targets of moves included.
 *
 * <p>Source: the data manager of CachedArrays (Hildebrand 2022, chapter 4). Unlike there, moves are
 * atomic for readers and writers.
 */
public final class TieredMemory implements AutoCloseable {
  /** A device of the memory, with the arena that stores its bytes. */
  public record Tier(DeviceSpec spec, Arena arena) {}

  /** Attempts to lease an object that other threads move away between two steps of a lease. */
  private static final int DIRECT_ATTEMPTS = 16;

  private final List<Device> devices;
  private final MemorySettings settings;
  private final MemoryClock clock;
  private final TransferCorrection correction;
  final CopyEngine engine;
  private final Map<Long, MemObject> objects = new ConcurrentHashMap<>();
  private final AtomicLong lastId = new AtomicLong();

  /**
   * Creates a memory with nothing learned about the real speeds of its devices.
   *
   * @param tiers the devices in the order of their ids; closed with this memory
   */
  public TieredMemory(List<Tier> tiers, MemorySettings settings, MemoryClock clock) {
    this(tiers, settings, clock, new TransferCorrection(tiers.size()));
  }

  /**
   * Creates a memory with what an earlier memory learned about the real speeds of the devices.
   *
   * @param tiers the devices in the order of their ids; closed with this memory
   * @param correction what is known of the devices' real speeds; used by this memory only
   */
  public TieredMemory(
      List<Tier> tiers, MemorySettings settings, MemoryClock clock, TransferCorrection correction) {
    List<Device> made = new ArrayList<>();
    for (Tier tier : tiers) {
      if (made.stream().anyMatch(device -> device.spec.name().equals(tier.spec().name()))) {
        throw new IllegalArgumentException("two devices are called " + tier.spec().name());
      }
      made.add(new Device(new DeviceId(made.size()), tier.spec(), tier.arena(), settings.poison()));
    }
    devices = List.copyOf(made);
    this.settings = settings;
    this.clock = clock;
    this.correction = correction;
    engine = new CopyEngine(settings.copies(), clock, devices.size(), correction);
  }

  int deviceCount() {
    return devices.size();
  }

  Device device(DeviceId id) {
    if (id.index() < 0 || id.index() >= devices.size()) {
      throw new IllegalArgumentException(
          "no device %d; there are %d".formatted(id.index(), devices.size()));
    }
    return devices.get(id.index());
  }

  /**
   * Returns the first device of a kind.
   *
   * @throws IllegalArgumentException if there is none
   */
  public DeviceId first(DeviceKind kind) {
    return devices.stream()
        .filter(device -> device.spec.kind() == kind)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no device is " + kind))
        .id;
  }

  /** Returns the clock of this memory. */
  public MemoryClock clock() {
    return clock;
  }

  /** Returns the longest wait for a lease, a move or a copy, in nanoseconds. */
  public long waitNanos() {
    return settings.waitNanos();
  }

  /** Returns the specification of a device. */
  public DeviceSpec spec(DeviceId device) {
    return device(device).spec;
  }

  /**
   * Returns the speed of a device in copies from and to another one: the specified speed, corrected
   * by the measured times of such copies.
   */
  public DeviceSpeed speed(DeviceId device, DeviceId other) {
    return device(device)
        .spec
        .speed()
        .slowedBy(correction.slowdown(device, other), correction.slowdown(other, device));
  }

  /**
   * Returns the size of the pieces of a device's arena, in bytes; no region crosses a multiple of
   * it.
   */
  public long pieceBytes(DeviceId device) {
    return device(device).arena.pieceBytes();
  }

  /**
   * Returns whether kernels can access at least one place of a device by loads and stores. If not,
   * objects leave the device before {@link #read} and {@link #write}.
   */
  public boolean accessible(DeviceId device) {
    return device(device).places.anyDirect();
  }

  /** Returns how much of a device is occupied and free. */
  public DeviceUse use(DeviceId device) {
    return device(device).use();
  }

  /**
   * Sets the budget of a device: the most bytes that its regions may occupy.
   *
   * @throws IllegalArgumentException if more is occupied now, or the device is smaller
   */
  public void setBudget(DeviceId device, long bytes) {
    device(device).budget(bytes);
  }

  /** Returns the numbers of copies and bytes between devices so far. */
  public Traffic traffic() {
    return engine.traffic();
  }

  /** Returns the present regions of a device, in the order of their offsets. */
  public List<Region> regions(DeviceId device) {
    return device(device).regions();
  }

  /** Returns the objects that are not retired. */
  public Collection<MemObject> objects() {
    return List.copyOf(objects.values());
  }

  /**
   * Allocates a region in flight, which belongs to no object yet and must be adopted, linked or
   * freed. Its bytes are undefined.
   *
   * @param bytes above 0
   * @return empty if no free region is large enough or the budget does not allow it
   */
  public Optional<Region> allocate(DeviceId device, long bytes) {
    return Optional.ofNullable(device(device).allocate(bytes));
  }

  /**
   * Allocates a region at the end of a free region instead of its start, otherwise like {@link
   * #allocate}.
   */
  public Optional<Region> allocateAtEnd(DeviceId device, long bytes) {
    return Optional.ofNullable(device(device).allocateAtEnd(bytes));
  }

  /**
   * Allocates a region in a place of a device that kernels access by loads and stores, otherwise
   * like {@link #allocate}.
   */
  public Optional<Region> allocateDirect(DeviceId device, long bytes) {
    return Optional.ofNullable(device(device).allocateDirect(bytes));
  }

  /**
   * Allocates a region at an offset, otherwise like {@link #allocate}.
   *
   * @param offset a multiple of the device's alignment
   * @return empty if a byte of the region is used, or is not in the same piece of the device's
   *     arena as the first one, or the budget does not allow it
   */
  public Optional<Region> allocateAt(DeviceId device, long offset, long bytes) {
    return Optional.ofNullable(device(device).allocateAt(offset, bytes));
  }

  /** Returns the exception for an allocation that a device has no room for. */
  public DeviceFullException full(DeviceId device, long bytes) {
    return device(device).full(bytes);
  }

  /**
   * Frees a region in flight, which belongs to no object.
   *
   * @throws DoubleFreeException if it is not in use
   * @throws LinkConflictException if an object holds it
   */
  public void free(Region region) {
    checkOwn(region);
    if (region.parent != null) {
      throw new LinkConflictException(
          "%s belongs to %s; drop or retire it".formatted(region, region.parent));
    }
    region.device.free(region, false);
  }

  private void checkOwn(Region region) {
    int index = region.device.id.index();
    if (index >= devices.size() || devices.get(index) != region.device) {
      throw new LinkConflictException(region + " is a region of another memory");
    }
  }

  /**
   * Creates an object from a region in flight, which becomes its primary.
   *
   * @param bytes size of the object, 1 to the size of the region
   */
  public MemObject adopt(Region region, long bytes) {
    checkOwn(region);
    if (region.state != RegionState.USED) {
      throw new StaleRegionException(region + " is not in use");
    }
    if (region.parent != null) {
      throw new LinkConflictException(region + " belongs to " + region.parent);
    }
    if (bytes <= 0 || bytes > region.bytes) {
      throw new IllegalArgumentException(
          "an object of %d bytes in %s; 1 to %d fit".formatted(bytes, region, region.bytes));
    }
    MemObject object = new MemObject(this, lastId.incrementAndGet(), bytes, region);
    objects.put(object.id(), object);
    return object;
  }

  /**
   * Retires an object: frees all its regions without a copy, leased ones when their leases are
   * closed.
   *
   * @return false if it was retired before
   * @throws PinnedException if it is pinned
   */
  public boolean retire(MemObject object) throws InterruptedException {
    checkOwn(object);
    boolean retired = object.retire(settings.waitNanos());
    if (retired) {
      objects.remove(object.id());
    }
    return retired;
  }

  private void checkOwn(MemObject object) {
    if (object.memory() != this) {
      throw new LinkConflictException(object + " is an object of another memory");
    }
  }

  /**
   * Takes a lease to read an object; waits for a writer.
   *
   * @throws RetiredObjectException if it was retired
   * @throws LeaseTimeoutException after {@link MemorySettings#waitNanos}
   */
  public ReadLease read(MemObject object) throws InterruptedException {
    checkOwn(object);
    for (int i = 0; i < DIRECT_ATTEMPTS; i++) {
      makeDirect(object);
      Region region = object.beginRead(settings.waitNanos());
      if (region.direct()) {
        return new ReadLease(object, region);
      }
      object.endRead(region, Thread.currentThread());
    }
    throw moved(object);
  }

  /**
   * Takes a lease to write an object; waits for readers, a writer and a move. Other regions of the
   * object are stale from now on.
   *
   * @throws RetiredObjectException if it was retired
   * @throws LeaseTimeoutException after {@link MemorySettings#waitNanos}
   */
  public WriteLease write(MemObject object) throws InterruptedException {
    checkOwn(object);
    for (int i = 0; i < DIRECT_ATTEMPTS; i++) {
      makeDirect(object);
      Region region = object.beginWrite(settings.waitNanos());
      if (region.direct()) {
        return new WriteLease(object, region);
      }
      object.endWrite(region);
    }
    throw moved(object);
  }

  /**
   * Takes a lease to copy an object's bytes, wherever they are; otherwise like {@link #read}. The
   * lease gives a view only of bytes that can be accessed by loads and stores.
   */
  public ReadLease readAnywhere(MemObject object) throws InterruptedException {
    checkOwn(object);
    return new ReadLease(object, object.beginRead(settings.waitNanos()));
  }

  /**
   * Takes a lease to change an object's bytes, wherever they are; otherwise like {@link #write}.
   * The lease gives a view only of bytes that can be accessed by loads and stores.
   */
  public WriteLease writeAnywhere(MemObject object) throws InterruptedException {
    checkOwn(object);
    return new WriteLease(object, object.beginWrite(settings.waitNanos()));
  }

  private static LeaseTimeoutException moved(MemObject object) {
    return new LeaseTimeoutException(
        "%s was moved to a place without loads and stores %d times while a lease was taken"
            .formatted(object, DIRECT_ATTEMPTS));
  }

  /**
   * Moves an object to a place of its device that kernels access by loads and stores, unless it is
   * in one. Leases do so as well; a caller that pins an object before it takes a lease calls this
   * method before it pins.
   *
   * @throws DeviceFullException if no such place has room
   * @throws PinnedException if it is pinned where it is
   * @throws UnsupportedOperationException if the device is not {@link #accessible}
   */
  public void makeDirect(MemObject object) throws InterruptedException {
    Region now = object.where();
    if (now == null || now.direct()) {
      return;
    }
    if (!now.device.places.anyDirect()) {
      throw new UnsupportedOperationException(
          "%s is on device %s, whose bytes can only be copied; move it to another device first"
              .formatted(object, now.device.spec.name()));
    }
    try (Move move = move(object)) {
      Region from = move.primary();
      if (from.direct()) {
        return;
      }
      Region to = from.device.allocateDirect(object.bytes());
      if (to == null) {
        throw from.device.full(object.bytes());
      }
      try {
        move.relocate(from, to);
      } finally {
        if (to.parent == null) {
          to.device.free(to, false);
        }
      }
    }
  }

  /**
   * Keeps an object from moving until {@link #unpin} was called as often as this method. A move
   * under way fails.
   */
  public void pin(MemObject object) {
    checkOwn(object);
    object.pin();
  }

  /** Undoes one {@link #pin}. */
  public void unpin(MemObject object) {
    checkOwn(object);
    object.unpin();
  }

  /**
   * Waits for the object's current move, if there is one, and begins another.
   *
   * @throws PinnedException if it is pinned or being written
   */
  public Move move(MemObject object) throws InterruptedException {
    checkOwn(object);
    Move move = new Move(this, object);
    object.begin(move, settings.waitNanos());
    return move;
  }

  /**
   * Starts a background copy of a range of one object's bytes to a range of another object's. Until
   * the copy has ended, the caller holds a lease on both, on the target to write.
   *
   * @throws IllegalArgumentException if they are not equally long
   * @throws StaleRegionException if a region holds no object
   */
  public CompletableFuture<MoveReceipt> copyInBackground(ByteRange target, ByteRange source)
      throws InterruptedException {
    if (target.bytes() != source.bytes()) {
      throw new IllegalArgumentException(
          "%d bytes cannot be copied to %d".formatted(source.bytes(), target.bytes()));
    }
    for (ByteRange range : List.of(target, source)) {
      if (range.region().parent() == null) {
        throw new StaleRegionException(range.region() + " holds no object");
      }
    }
    return engine.background(target.extent(), source.extent());
  }

  /**
   * Waits for the end of a background copy.
   *
   * @throws TieredMemoryException if the copy failed
   */
  public MoveReceipt await(CompletableFuture<MoveReceipt> copy) throws InterruptedException {
    return engine.await(copy);
  }

  /**
   * Empties a span of adjacent regions of a device, by a policy's callback, for a request. First
   * looks for a span around each start in turn, over free regions and over used ones that may move:
   * forward by address, then backward. Then the callback frees the regions of the span. Evicts
   * nothing if there is no span.
   *
   * @param starts regions around which to look for a span, best first
   * @param bytes size of the request, above 0
   * @return the free region that the span has become part of
   * @throws DeviceFullException if no start leads to a span; nothing was evicted
   * @throws AbortedEvictionException if the callback failed or left a region in use
   */
  public Span evictFrom(
      DeviceId device, Iterable<Region> starts, long bytes, EvictionCallback callback)
      throws InterruptedException {
    return device(device).evict(starts, bytes, callback);
  }

  /**
   * Returns the regions, free or not, that have bytes in a range of a device, by their offsets.
   * They may change at any time.
   *
   * @param offset offset of the first byte
   * @return empty if no region can lie there, because the device or a piece of its arena ends
   *     before the range does
   */
  public List<Region> regionsAt(DeviceId device, long offset, long bytes) {
    return device(device).regionsAt(offset, bytes);
  }

  /**
   * Empties a range of a device's bytes, by a policy's callback, otherwise like {@link #evictFrom}.
   *
   * @param offset offset of the first byte
   * @return false if a region in the range may not be evicted; nothing was evicted
   * @throws AbortedEvictionException if the callback failed or left a region in use
   */
  public boolean evictAt(DeviceId device, long offset, long bytes, EvictionCallback callback)
      throws InterruptedException {
    return device(device).evictAt(offset, bytes, callback);
  }

  /**
   * Moves regions of a device that are not in use to lower offsets, so that free bytes come to lie
   * together. Best between steps, but allowed at any time.
   *
   * @return bytes copied
   */
  public long defragment(DeviceId device) throws InterruptedException {
    return new Defragmenter(this, device(device)).run();
  }

  /**
   * The result of checking a memory's invariants.
   *
   * @param problems violated invariants, each with what violates it; empty if there are none
   * @param regionsInFlight regions that are allocated and neither adopted nor linked yet
   * @param quarantined regions that wait for their last lease
   */
  public record VerifyReport(List<String> problems, int regionsInFlight, int quarantined) {
    /** Returns whether the check found no violated invariant. */
    public boolean sound() {
      return problems.isEmpty();
    }
  }

  /** Checks the invariants of this memory's regions and objects. Exact while nothing changes. */
  public VerifyReport verify() {
    return verify(false);
  }

  /**
   * Checks the invariants of this memory and, on request, compares linked regions byte by byte.
   *
   * @param contents whether to read all bytes
   */
  public VerifyReport verify(boolean contents) {
    Audit audit = new Audit(contents);
    devices.forEach(device -> device.audit(audit));
    objects.values().forEach(object -> object.audit(audit));
    return audit.report();
  }

  /**
   * Waits for background copies and frees the bytes of all devices; objects must not be used any
   * more.
   */
  @Override
  public void close() {
    engine.close();
    devices.forEach(device -> device.arena.close());
  }
}
