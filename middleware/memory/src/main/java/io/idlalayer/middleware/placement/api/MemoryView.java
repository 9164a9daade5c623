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
 * What a policy may know of the memory: a fast device, a slow one and the objects on them. Only to
 * be looked at; valid during the call that it was given to.
 */
public interface MemoryView {
  /** No use of an object is known or expected. */
  long UNKNOWN = -1;

  /** An object will not be used again. */
  long NEVER = Long.MAX_VALUE;

  /** How full the fast device is. */
  DeviceUse fast();

  /** How full the slow device is. */
  DeviceUse slow();

  /** All bytes of the fast device, in the order of their offsets. */
  List<FastBlock> fastBlocks();

  /** Whether an object's bytes are used on the fast device; false if it has no memory any more. */
  boolean inFast(MemObject object);

  /** First byte of an object, from the start of the device that it is used on. */
  long offset(MemObject object);

  /** Whether the slow device lacks what the fast one holds of an object: leaving means a copy. */
  boolean needsWriteBack(MemObject object);

  /** Whether nothing keeps an object where it is: no pin, lease or move. May change at any time. */
  boolean movable(MemObject object);

  /** Whether an object is being copied in the background. */
  boolean copying(MemObject object);

  /** Copies in the background that have not ended. */
  int copiesUnderWay();

  /**
   * Kernels from the last one that began to the next use of an object, at least 0. Exact in a step
   * that is known ({@link #stepKnown}); otherwise as in an earlier step that was not.
   *
   * @return {@link #NEVER} if the step is known and the object is given up before, {@link #UNKNOWN}
   *     if nothing is known
   */
  long nextUse(MemObject object);

  /** Whether the kernels of this step are, so far, those of a graph that was announced. */
  boolean stepKnown();

  /** The object of a tensor of the graph that was announced; null if it is not there. */
  @Nullable MemObject object(int tensor);

  /** What kernels take on slow objects. */
  TierModel model();

  /** What was done so far. */
  PolicyStats counts();

  /** Whether an object of so many bytes finds free space on the fast device. */
  default boolean hasFastSpace(long bytes) {
    DeviceUse use = fast();
    long aligned = use.spec().alignedBytes(bytes);
    return aligned <= use.largestFreeBytes() && aligned <= use.budgetBytes() - use.occupiedBytes();
  }

  /** Bytes of objects that are used on the slow device, each counted once. */
  default long slowBytes(Collection<MemObject> objects) {
    long bytes = 0;
    for (MemObject object : new LinkedHashSet<>(objects)) {
      bytes += inFast(object) ? 0 : object.bytes();
    }
    return bytes;
  }

  /** The slow device as copies from and to the fast one found it; as specified until then. */
  DeviceSpeed slowSpeed();

  /** What transfers between the two devices take. */
  default TransferTimes times() {
    return new TransferTimes(model(), slowSpeed(), fast().spec().speed());
  }
}
