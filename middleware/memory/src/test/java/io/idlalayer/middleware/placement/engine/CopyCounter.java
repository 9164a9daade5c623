package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.copy.Traffic;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Watches a policy, and counts what is copied while a kernel runs but not on behalf of the policy:
 * what is taken through buffers.
 */
final class CopyCounter implements PlacementPolicy {
  private final long[][] began = new long[2][2];
  private final long[][] allocating = new long[2][2];
  private final long[][] streamed = new long[2][2];
  private final TieredMemory memory;

  CopyCounter(TieredMemory memory) {
    this.memory = memory;
  }

  @Override
  public String name() {
    return "copies";
  }

  /** Bytes that the last kernel's pieces copied. */
  long streamed(DeviceId from, DeviceId to) {
    return streamed[from.index()][to.index()];
  }

  private void add(long[][] counts, int sign) {
    Traffic now = memory.traffic();
    for (int from = 0; from < counts.length; from++) {
      for (int to = 0; to < counts.length; to++) {
        counts[from][to] += sign * now.bytes(new DeviceId(from), new DeviceId(to));
      }
    }
  }

  private void begin() {
    for (int i = 0; i < began.length; i++) {
      began[i] = new long[began.length];
    }
    add(began, 1);
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    for (long[] row : allocating) {
      Arrays.fill(row, 0);
    }
    add(allocating, -1);
    return Placement.of(Placement.SLOW);
  }

  @Override
  public List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    add(allocating, 1);
    for (int i = 0; i < began.length; i++) {
      for (int j = 0; j < began.length; j++) {
        began[i][j] += allocating[i][j];
      }
    }
    return List.of();
  }

  /** What a policy moves before a kernel is none of the kernel's. */
  @Override
  public List<Action> done(Outcome outcome, MemoryView view) {
    begin();
    return List.of();
  }

  @Override
  public List<Action> before(KernelEvent kernel, MemoryView view) {
    begin();
    return List.of();
  }

  @Override
  public List<Action> after(KernelEvent event, long nanos, MemoryView view) {
    for (int i = 0; i < began.length; i++) {
      for (int j = 0; j < began.length; j++) {
        streamed[i][j] = -began[i][j];
      }
    }
    add(streamed, 1);
    return List.of();
  }
}
