package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.FastBlock;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PolicyStats;
import io.idlalayer.middleware.placement.trace.HollowArena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** What a policy sees, said by a test. Objects are handles: there are no bytes and no regions. */
public final class FakeView implements MemoryView {
  private static final PolicyStats NONE = new PolicyStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  private final TieredMemory handles;
  public long fastBytes;
  private final TreeMap<Long, MemObject> fast = new TreeMap<>();
  private final Map<Integer, MemObject> tensors = new HashMap<>();

  /** Objects whose slow bytes are up to date. */
  public final Set<MemObject> clean = new HashSet<>();

  public final Set<MemObject> busy = new HashSet<>();

  /** Objects that are being copied in the background; they are busy, too. */
  public final Set<MemObject> copying = new HashSet<>();

  public final Map<MemObject, Long> nextUses = new HashMap<>();
  public long slowOccupied;

  /** How many times as long as specified copies take. */
  public double slowdown = 1;

  public PolicyStats counts = NONE;
  public int copies;
  public long nanos;
  public long fetchBacklogNanos;
  public boolean known;

  /** Whether kernels pass their slow arguments through buffers. */
  public boolean streamed;

  public RandomGenerator random = new SplittableRandom(1);

  public FakeView(long fastBytes) {
    this.fastBytes = fastBytes;
    DeviceSpec somewhere = Tiers.slow(1 << 20);
    Arena hollow = new HollowArena(somewhere);
    handles =
        new TieredMemory(
            List.of(Tiers.tier(Tiers.fast(64)), new TieredMemory.Tier(somewhere, hollow)),
            Tiers.SETTINGS,
            new VirtualClock());
  }

  /** An object on the slow device. */
  public MemObject slow(long bytes) {
    return Tiers.make(handles, Tiers.SLOW, bytes);
  }

  /** An object on the fast device. */
  public MemObject fast(long offset, long bytes) {
    MemObject object = slow(bytes);
    fast.put(offset, object);
    return object;
  }

  public void evict(MemObject object) {
    fast.values().remove(object);
  }

  public void tensor(int index, MemObject object) {
    tensors.put(index, object);
  }

  /** Sets the number of evictions that made room. */
  public void forced(long evictions) {
    counts = new PolicyStats(0, evictions, evictions, 0, 0, 0, 0, 0, 0, 0);
  }

  @Override
  public DeviceUse fast() {
    long occupied = fast.values().stream().mapToLong(MemObject::bytes).sum();
    long largest =
        fastBlocks().stream().filter(FastBlock::free).mapToLong(FastBlock::bytes).max().orElse(0);
    return new DeviceUse(Tiers.fast(fastBytes), fastBytes, occupied, occupied, largest);
  }

  @Override
  public DeviceUse slow() {
    return new DeviceUse(Tiers.slow(1000), 1000, slowOccupied, slowOccupied, 1000 - slowOccupied);
  }

  @Override
  public DeviceSpeed slowSpeed() {
    return slow().spec().speed().slowedBy(slowdown, slowdown);
  }

  @Override
  public List<FastBlock> fastBlocks() {
    List<FastBlock> blocks = new ArrayList<>();
    long at = 0;
    for (Map.Entry<Long, MemObject> each : fast.entrySet()) {
      if (each.getKey() > at) {
        blocks.add(new FastBlock(0, at, each.getKey() - at, null, true));
      }
      MemObject object = each.getValue();
      blocks.add(new FastBlock(0, each.getKey(), object.bytes(), object, !busy.contains(object)));
      at = each.getKey() + object.bytes();
    }
    if (at < fastBytes) {
      blocks.add(new FastBlock(0, at, fastBytes - at, null, true));
    }
    return blocks;
  }

  @Override
  public long fastPieceBytes() {
    return fastBytes;
  }

  @Override
  public boolean inFast(MemObject object) {
    return fast.containsValue(object);
  }

  @Override
  public long offset(MemObject object) {
    return fast.entrySet().stream()
        .filter(each -> each.getValue().equals(object))
        .findFirst()
        .map(Map.Entry::getKey)
        .orElseGet(() -> object.primary().offset());
  }

  @Override
  public boolean needsWriteBack(MemObject object) {
    return !clean.contains(object);
  }

  @Override
  public boolean movable(MemObject object) {
    return !busy.contains(object);
  }

  @Override
  public boolean copying(MemObject object) {
    return copying.contains(object);
  }

  @Override
  public int writeBacksUnderWay() {
    return copies;
  }

  @Override
  public long fetchBacklogNanos() {
    return fetchBacklogNanos;
  }

  @Override
  public long nextUse(MemObject object) {
    return nextUses.getOrDefault(object, UNKNOWN);
  }

  @Override
  public boolean stepKnown() {
    return known;
  }

  @Override
  public boolean streamed() {
    return streamed;
  }

  @Override
  public MemObject object(int tensor) {
    return tensors.get(tensor);
  }

  @Override
  public TierModel model() {
    return TierModel.DEFAULT;
  }

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public PolicyStats counts() {
    return counts;
  }
}
