package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;

/** What a policy has the engine do. */
public sealed interface Action {
  /** Returns the reason, for reports. */
  Reason reason();

  /** Nanoseconds that the policy expects it to take; 0 if it copies nothing. */
  long expectedNanos();

  /** Returns whether it only starts a copy, which ends later, while kernels run. */
  default boolean inBackground() {
    return false;
  }

  /**
   * Copies an object to the fast device, where its primary is then; the slow copy stays. Waits for
   * a copy of the object that is under way.
   *
   * @param room where its space comes from
   * @param ahead whether the copy is made in the background; a kernel that uses the object waits
   *     for it
   */
  record Fetch(MemObject object, Room room, boolean ahead, Reason reason, long expectedNanos)
      implements Action {
    @Override
    public boolean inBackground() {
      return ahead;
    }
  }

  /** Removes an object from the fast device, after a copy of what the slow one does not hold. */
  record Evict(MemObject object, Reason reason, long expectedNanos) implements Action {}

  /**
   * Copies an object to the slow device in the background. It stays on the fast one, and leaves
   * without a copy later. Waits for nothing; a failure is only counted.
   */
  record WriteBack(MemObject object, Reason reason, long expectedNanos) implements Action {
    @Override
    public boolean inBackground() {
      return true;
    }
  }

  /** Frees the memory of a retired object, without a copy. */
  record Release(MemObject object, Reason reason, long expectedNanos) implements Action {}

  /** Defragments the fast device. */
  record Compact(Reason reason, long expectedNanos) implements Action {}

  /**
   * Has a {@linkplain KernelEvent#divisible divisible} kernel take its slow arguments through
   * buffers on the fast device, piece by piece. Only in answer to {@link PlacementPolicy#before}.
   */
  record Stream(KernelEvent kernel, Reason reason, long expectedNanos) implements Action {
    /** Buffers take this fraction of the fast device: one eighth. */
    public static final long BUFFER_SHARE = 8;
  }
}
