package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides on which device, fast or slow, each object is, and when it moves. A policy looks at a
 * {@link MemoryView} and returns actions; the engine carries them out in their order and tells the
 * policy the result of each ({@link #done}). No decision changes the bytes of an object. A policy
 * copies, locks, waits and allocates nothing.
 *
 * <p>One thread at a time calls a policy. Kernels of several threads may run between its calls, so
 * a policy keeps what it knows of a running kernel by its {@link KernelEvent#site}.
 *
 * <p>Source: the policy interface of CachedArrays (Hildebrand 2022, chapter 4): programs say what
 * they will read, will write and are done with, and policies move.
 */
public interface PlacementPolicy {
  /** Returns the name of this policy in application files and reports. */
  String name();

  /**
   * Returns the kernels that run again in the step that the trainer announces next. Called before
   * {@link #beginStep}. The trainer then runs the step with these kernels, even if tensors move in
   * the meantime.
   *
   * @param graph the step without reruns
   */
  default Recomputation recomputation(TaskGraph graph, MemoryView view) {
    return Recomputation.NONE;
  }

  /**
   * Called when the trainer announces a step, whose kernels will be those of a graph, in its order.
   *
   * @param graph with the kernels that run again
   */
  default void beginStep(TaskGraph graph, MemoryView view) {}

  /**
   * Returns whether this policy would do nothing in a step all of whose tensors are on the fast
   * device and have space there. The engine runs such a step as a whole and does not ask for each
   * kernel. Called after {@link #beginStep}.
   */
  default boolean idleIfFast() {
    return false;
  }

  /** Chooses the places where the engine tries to allocate a new object. */
  Placement place(AllocationRequest request, MemoryView view);

  /**
   * Called when none of the places that the policy chose for a new object had space. The engine
   * carries out the returned actions and tries the places once more; without actions the request
   * fails.
   */
  default List<Action> makeSpace(AllocationRequest request, MemoryView view) {
    return List.of();
  }

  /**
   * Called when the engine has allocated a new object, whose bytes are still undefined.
   *
   * @param request request for this object
   * @param kernel running kernel that creates the object; null if no kernel runs
   */
  default List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    return List.of();
  }

  /**
   * Called before a kernel, if background copies to the fast device of objects that it only reads
   * have not ended: once before {@link #before}, and once more if its actions have started further
   * ones. The kernel waits for these copies. When {@link #before} is called, objects that the
   * kernel uses in place are still on the slow device.
   *
   * @param arrivals copies under way of objects that the kernel only reads, in its order; at least
   *     one
   * @return the objects that the kernel is to read where they are instead
   */
  default List<Action.UseInPlace> arriving(
      KernelEvent kernel, List<LateArgument> arrivals, MemoryView view) {
    return List.of();
  }

  /**
   * Called before a kernel runs. When the actions are done, its arguments stay where they are until
   * it ends.
   */
  default List<Action> before(KernelEvent kernel, MemoryView view) {
    return List.of();
  }

  /**
   * Called when an action of this policy was carried out or could not be.
   *
   * @return further actions; the engine asks at most {@value #MOST_ANSWERS} times in a row
   */
  default List<Action> done(Outcome outcome, MemoryView view) {
    return List.of();
  }

  /**
   * Most times in a row that the engine calls {@link #done} and carries out the actions it returns.
   */
  int MOST_ANSWERS = 3;

  /**
   * Called after a kernel has run.
   *
   * @param kernel the kernel of {@link #before}; its writes now include the objects that it created
   * @param nanos time of the kernel by the memory's clock, without the actions before it
   */
  default List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
    return List.of();
  }

  /** Called in place of {@link #after} when a kernel has failed. */
  default void failed(KernelEvent kernel) {}

  /**
   * Called when the owner of an object says that it will not be used for a while. The owner may say
   * so at any time, also between kernels. Therefore neither this method nor {@link #released} gets
   * a kernel; {@link #before} and {@link #placed} got the kernels that used the object.
   */
  default void softEvicted(MemObject object, MemoryView view) {}

  /**
   * Called when the owner of an object has retired it and will not use it again. The object keeps
   * its memory until a {@link Action.Release} of it.
   */
  default List<Action> released(MemObject object, MemoryView view) {
    return List.of(new Action.Release(object, Reason.RETIRED, 0));
  }

  /** Called after a step, when no kernel waits for the policy's actions. */
  default List<Action> endOfStep(MemoryView view) {
    return List.of();
  }

  /** Returns how this policy uses plans; empty if it plans no steps. */
  default Optional<PlanUse> planUse() {
    return Optional.empty();
  }

  /**
   * Returns how long a training step would take with more or less fast memory, for the sizes that
   * are known; empty if the policy plans no steps. The policy rehearses the other sizes in the
   * background.
   */
  default Optional<StepCosts> stepCosts(MemoryView view) {
    return Optional.empty();
  }

  /**
   * Returns the nanoseconds that a kernel takes on the specified devices, for clocks that emulate
   * them.
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
