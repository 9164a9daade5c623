package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides where objects are. A policy looks at a {@link MemoryView} and returns actions; the engine
 * carries them out in their order, tells the policy what came of each ({@link #done}) and never
 * lets a decision change bytes. A policy copies, locks, waits and allocates nothing.
 *
 * <p>One thread at a time calls a policy; kernels of several threads may be under way between its
 * calls, so that what it keeps about a kernel belongs to that kernel's {@link KernelEvent#site}.
 *
 * <p>Source: the policy interface of CachedArrays (Hildebrand 2022, chapter 4): programs say what
 * they will read, will write and are done with, and policies move.
 */
public interface PlacementPolicy {
  /** As in settings and reports. */
  String name();

  /** The kernels that follow are those of a graph, in its order. */
  default void beginStep(TaskGraph graph, MemoryView view) {}

  /** Where a new object goes. */
  Placement place(AllocationRequest request, MemoryView view);

  /**
   * None of the places of a request had space. The engine carries the actions out and tries the
   * places once more; without actions the request fails.
   */
  default List<Action> makeSpace(AllocationRequest request, MemoryView view) {
    return List.of();
  }

  /**
   * An object was made; nothing is in it yet.
   *
   * @param request that it answers
   * @param kernel that runs and creates it; null outside of kernels
   */
  default List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    return List.of();
  }

  /** A kernel is about to run. Its arguments stay where they are then until it ends. */
  default List<Action> before(KernelEvent kernel, MemoryView view) {
    return List.of();
  }

  /**
   * An action of this policy was carried out, or could not be.
   *
   * @return actions in answer; the engine asks at most {@value #MOST_ANSWERS} times in a row
   */
  default List<Action> done(Outcome outcome, MemoryView view) {
    return List.of();
  }

  /** How often actions in answer to actions are asked for in a row. */
  int MOST_ANSWERS = 3;

  /**
   * A kernel has run.
   *
   * @param kernel as in {@link #before}; what it created is among its writes
   * @param nanos that it took by the memory's clock, without what preceded it
   */
  default List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
    return List.of();
  }

  /** A kernel of {@link #before} has failed, and {@link #after} will not be called for it. */
  default void failed(KernelEvent kernel) {}

  /**
   * The owner says that an object will not be used for a while. It speaks of the object and of no
   * kernel: it may do so at any time, and which kernels used the object, {@link #before} and {@link
   * #placed} have told. Likewise {@link #released}.
   */
  default void softEvicted(MemObject object, MemoryView view) {}

  /**
   * The owner has given an object up and will not use it again. It keeps its memory until a {@link
   * Action.Release} of it.
   */
  default List<Action> released(MemObject object, MemoryView view) {
    return List.of(new Action.Release(object, Reason.RETIRED, 0));
  }

  /** A step has ended: the time to tidy up what kernels would have to wait for. */
  default List<Action> endOfStep(MemoryView view) {
    return List.of();
  }

  /**
   * What a kernel takes on the devices of the specification, for clocks that emulate them.
   *
   * @param kernel with what it created
   * @param fastNanos with all arguments on the fast device
   */
  default long kernelNanos(KernelEvent kernel, long fastNanos, MemoryView view) {
    long in = view.slowBytes(kernel.reads());
    long out = view.slowBytes(kernel.writes());
    if (in == 0 && out == 0) {
      return fastNanos;
    }
    return view.model().kernelNanos(view.slow().spec().speed(), fastNanos, in, out);
  }
}
