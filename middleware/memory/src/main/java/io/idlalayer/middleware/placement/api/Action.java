package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;

/** What a policy has the engine do. */
public sealed interface Action {
  /** Why, for reports. */
  Reason reason();

  /** Nanoseconds that the policy expects it to take; 0 if it copies nothing. */
  long expectedNanos();

  /** Whether it only starts a copy, which ends while kernels run. */
  default boolean inBackground() {
    return false;
  }

  /**
   * Copies an object to the fast device, which becomes its primary; the slow copy stays. Of an
   * object whose copy is under way, waits for its end.
   *
   * @param room where the space for it comes from
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

  /** Takes an object from the fast device, copying what the slow one does not hold. */
  record Evict(MemObject object, Reason reason, long expectedNanos) implements Action {}

  /**
   * Copies an object to the slow device in the background; it stays fast, and leaves without a copy
   * later. Waits for nothing, and its failure is only counted.
   */
  record WriteBack(MemObject object, Reason reason, long expectedNanos) implements Action {
    @Override
    public boolean inBackground() {
      return true;
    }
  }

  /** Frees the memory of an object that its owner has given up, without copying. */
  record Release(MemObject object, Reason reason, long expectedNanos) implements Action {}

  /** Puts the free space of the fast device together. */
  record Compact(Reason reason, long expectedNanos) implements Action {}

  /**
   * Has a {@linkplain KernelEvent#divisible divisible} kernel take its slow arguments through
   * buffers on the fast device, piece by piece. Only in answer to {@link PlacementPolicy#before}.
   */
  record Stream(KernelEvent kernel, Reason reason, long expectedNanos) implements Action {
    /** One part in so many of the fast device is for buffers. */
    public static final long BUFFER_SHARE = 8;
  }
}
