package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;

/** A step that a placement policy wants the engine to carry out, such as moving an object. */
public sealed interface Action {
  /** Returns why the policy wants this action, for reports. */
  Reason reason();

  /**
   * Returns the nanoseconds that the policy expects this action to take; 0 if it copies nothing.
   */
  long expectedNanos();

  /** Returns whether this action only starts a copy, which goes on while kernels run. */
  default boolean inBackground() {
    return false;
  }

  /**
   * Copies an object to the fast device, where its primary then is; the copy on the slow device
   * stays. Waits for a copy of the object that is under way.
   *
   * @param room where its space comes from
   * @param ahead whether the copy is made in the background; a kernel that uses the object waits
   *     for it, unless the policy wants {@link UseInPlace}
   */
  record Fetch(MemObject object, Room room, boolean ahead, Reason reason, long expectedNanos)
      implements Action {
    @Override
    public boolean inBackground() {
      return ahead;
    }
  }

  /**
   * Removes an object from the fast device. Bytes that the slow device lacks are copied there
   * first.
   */
  record Evict(MemObject object, Reason reason, long expectedNanos) implements Action {}

  /**
   * Copies an object to the slow device in the background. The object stays on the fast device, and
   * can later leave it without a copy. The action does not wait for the copy; if the copy fails,
   * that is only counted.
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
    /**
     * The buffers together take at most the fast device's budget divided by this number: one
     * eighth.
     */
    public static final long BUFFER_SHARE = 8;

    /** Most buffers of a kernel. */
    public static final int BUFFERS = 3;

    /** Most bytes of a buffer; copies through larger ones are no faster. */
    private static final long MOST_BYTES = 4 << 20;

    /**
     * Returns the most bytes of one buffer.
     *
     * @param bufferBytes size of all buffers together
     */
    public static long mostBytes(long bufferBytes) {
      return Math.min(MOST_BYTES, bufferBytes / BUFFERS);
    }

    /**
     * Returns the best number of pieces for a kernel.
     *
     * @param bufferBytes size of all buffers together
     * @param argumentBytes size of all arguments
     */
    public static long pieces(long bufferBytes, long argumentBytes) {
      long most = mostBytes(bufferBytes);
      return most <= 0 ? 1 : (argumentBytes + most - 1) / most;
    }
  }

  /**
   * Has a kernel read an object on the slow device, although a background copy of the object to the
   * fast device is under way. The copy goes on while the kernel runs, and takes effect when it
   * ends. Only in answer to {@link PlacementPolicy#arriving}.
   */
  record UseInPlace(MemObject object, Reason reason, long expectedNanos) implements Action {}
}
