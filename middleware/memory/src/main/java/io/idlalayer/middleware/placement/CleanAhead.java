package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.Move;
import io.idlalayer.middleware.memory.MoveReceipt;
import io.idlalayer.middleware.memory.ObjectAccess;
import io.idlalayer.middleware.memory.PinnedException;
import io.idlalayer.middleware.memory.Region;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Writes objects that will not be used for long to the slow device while kernels run, so that
 * evicting them later copies nothing. Never more than one kernel's time can hide, and only objects
 * whose next use is known to be far, and only while objects have to leave: what may be retired soon
 * is not written.
 */
final class CleanAhead {
  private static final long FAR_KERNELS = 8;
  private static final int AT_ONCE = 2;
  private static final int PRESSURE_KERNELS = 256;
  private static final double NANOS_PER_SECOND = 1e9;

  private final TierMoves moves;
  private long evictions;
  private int pressure;
  private final Map<MemObject, CompletableFuture<MoveReceipt>> running = new LinkedHashMap<>();

  CleanAhead(TierMoves moves) {
    this.moves = moves;
  }

  /** Ends what is done and starts as much as a kernel like the last one hides. */
  void begin(List<Set<MemObject>> oldestFirst, ReusePredictor reuse, long kernelNanos)
      throws InterruptedException {
    finishDone();
    if (!underPressure()) {
      return;
    }
    double bytesPerSecond = moves.memory.spec(moves.slow).speed().writeBytesPerSecond();
    double left = kernelNanos / NANOS_PER_SECOND * bytesPerSecond;
    for (Set<MemObject> objects : oldestFirst) {
      for (MemObject object : objects) {
        if (running.size() >= AT_ONCE) {
          return;
        }
        if (object.bytes() <= left && worthwhile(object, reuse) && start(object)) {
          left -= object.bytes();
        }
      }
    }
  }

  /**
   * Whether objects had to leave lately: without evictions, writing ahead of them is for nothing.
   */
  private boolean underPressure() {
    if (moves.counts.forcedEvictions > evictions) {
      evictions = moves.counts.forcedEvictions;
      pressure = PRESSURE_KERNELS;
    }
    return pressure > 0 && pressure-- > 0;
  }

  private boolean worthwhile(MemObject object, ReusePredictor reuse) {
    return !running.containsKey(object)
        && object.in(moves.fast)
        && !object.pinned()
        && object.access() != ObjectAccess.READ_WRITE
        && TierMoves.needsCopy(object)
        && reuse.distance(object) >= FAR_KERNELS;
  }

  private boolean start(MemObject object) throws InterruptedException {
    Move move;
    try {
      move = moves.memory.move(object);
    } catch (PinnedException e) {
      // A kernel on another thread has begun to write it.
      return false;
    }
    Region target = null;
    boolean handedOver = false;
    try {
      target = move.linked(moves.slow).orElse(null);
      if (target == null) {
        target = moves.memory.allocate(moves.slow, object.bytes()).orElse(null);
      }
      if (target == null) {
        return false;
      }
      CompletableFuture<MoveReceipt> copy = move.copyInBackground(target);
      handedOver = true;
      running.put(object, ended(copy, move, target));
      return true;
    } finally {
      if (!handedOver) {
        end(move, target);
      }
    }
  }

  /**
   * The move ends with its copy, on whatever thread, and not with the next call of the policy: who
   * wants to write the object without a kernel would wait for that in vain.
   */
  private CompletableFuture<MoveReceipt> ended(
      CompletableFuture<MoveReceipt> copy, Move move, Region target) {
    return copy.whenComplete(
        (receipt, failure) -> {
          try {
            if (failure == null && target.parent() == null) {
              move.link(target);
            }
          } finally {
            end(move, target);
          }
        });
  }

  private void end(Move move, @Nullable Region target) {
    // In this order: once the move has ended, the object may be retired, and its regions with it.
    try (move) {
      if (target != null && target.parent() == null) {
        moves.memory.free(target);
      }
    }
  }

  /** Whether an object is being written; it cannot leave before that has ended. */
  boolean writes(MemObject object) {
    return running.containsKey(object);
  }

  private void finishDone() throws InterruptedException {
    for (MemObject object : List.copyOf(running.keySet())) {
      CompletableFuture<MoveReceipt> copy = running.get(object);
      if (copy != null && copy.isDone() && passed(copy)) {
        finish(object);
      }
    }
  }

  /** Whether a virtual clock has come to the end of a copy. */
  private boolean passed(CompletableFuture<MoveReceipt> copy) {
    return copy.isCompletedExceptionally()
        || copy.join().endNanos() <= moves.memory.clock().nanos();
  }

  /** Waits for all copies; says whether there were any. */
  boolean finishAll() throws InterruptedException {
    boolean any = !running.isEmpty();
    for (MemObject object : List.copyOf(running.keySet())) {
      finish(object);
    }
    return any;
  }

  /** Waits for the copy of an object, if there is one. */
  void finish(MemObject object) throws InterruptedException {
    CompletableFuture<MoveReceipt> copy = running.get(object);
    if (copy == null) {
      return;
    }
    try {
      moves.counts.writtenBackBytes += moves.memory.await(copy).bytes();
    } finally {
      // After an interrupt the copy goes on.
      if (copy.isDone()) {
        running.remove(object);
      }
    }
  }
}
