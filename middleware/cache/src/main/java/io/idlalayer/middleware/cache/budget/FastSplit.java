package io.idlalayer.middleware.cache.budget;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The bytes of DRAM that each use has. Immutable. */
public final class FastSplit {
  /** The split in which no use has bytes. */
  public static final FastSplit NONE = new FastSplit(Map.of());

  private final Map<FastUse, Long> bytes;

  /**
   * @param bytes bytes by use, none negative; a use without an entry has no bytes
   */
  public FastSplit(Map<FastUse, Long> bytes) {
    this.bytes = new EnumMap<>(FastUse.class);
    this.bytes.putAll(bytes);
    this.bytes.values().removeIf(each -> each == 0);
  }

  /** Returns the bytes of a use. */
  public long of(FastUse use) {
    return bytes.getOrDefault(use, 0L);
  }

  /** Returns this split with other bytes of one use. */
  public FastSplit with(FastUse use, long other) {
    Map<FastUse, Long> changed = new EnumMap<>(FastUse.class);
    changed.putAll(bytes);
    changed.put(use, other);
    return new FastSplit(changed);
  }

  /** Returns the bytes of all uses. */
  public long bytes() {
    return bytes.values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FastSplit split && bytes.equals(split.bytes);
  }

  @Override
  public int hashCode() {
    return bytes.hashCode();
  }

  @Override
  public String toString() {
    return bytes.entrySet().stream()
        .map(each -> String.format(Locale.ROOT, "%s %,d", each.getKey(), each.getValue()))
        .collect(Collectors.joining(", "));
  }
}
