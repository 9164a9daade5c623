package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.DeviceSpeed;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.Region;
import io.idlalayer.middleware.memory.TieredMemory;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What policies of a fast and a slow device share; by itself it moves nothing on its own accord.
 */
abstract class TwoTierPolicy implements PlacementPolicy {
  private @Nullable TierMoves moves;
  private @Nullable PolicyEnvironment environment;

  @Override
  public void attach(TieredMemory memory, PolicyEnvironment given) {
    if (moves != null) {
      throw new IllegalStateException("policy " + info().name() + " has a memory already");
    }
    moves = new TierMoves(memory, given);
    environment = given;
  }

  TierMoves moves() {
    if (moves == null) {
      throw new IllegalStateException("policy " + info().name() + " has no memory yet");
    }
    return moves;
  }

  PolicyEnvironment environment() {
    if (environment == null) {
      throw new IllegalStateException("policy " + info().name() + " has no memory yet");
    }
    return environment;
  }

  DeviceSpeed slowSpeed() {
    return moves().memory.spec(moves().slow).speed();
  }

  DeviceSpeed fastSpeed() {
    return moves().memory.spec(moves().fast).speed();
  }

  @Override
  public void beforeKernel(KernelEvent event) throws InterruptedException {}

  @Override
  public void afterKernel(KernelEvent event, long nanos) throws InterruptedException {}

  @Override
  public void readUse(MemObject object) {}

  @Override
  public void writeUse(MemObject object) {}

  @Override
  public boolean prefetch(MemObject object, boolean force) throws InterruptedException {
    TierMoves to = moves();
    if (object.primary().in(to.fast)) {
      return true;
    }
    Region target = to.memory.allocate(to.fast, object.bytes()).orElse(null);
    if (target == null) {
      return false;
    }
    return to.promote(object, target, false);
  }

  @Override
  public void evict(MemObject object) throws InterruptedException {
    moves().demote(object);
  }

  @Override
  public void softEvict(MemObject object) {}

  @Override
  public boolean retire(MemObject object) throws InterruptedException {
    return moves().retire(object);
  }

  @Override
  public long kernelNanos(KernelEvent event, long fastNanos) {
    long in = slowBytes(event.reads());
    long out = slowBytes(event.writes());
    if (in == 0 && out == 0) {
      return fastNanos;
    }
    return environment().model().kernelNanos(slowSpeed(), fastNanos, in, out);
  }

  private long slowBytes(Iterable<MemObject> objects) {
    long bytes = 0;
    Set<MemObject> seen = new HashSet<>();
    for (MemObject object : objects) {
      if (!object.in(moves().fast) && seen.add(object)) {
        bytes += object.bytes();
      }
    }
    return bytes;
  }

  @Override
  public PolicyStats stats() {
    return moves().counts.stats();
  }
}
