package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.DeviceFullException;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.PinnedException;
import io.idlalayer.middleware.memory.TieredMemory;

/**
 * Decides where objects are. A policy acts only through the memory, so that whatever it decides,
 * the bytes of objects are the same. For one thread at a time: {@link PlacedMemory} sees to that.
 *
 * <p>Source: the policy interface of CachedArrays (Hildebrand 2022, chapter 4): programs say what
 * they will read, will write and are done with, and policies move.
 */
public interface PlacementPolicy extends AutoCloseable {
  /** What this policy is and needs. */
  PolicyInfo info();

  /**
   * Gives the policy its memory, once, before anything else.
   *
   * @throws IllegalStateException if it has one
   */
  void attach(TieredMemory memory, PolicyEnvironment environment);

  /**
   * Prepares for a step that is known beforehand.
   *
   * @throws PlanInfeasibleException if the step cannot run in the budget
   */
  default PlanReport plan(TaskGraph graph) throws PlanInfeasibleException {
    return PlanReport.NONE;
  }

  /**
   * Makes an object; its bytes are undefined.
   *
   * @throws DeviceFullException if there is no room wherever this policy may put it
   */
  MemObject allocate(AllocationRequest request) throws InterruptedException;

  /** A kernel is about to run: on return every argument is where it may run. */
  void beforeKernel(KernelEvent event) throws InterruptedException;

  /**
   * A kernel is about to run that can take its arguments piece by piece: in place of {@link
   * #beforeKernel}. On return every argument is where it may run.
   *
   * @return whether what is slow is to go through buffers on the fast device, which {@link
   *     #allocate} then makes
   */
  default boolean beforePieces(KernelEvent event) throws InterruptedException {
    beforeKernel(event);
    return false;
  }

  /** The kernel that runs has made an object by {@link #allocate} and writes it. */
  default void createdByKernel(MemObject object) {}

  /**
   * A kernel has run.
   *
   * @param nanos that it took, by the memory's clock, without {@link #beforeKernel}
   */
  void afterKernel(KernelEvent event, long nanos) throws InterruptedException;

  /**
   * A step has ended: the time to tidy up what kernels would have to wait for. Who runs steps calls
   * this between them; a policy must work without.
   */
  default void endOfStep() throws InterruptedException {}

  /** An object is about to be read. */
  void readUse(MemObject object);

  /** An object is about to be written. */
  void writeUse(MemObject object);

  /**
   * Brings an object to the fast device.
   *
   * @param force whether others may be evicted for it
   * @return whether its primary is fast now
   */
  boolean prefetch(MemObject object, boolean force) throws InterruptedException;

  /**
   * Takes an object from the fast device.
   *
   * @throws PinnedException if it must not move
   */
  void evict(MemObject object) throws InterruptedException;

  /** An object will not be used for a while: it is the first to leave when room is needed. */
  void softEvict(MemObject object);

  /**
   * An object's bytes are not needed any more. It must not be used again, even if the policy keeps
   * its memory for a while.
   *
   * @return false if it was retired before
   */
  boolean retire(MemObject object) throws InterruptedException;

  /**
   * What a kernel takes on the devices of the specification, for clocks that emulate them.
   *
   * @param fastNanos with all arguments on the fast device
   */
  long kernelNanos(KernelEvent event, long fastNanos);

  /** What it did so far. */
  PolicyStats stats();

  /** Ends what it does in the background. The memory stays open. */
  @Override
  default void close() throws InterruptedException {}
}
