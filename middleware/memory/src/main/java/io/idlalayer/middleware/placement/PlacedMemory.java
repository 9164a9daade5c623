package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.AllocationScope;
import io.idlalayer.middleware.memory.ClockKind;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.MemoryClock;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.memory.WriteLease;
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
    try (RunningKernel running = start(event)) {
      kernel.run(running.arguments());
      running.finish();
    }
  }

  /**
   * Starts a kernel that its caller runs; for programs that are told when an operation begins and
   * ends. Close it in any case.
   */
  public RunningKernel start(KernelEvent event) throws InterruptedException {
    RunningKernel running = start(event, () -> policy.beforeKernel(event));
    count(event, event);
    return running;
  }

  /** Has the policy do something before a kernel. */
  @FunctionalInterface
  private interface Placing {
    void run() throws InterruptedException;
  }

  private RunningKernel start(KernelEvent event, Placing placing) throws InterruptedException {
    List<MemObject> pinned = new ArrayList<>();
    long start = memory.clock().nanos();
    try {
      place(event, placing, pinned);
      RunningKernel running = new RunningKernel(this, event, memory.clock());
      // Outside of the lock, since who holds a lease may need the policy before it is closed.
      running.begin(KernelArguments.lease(memory, event, running::make));
      stalled(memory.clock().nanos() - start);
      return running;
    } finally {
      pinned.forEach(memory::unpin);
    }
  }

  /**
   * Runs a kernel that can work on one piece of its arguments after the other. If the policy wants
   * it ({@link PlacementPolicy#beforePieces}), what is slow then goes through the fast device,
   * piece by piece, whatever the size of the arguments; else the kernel works where its arguments
   * are.
   *
   * @param event with all objects of the pieces: in {@link KernelEvent#writes} those that change
   * @return nanoseconds that it took by the memory's clock, without allocations
   */
  public long runPieces(KernelEvent event, List<Piece> pieces, PieceKernel kernel)
      throws InterruptedException {
    boolean[] wanted = new boolean[1];
    PieceStream stream = null;
    try (RunningKernel running = start(event, () -> wanted[0] = policy.beforePieces(event))) {
      KernelArguments arguments = running.arguments();
      stream = new PieceStream(memory, environment.fast(), pieces, arguments);
      if (wanted[0] && stream.prepare(event.index())) {
        KernelEvent near = event.on(environment.fast());
        count(event, near);
        long[] computed = new long[1];
        stream.run(
            (piece, places) -> {
              long wall = System.nanoTime();
              kernel.run(piece, places, arguments);
              computed[0] += computed(near, System.nanoTime() - wall, piece, pieces.size());
            });
        running.finishPieces(computed[0]);
      } else {
        count(event, event);
        for (int piece = 0; piece < pieces.size(); piece++) {
          kernel.run(piece, PieceStream.inPlace(pieces.get(piece)), arguments);
        }
        running.finish();
      }
      return running.nanos();
    } finally {
      if (stream != null) {
        retireAll(stream.buffers());
      }
    }
  }

  private void retireAll(List<MemObject> objects) throws InterruptedException {
    if (!objects.isEmpty()) {
      try {
        retire(objects.get(0));
      } finally {
        retireAll(objects.subList(1, objects.size()));
      }
    }
  }

  /**
   * Into how many pieces a kernel is best divided: buffers for a few of them take a small part of
   * the fast device.
   *
   * @param argumentBytes of all arguments
   */
  public long piecesOf(long argumentBytes) {
    long share = memory.use(environment.fast()).budgetBytes() / PieceStream.SHARE;
    long most = Math.min(PieceStream.MOST_BYTES, share / PieceStream.BUFFERS);
    return most <= 0 ? 1 : (argumentBytes + most - 1) / most;
  }

  /** Tells the clock what one of some pieces took, and returns what it takes by this clock. */
  private long computed(KernelEvent event, long wallNanos, int piece, int pieces)
      throws InterruptedException {
    long wanted;
    lock.lock();
    try {
      wanted = policy.kernelNanos(event, given(event) ? event.fastNanos() : wallNanos * pieces);
    } finally {
      lock.unlock();
    }
    long start = memory.clock().nanos();
    // Shares that add up to the whole.
    long share = wanted / pieces + (piece < wanted % pieces ? 1 : 0);
    memory.clock().computed(wallNanos, share);
    long waited = memory.clock().nanos() - start;
    return memory.clock().kind() == ClockKind.VIRTUAL ? waited : wallNanos + waited;
  }

  /** A new object for the kernel that runs. */
  WriteLease createInKernel(AllocationRequest request) throws InterruptedException {
    MemObject made;
    lock.lock();
    try {
      long start = memory.clock().nanos();
      made = policy.allocate(request);
      memory.pin(made);
      stallNanos += memory.clock().nanos() - start;
      policy.createdByKernel(made);
    } finally {
      lock.unlock();
    }
    WriteLease lease = null;
    try {
      lease = memory.write(made);
      return lease;
    } finally {
      memory.unpin(made);
      if (lease == null) {
        retire(made);
      }
    }
  }

  /** Tells the clock and the policy what a kernel took. */
  long finished(KernelEvent event, List<MemObject> created, RunningKernel.Times times)
      throws InterruptedException {
    MemoryClock clock = memory.clock();
    clock.computed(times.wallNanos(), wanted(event, created, times.wallNanos()));
    return clock.nanos() - times.startNanos();
  }

  private long wanted(KernelEvent event, List<MemObject> created, long wallNanos) {
    lock.lock();
    try {
      created.forEach(this::countWrite);
      return policy.kernelNanos(event.with(created), given(event) ? event.fastNanos() : wallNanos);
    } finally {
      lock.unlock();
    }
  }

  private boolean given(KernelEvent event) {
    return memory.clock().kind() == ClockKind.VIRTUAL && event.fastNanos() > 0;
  }

  /** After the leases are closed. */
  void ended(KernelEvent event, List<MemObject> created, RunningKernel.Ended times)
      throws InterruptedException {
    lock.lock();
    try {
      computeNanos += times.computedNanos();
      stallNanos += times.nanos() - times.computedNanos();
      policy.afterKernel(event.with(created), times.nanos());
    } finally {
      lock.unlock();
    }
  }

  /** Has the policy move what it wants, then keeps all arguments where they are. */
  private void place(KernelEvent event, Placing placing, List<MemObject> pinned)
      throws InterruptedException {
    lock.lock();
    try {
      event.reads().forEach(policy::readUse);
      event.writes().forEach(policy::writeUse);
      placing.run();
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

  private void stalled(long nanos) {
    lock.lock();
    try {
      stallNanos += nanos;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Counts the uses of a kernel's arguments.
   *
   * @param direct the same kernel with the arguments that it uses where they are
   */
  private void count(KernelEvent event, KernelEvent direct) {
    lock.lock();
    try {
      kernels++;
      for (MemObject object : direct.reads()) {
        if (object.in(environment.fast())) {
          fastUses++;
        } else {
          slowUses++;
          slowReadBytes += object.bytes();
        }
      }
      direct.writes().forEach(this::countWrite);
      slowUses += event.reads().size() - direct.reads().size();
      slowUses += event.writes().size() - direct.writes().size();
    } finally {
      lock.unlock();
    }
  }

  private void countWrite(MemObject object) {
    if (object.in(environment.fast())) {
      fastUses++;
    } else {
      slowUses++;
      slowWrittenBytes += object.bytes();
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

  /** Says that a step of training has ended: a good moment to tidy up. */
  public void endOfStep() throws InterruptedException {
    lock.lock();
    try {
      long start = memory.clock().nanos();
      policy.endOfStep();
      stallNanos += memory.clock().nanos() - start;
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
