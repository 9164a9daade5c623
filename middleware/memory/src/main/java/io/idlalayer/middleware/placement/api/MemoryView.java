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
  /** The next use of an object is not known. */
  long UNKNOWN = -1;

  /** An object will not be used again. */
  long NEVER = Long.MAX_VALUE;

  /** Returns the use of the fast device. */
  DeviceUse fast();

  /** Returns the use of the slow device. */
  DeviceUse slow();

  /** All bytes of the fast device, in the order of their offsets. */
  List<FastBlock> fastBlocks();

  /**
   * Returns whether the primary of an object is on the fast device; false if the object has no
   * memory any more.
   */
  boolean inFast(MemObject object);

  /** Offset of an object on the device of its primary. */
  long offset(MemObject object);

  /**
   * Returns whether the slow device lacks bytes that the fast one holds of an object, so that
   * leaving needs a copy.
   */
  boolean needsWriteBack(MemObject object);

  /** Returns whether no pin, lease or move keeps an object where it is. May change at any time. */
  boolean movable(MemObject object);

  /** Returns whether an object is being copied in the background. */
  boolean copying(MemObject object);

  /** Copies in the background that have not ended. */
  int copiesUnderWay();

  /**
   * Returns how many kernels after the last one that began an object is used next, at least 0.
   * Exact in a step that was announced ({@link #stepKnown}); otherwise as in an earlier step that
   * was not announced.
   *
   * @return {@link #NEVER} if the step was announced and the object is retired before another use,
   *     {@link #UNKNOWN} if nothing is known
   */
  long nextUse(MemObject object);

  /** Returns whether this step was announced and its kernels so far were those of the graph. */
  boolean stepKnown();

  /** Returns the object of a tensor of the announced graph; null if there is none now. */
  @Nullable MemObject object(int tensor);

  /** Returns the cost model of kernels that use slow objects. */
  TierModel model();

  /** Counts of what was done so far. */
  PolicyStats counts();

  /** Returns whether the fast device has free space for an object of a size. */
  default boolean hasFastSpace(long bytes) {
    DeviceUse use = fast();
    long aligned = use.spec().alignedBytes(bytes);
    return aligned <= use.largestFreeBytes() && aligned <= use.budgetBytes() - use.occupiedBytes();
  }

  /** Bytes of those objects that are on the slow device, each counted once. */
  default long slowBytes(Collection<MemObject> objects) {
    long bytes = 0;
    for (MemObject object : new LinkedHashSet<>(objects)) {
      bytes += inFast(object) ? 0 : object.bytes();
    }
    return bytes;
  }

  /** Speed of the slow device, corrected by what copies from and to the fast one took. */
  DeviceSpeed slowSpeed();

  /** Expected times of transfers between the two devices. */
  default TransferTimes times() {
    return new TransferTimes(model(), slowSpeed(), fast().spec().speed());
  }
}
