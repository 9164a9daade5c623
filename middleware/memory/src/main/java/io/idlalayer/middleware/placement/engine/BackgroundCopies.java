package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.copy.MoveReceipt;
import io.idlalayer.middleware.memory.device.TieredMemoryException;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.Move;
import io.idlalayer.middleware.memory.object.ObjectAccess;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.LateArgument;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies objects in the background while kernels run. Copies to the slow device let the objects
 * leave the fast one later without a copy; copies to the fast device serve later kernels. These
 * copies are optional: if one fails, that is counted and logged, and the object stays where it was.
 * Guarded by the engine's lock; a copy ends on its own thread.
 */
final class BackgroundCopies {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundCopies.class);

  /**
   * A copy under way.
   *
   * @param target the region that is written
   * @param expectedEndNanos when a copy to the fast device is expected to end, by the memory's
   *     clock
   */
  private record Copy(
      Action action, Region target, CompletableFuture<MoveReceipt> future, long expectedEndNanos) {
    /** Returns whether this copy goes to the slow device. */
    boolean out() {
      return action instanceof Action.WriteBack;
    }
  }

  private final TieredMemory memory;
  private final PolicyEnvironment devices;
  private final PlacementMeter meter;
  private final Map<MemObject, Copy> running = new LinkedHashMap<>();

  /** When the last copy to the fast device is expected to end; such copies follow one another. */
  private long fetchesEndNanos = Long.MIN_VALUE;

  BackgroundCopies(TieredMemory memory, PolicyEnvironment devices, PlacementMeter meter) {
    this.memory = memory;
    this.devices = devices;
    this.meter = meter;
  }

  int size() {
    return running.size();
  }

  /** Returns the number of copies to the slow device that have not ended. */
  int writeBacks() {
    return (int) running.values().stream().filter(Copy::out).count();
  }

  /**
   * Returns whether a background copy of an object is under way, so that the object cannot move
   * yet.
   */
  boolean contains(MemObject object) {
    return running.containsKey(object);
  }

  /**
   * Starts a background copy to the slow device of an object that stays on the fast one. Returns
   * false if it is in use or there is no space for it.
   */
  boolean writeBack(Action.WriteBack action) throws InterruptedException {
    MemObject object = action.object();
    if (contains(object)
        || !object.in(devices.fast())
        || object.pinned()
        || object.access() == ObjectAccess.READ_WRITE
        || !ActionRunner.needsWriteBack(object)) {
      return false;
    }
    Move move = begin(object);
    if (move == null) {
      return false;
    }
    Region target = null;
    boolean handedOver = false;
    try {
      target = move.linked(devices.slow()).orElse(null);
      if (target == null) {
        target = memory.allocate(devices.slow(), object.bytes()).orElse(null);
      }
      if (target == null) {
        return false;
      }
      Region copied = target;
      CompletableFuture<MoveReceipt> copy = move.copyInBackground(target);
      handedOver = true;
      Runnable linking =
          () -> {
            if (copied.parent() == null) {
              move.link(copied);
            }
          };
      running.put(object, new Copy(action, target, ended(copy, linking, move, target), 0));
      return true;
    } finally {
      if (!handedOver) {
        end(move, target);
      }
    }
  }

  /**
   * Starts a background copy of a slow object to a region in flight on the fast device, which is
   * freed if the copy fails. Returns false if the object is in use.
   */
  boolean fetch(Action.Fetch action, Region target) throws InterruptedException {
    MemObject object = action.object();
    Move move = null;
    boolean handedOver = false;
    try {
      move = begin(object);
      if (move == null || object.in(devices.fast())) {
        return false;
      }
      Move begun = move;
      CompletableFuture<MoveReceipt> copy = begun.copyInBackground(target);
      handedOver = true;
      fetchesEndNanos = memory.clock().nanos() + fetchBacklogNanos() + copyInNanos(object);
      running.put(
          object,
          new Copy(
              action,
              target,
              ended(copy, () -> begun.install(target), begun, target),
              fetchesEndNanos));
      return true;
    } finally {
      if (!handedOver) {
        end(move, target);
      }
    }
  }

  private long copyInNanos(MemObject object) {
    return TierModel.copyNanos(
        memory.speed(devices.slow(), devices.fast()),
        memory.spec(devices.fast()).speed(),
        object.bytes());
  }

  /**
   * Returns how many nanoseconds the copies to the fast device that are under way or queued are
   * expected to take.
   */
  long fetchBacklogNanos() {
    boolean any = running.values().stream().anyMatch(copy -> !copy.out() && !over(copy));
    return any ? Math.max(0, fetchesEndNanos - memory.clock().nanos()) : 0;
  }

  private @Nullable Move begin(MemObject object) throws InterruptedException {
    try {
      return memory.move(object);
    } catch (TieredMemoryException e) {
      // It is in use, or was retired meanwhile.
      return null;
    }
  }

  /**
   * Returns the future of a copy that also ends the object's move. The move ends on the copying
   * thread, and not at the next call of the engine: a thread that writes the object outside of
   * kernels would wait for that call in vain.
   */
  private CompletableFuture<MoveReceipt> ended(
      CompletableFuture<MoveReceipt> copy, Runnable whole, Move move, Region target) {
    return copy.whenComplete(
        (receipt, failure) -> {
          try {
            if (failure == null) {
              whole.run();
            }
          } finally {
            end(move, target);
          }
        });
  }

  private void end(@Nullable Move move, @Nullable Region target) {
    // In this order: once the move has ended, the object may be retired, and its regions with it.
    try (move) {
      if (target != null && target.parent() == null) {
        memory.free(target);
      }
    }
  }

  /** Counts and removes the copies that have ended. */
  void reap() throws InterruptedException {
    for (MemObject object : List.copyOf(running.keySet())) {
      Copy copy = running.get(object);
      if (copy != null && over(copy)) {
        finish(object);
      }
    }
  }

  private boolean over(Copy copy) {
    return copy.future().isDone() && passed(copy.future());
  }

  /** Returns whether a copy has ended, under a virtual clock by the time that it shows now. */
  private boolean passed(CompletableFuture<MoveReceipt> copy) {
    return copy.isCompletedExceptionally() || copy.join().endNanos() <= memory.clock().nanos();
  }

  /** Waits for the end of all background copies. Returns whether there were any. */
  boolean finishAll() throws InterruptedException {
    boolean any = !running.isEmpty();
    for (MemObject object : List.copyOf(running.keySet())) {
      finish(object);
    }
    return any;
  }

  /**
   * Returns whether a background copy of an object to the fast device has not ended. Under a
   * virtual clock the bytes are copied at once, but the copy counts as ended only when its time has
   * passed.
   */
  boolean arriving(MemObject object) {
    Copy copy = running.get(object);
    return copy != null && !copy.out() && !over(copy);
  }

  /** Returns the object that is being copied to a region; null if there is none. */
  @SuppressWarnings("ReferenceEquality")
  @Nullable MemObject copiedTo(Region region) {
    // An instance stands for one allocation.
    for (Map.Entry<MemObject, Copy> each : running.entrySet()) {
      if (each.getValue().target() == region) {
        return each.getKey();
      }
    }
    return null;
  }

  /** Returns the objects that a kernel only reads and whose copies to the fast device go on. */
  List<LateArgument> arrivals(KernelEvent kernel) {
    if (running.isEmpty()) {
      return List.of();
    }
    List<LateArgument> arrivals = new ArrayList<>();
    for (MemObject object : kernel.arguments()) {
      Copy copy = running.get(object);
      if (copy != null && !copy.out() && !over(copy) && !kernel.writes().contains(object)) {
        arrivals.add(new LateArgument(object, remainingNanos(copy)));
      }
    }
    return arrivals;
  }

  private long remainingNanos(Copy copy) {
    long now = memory.clock().nanos();
    if (copy.future().isDone() && !copy.future().isCompletedExceptionally()) {
      return Math.max(1, copy.future().join().endNanos() - now);
    }
    return Math.max(1, Math.abs(copy.expectedEndNanos() - now));
  }

  /**
   * Waits for the background copies that would conflict with a kernel. These are the copies of its
   * arguments to the fast device, except of arguments that it reads in place, and the copies to the
   * slow device of objects that it writes.
   */
  void settle(KernelEvent kernel, Predicate<MemObject> inPlace) throws InterruptedException {
    if (running.isEmpty()) {
      return;
    }
    for (MemObject object : kernel.arguments()) {
      Copy copy = running.get(object);
      boolean conflicts =
          copy != null && (copy.out() ? kernel.writes().contains(object) : !inPlace.test(object));
      if (conflicts) {
        finish(object);
      }
    }
  }

  /** Waits for the end of the background copy of an object, if there is one. */
  void finish(MemObject object) throws InterruptedException {
    Copy copy = running.get(object);
    if (copy == null) {
      return;
    }
    try {
      MoveReceipt receipt = memory.await(copy.future());
      meter.acted(copy.action(), receipt.endNanos() - receipt.startNanos());
      if (copy.out()) {
        meter.wroteBack(receipt.bytes());
      } else {
        meter.fetched();
      }
    } catch (TieredMemoryException e) {
      meter.copyAheadFailed();
      meter.refused(copy.action());
      LOG.warn("{} could not be copied in the background: {}", object, e.getMessage());
    } finally {
      // After an interrupt the copy continues.
      if (copy.future().isDone()) {
        running.remove(object);
      }
    }
  }
}
