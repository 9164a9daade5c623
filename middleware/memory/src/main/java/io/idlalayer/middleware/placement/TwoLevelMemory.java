package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.DeviceUse;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.Region;
import io.idlalayer.middleware.memory.TieredMemory;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Hardware's answer, emulated: every object lies on the slow device, and the fast one is a cache of
 * its lines. Bytes are used where they lie; what the cache would have done is counted, and kernels
 * take the time that its accesses would have taken.
 */
public final class TwoLevelMemory extends TwoTierPolicy {
  /** Shares of the slow device's bandwidths that are left behind the cache, as measured. */
  private static final double READ_SHARE = 23.0 / 30;

  private static final double WRITE_SHARE = 8.0 / 11;
  private static final double NANOS_PER_SECOND = 1e9;

  private final String name;
  private final boolean eager;
  private final TwoLevelCache.Options options;
  private @Nullable TwoLevelCache cache;
  private @Nullable Garbage garbage;
  private TagStats before = new TagStats(0, 0, 0, 0, 0, 0, 0, 0);

  /**
   * @param eager M: the addresses of what is retired are used again at once
   */
  public TwoLevelMemory(String name, boolean eager, TwoLevelCache.Options options) {
    this.name = name;
    this.eager = eager;
    this.options = options;
  }

  @Override
  public PolicyInfo info() {
    return PolicyInfo.online(name);
  }

  @Override
  public void attach(TieredMemory memory, PolicyEnvironment environment) {
    super.attach(memory, environment);
    DeviceUse fast = memory.use(environment.fast());
    long lines = fast.budgetBytes() / TwoLevelCache.LINE_BYTES;
    cache =
        new TwoLevelCache(
            lines * TwoLevelCache.LINE_BYTES,
            memory.spec(environment.slow()).capacityBytes(),
            options);
    garbage = eager ? null : new Garbage(moves());
  }

  /** The cache's counts. */
  public TagStats tags() {
    return cache().snapshot();
  }

  private TwoLevelCache cache() {
    if (cache == null) {
      throw new IllegalStateException("policy " + name + " has no memory yet");
    }
    return cache;
  }

  @Override
  public MemObject allocate(AllocationRequest request) throws InterruptedException {
    MemObject made = moves().tryMake(moves().slow, request.bytes());
    if (made == null && garbage != null && garbage.collect()) {
      made = moves().tryMake(moves().slow, request.bytes());
    }
    return made == null ? moves().make(moves().slow, request.bytes()) : made;
  }

  @Override
  public void beforeKernel(KernelEvent event) {
    TwoLevelCache lines = cache();
    before = lines.snapshot();
    Set<MemObject> inputs = new LinkedHashSet<>(event.reads());
    for (MemObject object : inputs) {
      Region region = object.primary();
      lines.read(region.offset(), object.bytes());
    }
    for (MemObject object : new LinkedHashSet<>(event.writes())) {
      Region region = object.primary();
      lines.write(region.offset(), object.bytes(), TwoLevelCache.StoreKind.STANDARD);
    }
  }

  @Override
  public void createdByKernel(MemObject object) {
    Region region = object.primary();
    cache().write(region.offset(), object.bytes(), TwoLevelCache.StoreKind.STANDARD);
  }

  @Override
  public long kernelNanos(KernelEvent event, long fastNanos) {
    TagStats now = cache().snapshot().since(before);
    double fast =
        (now.fastReads() + now.fastWrites())
            * (double) TwoLevelCache.LINE_BYTES
            / fastSpeed().readBytesPerSecond();
    double slow =
        now.slowReads()
                * (double) TwoLevelCache.LINE_BYTES
                / (READ_SHARE * slowSpeed().readBytesPerSecond())
            + now.slowWrites()
                * (double) TwoLevelCache.LINE_BYTES
                / (WRITE_SHARE * slowSpeed().writeBytesPerSecond());
    return Math.max(fastNanos, Math.round(Math.max(fast, slow) * NANOS_PER_SECOND));
  }

  /** Never: hardware does not ask. */
  @Override
  public boolean prefetch(MemObject object, boolean force) {
    object.primary();
    return false;
  }

  /** Never: hardware does not ask. */
  @Override
  public void evict(MemObject object) {
    object.primary();
  }

  @Override
  public boolean retire(MemObject object) throws InterruptedException {
    return garbage == null ? moves().retire(object) : garbage.add(object);
  }
}
