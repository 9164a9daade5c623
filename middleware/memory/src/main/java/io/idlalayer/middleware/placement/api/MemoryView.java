package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.memory.object.MemObject;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory as a policy sees it: a fast device, a slow one and the objects on them. Read-only, and
 * valid only during the call that it was given to.
 */
public interface MemoryView {
  /** Result of {@link #nextUse} if the next use of an object is not known. */
  long UNKNOWN = -1;

  /** Result of {@link #nextUse} if an object will not be used again. */
  long NEVER = Long.MAX_VALUE;

  /** Returns how much of the fast device is occupied and free. */
  DeviceUse fast();

  /** Returns how much of the slow device is occupied and free. */
  DeviceUse slow();

  /** Returns all blocks of the fast device, free and used, in the order of their offsets. */
  List<FastBlock> fastBlocks();

  /**
   * Returns the size of the pieces of the fast device, in bytes; no object crosses a multiple of
   * it.
   */
  long fastPieceBytes();

  /**
   * Returns whether the primary of an object is on the fast device; false if the object has no
   * memory any more, or its background copy to the fast device has not ended.
   */
  boolean inFast(MemObject object);

  /** Returns the offset of an object's primary on the device that holds it. */
  long offset(MemObject object);

  /**
   * Returns whether the slow device lacks bytes of an object that the fast one holds, so that they
   * must be copied before the object leaves.
   */
  boolean needsWriteBack(MemObject object);

  /** Returns whether no pin, lease or move keeps an object where it is. May change at any time. */
  boolean movable(MemObject object);

  /** Returns whether a background copy of an object is under way or queued. */
  boolean copying(MemObject object);

  /** Returns the number of background copies to the slow device that have not ended. */
  int writeBacksUnderWay();

  /**
   * Returns how many nanoseconds a background copy to the fast device would wait before it begins,
   * if it were asked for now: the time that the copies before it are expected to take.
   */
  long fetchBacklogNanos();

  /**
   * Returns how many kernels from now an object is used next: 1 for the next kernel, 0 if a
   * predicted use is overdue. Exact in a step that was announced ({@link #stepKnown}); otherwise as
   * in an earlier step that was not announced.
   *
   * @return {@link #NEVER} if the step was announced and the object is retired before another use,
   *     {@link #UNKNOWN} if nothing is known
   */
  long nextUse(MemObject object);

  /**
   * Returns whether this step was announced and its kernels so far were those of the announced
   * graph.
   */
  boolean stepKnown();

  /**
   * Returns whether the kernel that has ended last has passed its slow arguments through buffers,
   * piece by piece, so that it did not use them in place.
   */
  boolean streamed();

  /**
   * Returns the object that stands for a tensor of the announced graph; null if there is none now.
   */
  @Nullable MemObject object(int tensor);

  /** Returns the cost model of kernels that use slow objects. */
  TierModel model();

  /** Returns the present time by the memory's clock, in nanoseconds since an arbitrary instant. */
  long nanos();

  /** Returns the counts of the policy's actions so far. */
  PolicyStats counts();

  /** Returns whether the fast device has free space for an object of a size. */
  default boolean hasFastSpace(long bytes) {
    DeviceUse use = fast();
    long aligned = use.spec().alignedBytes(bytes);
    return aligned <= use.largestFreeBytes() && aligned <= use.budgetBytes() - use.occupiedBytes();
  }

  /**
   * Returns how many bytes of the given objects have their primary on the slow device; each object
   * counts once.
   */
  default long slowBytes(Collection<MemObject> objects) {
    long bytes = 0;
    for (MemObject object : new LinkedHashSet<>(objects)) {
      bytes += inFast(object) ? 0 : object.bytes();
    }
    return bytes;
  }

  /**
   * Returns the speed of the slow device, corrected by the measured times of copies between it and
   * the fast one.
   */
  DeviceSpeed slowSpeed();

  /** Returns a predictor of the times of copies between the two devices. */
  default TransferTimes times() {
    return new TransferTimes(model(), slowSpeed(), fast().spec().speed());
  }
}
