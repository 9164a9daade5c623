package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.AllocationScope;
import io.idlalayer.middleware.memory.ClockKind;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.MemoryClock;
import io.idlalayer.middleware.memory.TieredMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A memory with the policy that places its objects: what a trainer works with. Any thread; the
 * policy sees one call at a time, kernels run beside each other.
 */
public final class PlacedMemory implements AutoCloseable {
  private final TieredMemory memory;
  private final PlacementPolicy policy;
  private final PolicyEnvironment environment;
  private final ReentrantLock lock = new ReentrantLock();
  private long kernels;
  private long fastUses;
  private long slowUses;
  private long slowReadBytes;
  private long slowWrittenBytes;
  private long stallNanos;
  private long computeNanos;

  /** Attaches a policy that has no memory yet. */
  public PlacedMemory(TieredMemory memory, PlacementPolicy policy, PolicyEnvironment environment) {
    this.memory = memory;
    this.policy = policy;
    this.environment = environment;
    policy.attach(memory, environment);
  }

  /** The memory that objects are in. */
  public TieredMemory memory() {
    return memory;
  }

  /** Prepares for a step that is known beforehand. */
  public PlanReport plan(TaskGraph graph) throws PlanInfeasibleException {
    lock.lock();
    try {
      return policy.plan(graph);
    } finally {
      lock.unlock();
    }
  }

  /** A new object where the policy wants it; its bytes are undefined. */
  public MemObject create(AllocationRequest request) throws InterruptedException {
    lock.lock();
    try {
      long start = memory.clock().nanos();
      MemObject made = policy.allocate(request);
      stallNanos += memory.clock().nanos() - start;
      return made;
    } finally {
      lock.unlock();
    }
  }

  /** Runs a kernel with its arguments where the policy wants them. */
  public void run(KernelEvent event, Kernel kernel) throws InterruptedException {
    long nanos;
    try (KernelArguments arguments = begin(event)) {
      nanos = compute(event, kernel, arguments);
    }
    lock.lock();
    try {
      computeNanos += nanos;
      policy.afterKernel(event, nanos);
    } finally {
      lock.unlock();
    }
  }

  private KernelArguments begin(KernelEvent event) throws InterruptedException {
    List<MemObject> pinned = new ArrayList<>();
    long start = memory.clock().nanos();
    try {
      place(event, pinned);
      // Outside of the lock, since who holds a lease may need the policy before it is closed.
      KernelArguments arguments = KernelArguments.lease(memory, event);
      started(event, memory.clock().nanos() - start);
      return arguments;
    } finally {
      pinned.forEach(memory::unpin);
    }
  }

  /** Has the policy move what it wants, then keeps all arguments where they are. */
  private void place(KernelEvent event, List<MemObject> pinned) throws InterruptedException {
    lock.lock();
    try {
      event.reads().forEach(policy::readUse);
      event.writes().forEach(policy::writeUse);
      policy.beforeKernel(event);
      for (MemObject object : event.reads()) {
        memory.pin(object);
        pinned.add(object);
      }
      for (MemObject object : event.writes()) {
        memory.pin(object);
        pinned.add(object);
      }
    } finally {
      lock.unlock();
    }
  }

  private void started(KernelEvent event, long nanos) {
    lock.lock();
    try {
      stallNanos += nanos;
      count(event);
    } finally {
      lock.unlock();
    }
  }

  private void count(KernelEvent event) {
    kernels++;
    for (MemObject object : event.reads()) {
      if (object.in(environment.fast())) {
        fastUses++;
      } else {
        slowUses++;
        slowReadBytes += object.bytes();
      }
    }
    for (MemObject object : event.writes()) {
      if (object.in(environment.fast())) {
        fastUses++;
      } else {
        slowUses++;
        slowWrittenBytes += object.bytes();
      }
    }
  }

  private long compute(KernelEvent event, Kernel kernel, KernelArguments arguments)
      throws InterruptedException {
    MemoryClock clock = memory.clock();
    long start = clock.nanos();
    long wall = System.nanoTime();
    kernel.run(arguments);
    long measured = System.nanoTime() - wall;
    long fast =
        clock.kind() == ClockKind.VIRTUAL && event.fastNanos() > 0 ? event.fastNanos() : measured;
    clock.computed(measured, wanted(event, fast));
    return clock.nanos() - start;
  }

  private long wanted(KernelEvent event, long fastNanos) {
    lock.lock();
    try {
      return policy.kernelNanos(event, fastNanos);
    } finally {
      lock.unlock();
    }
  }

  /** Brings an object to the fast device; see {@link PlacementPolicy#prefetch}. */
  public boolean prefetch(MemObject object, boolean force) throws InterruptedException {
    lock.lock();
    try {
      return policy.prefetch(object, force);
    } finally {
      lock.unlock();
    }
  }

  /** Takes an object from the fast device. */
  public void evict(MemObject object) throws InterruptedException {
    lock.lock();
    try {
      policy.evict(object);
    } finally {
      lock.unlock();
    }
  }

  /** Says that an object will not be used for a while. */
  public void softEvict(MemObject object) {
    lock.lock();
    try {
      policy.softEvict(object);
    } finally {
      lock.unlock();
    }
  }

  /** Gives an object up; false if that was done before. */
  public boolean retire(MemObject object) throws InterruptedException {
    lock.lock();
    try {
      return policy.retire(object);
    } finally {
      lock.unlock();
    }
  }

  /** A scope that retires through the policy what its thread makes inside of it. */
  public AllocationScope openScope() {
    return memory.openScope(this::retire);
  }

  /** What happened so far. */
  public PlacementStats stats() {
    lock.lock();
    try {
      return new PlacementStats(
          kernels,
          fastUses,
          slowUses,
          slowReadBytes,
          slowWrittenBytes,
          stallNanos,
          computeNanos,
          policy.stats(),
          memory.traffic(),
          memory.use(environment.fast()));
    } finally {
      lock.unlock();
    }
  }

  /** Ends the policy's background work and closes the memory. */
  @Override
  public void close() throws InterruptedException {
    lock.lock();
    try (memory) {
      policy.close();
    } finally {
      lock.unlock();
    }
  }
}
