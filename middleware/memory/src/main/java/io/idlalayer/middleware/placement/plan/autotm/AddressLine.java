package io.idlalayer.middleware.placement.plan.autotm;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Offsets of tensors on a fast device, assigned as the device and cached-arrays would assign them.
 * A tensor goes into the smallest free region that is large enough; a large tensor goes to the
 * upper end of its region. A tensor that finds no region gets an offset beyond the end of the
 * device.
 */
final class AddressLine {
  /** A tensor is large from this share of the device on. */
  private static final long LARGE_SHARE = 8;

  private final long capacityBytes;
  private final TreeMap<Long, Long> free = new TreeMap<>();
  private final Map<Integer, long[]> used = new HashMap<>();
  private int behind;

  AddressLine(long capacityBytes) {
    this.capacityBytes = capacityBytes;
    free.put(0L, capacityBytes);
  }

  /** Places a tensor. */
  void add(int tensor, long bytes) {
    Map.Entry<Long, Long> best = null;
    for (Map.Entry<Long, Long> each : free.entrySet()) {
      if (each.getValue() >= bytes && (best == null || each.getValue() < best.getValue())) {
        best = each;
      }
    }
    if (best == null) {
      behind++;
      used.put(tensor, new long[] {capacityBytes, bytes});
      return;
    }
    long start = best.getKey();
    long left = best.getValue() - bytes;
    boolean high = bytes >= capacityBytes / LARGE_SHARE;
    free.remove(start);
    if (left > 0) {
      free.put(high ? start : start + bytes, left);
    }
    used.put(tensor, new long[] {high ? start + left : start, bytes});
  }

  /** Frees the region of a tensor. */
  void remove(int tensor) {
    long[] region = used.remove(tensor);
    if (region == null) {
      return;
    }
    if (region[0] >= capacityBytes) {
      behind--;
      return;
    }
    long start = region[0];
    long bytes = region[1];
    Map.Entry<Long, Long> before = free.lowerEntry(start);
    if (before != null && before.getKey() + before.getValue() == start) {
      free.remove(before.getKey());
      start = before.getKey();
      bytes += before.getValue();
    }
    Long after = free.remove(start + bytes);
    free.put(start, after == null ? bytes : bytes + after);
  }

  /** Returns whether a tensor lies behind the device's end. */
  boolean overflows() {
    return behind > 0;
  }
}
