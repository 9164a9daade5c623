package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.DeviceId;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.memory.Traffic;

/**
 * Does what another policy does, and knows what was copied while a kernel ran but not on behalf of
 * the policy: what was taken through buffers.
 */
final class CopyCountingPolicy extends PolicyAround {
  private final long[][] began = new long[2][2];
  private final long[][] streamed = new long[2][2];
  private TieredMemory memory;
  private int pieces;

  CopyCountingPolicy(PlacementPolicy policy) {
    super(policy);
  }

  /** Bytes that the last kernel's pieces copied. */
  long streamed(DeviceId from, DeviceId to) {
    return streamed[from.index()][to.index()];
  }

  /** How often a kernel or a piece was timed so far. */
  int timed() {
    return pieces;
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
  public void attach(TieredMemory given, PolicyEnvironment environment) {
    memory = given;
    super.attach(given, environment);
  }

  @Override
  public MemObject allocate(AllocationRequest request) throws InterruptedException {
    add(began, -1);
    try {
      return super.allocate(request);
    } finally {
      add(began, 1);
    }
  }

  @Override
  public boolean beforePieces(KernelEvent event) throws InterruptedException {
    boolean buffers = super.beforePieces(event);
    begin();
    return buffers;
  }

  @Override
  public long kernelNanos(KernelEvent event, long fastNanos) {
    pieces++;
    return super.kernelNanos(event, fastNanos);
  }

  @Override
  public void afterKernel(KernelEvent event, long nanos) throws InterruptedException {
    for (int i = 0; i < began.length; i++) {
      for (int j = 0; j < began.length; j++) {
        streamed[i][j] = -began[i][j];
      }
    }
    add(streamed, 1);
    super.afterKernel(event, nanos);
  }
}
