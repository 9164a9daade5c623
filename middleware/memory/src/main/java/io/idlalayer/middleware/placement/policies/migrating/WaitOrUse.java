package io.idlalayer.middleware.placement.policies.migrating;

import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.LateArgument;
import io.idlalayer.middleware.placement.api.TransferTimes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Decides for which late arguments a kernel waits, and which it reads on the slow device. Copies
 * end one after the other, so the kernel waits for the first few, for all, or for none. The number
 * is chosen so that waiting for these and reading the others slow costs least together.
 *
 * <p>Source: Rang 2021, chapter 6, where late arguments are always read slow (direct slow memory
 * access); the choice by cost is ours.
 */
record WaitOrUse(TransferTimes times) {
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * Returns how many nanoseconds longer a kernel takes if it reads an object on the slow device
   * instead of the fast one. Reading hides behind the kernel's computation.
   *
   * @param kernelNanos time of the kernel with everything on the fast device; 0 if unknown
   */
  long penaltyNanos(long bytes, long kernelNanos) {
    DeviceSpeed slow = times.slow();
    double slowly = bytes / slow.readBytesPerSecond() * NANOS_PER_SECOND;
    double otherwise =
        Math.max(
            (double) kernelNanos, bytes / times.fast().readBytesPerSecond() * NANOS_PER_SECOND);
    long latency = Math.max(0, slow.readLatencyNanos() - times.fast().readLatencyNanos());
    return slowly <= otherwise ? 0 : Math.round(slowly - otherwise) + latency;
  }

  /** Returns whether waiting for an object costs less than to read it where it is. */
  boolean waits(long remainingNanos, long bytes, long kernelNanos) {
    return remainingNanos < penaltyNanos(bytes, kernelNanos);
  }

  /**
   * Returns the objects that the kernel reads where they are; it waits for the others.
   *
   * @param kernelNanos time of the kernel with everything on the fast device; 0 if unknown
   */
  List<MemObject> usedInPlace(List<LateArgument> arrivals, long kernelNanos) {
    List<LateArgument> order = new ArrayList<>(arrivals);
    order.sort(Comparator.comparingLong(LateArgument::remainingNanos));
    long slowBytes = order.stream().mapToLong(arrival -> arrival.object().bytes()).sum();
    int best = 0;
    long least = penaltyNanos(slowBytes, kernelNanos);
    for (int waited = 1; waited <= order.size(); waited++) {
      slowBytes -= order.get(waited - 1).object().bytes();
      long cost =
          order.get(waited - 1).remainingNanos()
              + (slowBytes == 0 ? 0 : penaltyNanos(slowBytes, kernelNanos));
      if (cost < least) {
        least = cost;
        best = waited;
      }
    }
    return order.subList(best, order.size()).stream().map(LateArgument::object).toList();
  }
}
