package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.lending.borrower.Borrower;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.placement.PlacementName;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the tensor memory: a fast device of DRAM outside the heap and a slow one of a
 * file, to which memory of other processes can be added.
 *
 * @param fastBytes bytes of DRAM, which count against {@code -XX:MaxDirectMemorySize}
 * @param slowDirectory existing directory in which the file is created; the file is then unlinked,
 *     so it has no name
 * @param slowBytes size of the file
 * @param access way to access the file
 * @param loans memory of other processes, as further places of the slow device; null if no memory
 *     is borrowed
 */
public record TensorSettings(
    long fastBytes,
    Path slowDirectory,
    long slowBytes,
    PlacementName policy,
    FileAccess access,
    @Nullable TensorLoans loans)
    implements TensorPlacement {
  public TensorSettings {
    if (fastBytes <= 0 || slowBytes <= 0) {
      throw new IllegalArgumentException(
          "tensors in %d fast and %d slow bytes; both must be above 0"
              .formatted(fastBytes, slowBytes));
    }
    if (loans != null && !access.byLoadsAndStores()) {
      throw new IllegalArgumentException(
          "memory of other processes cannot be added to a file past the page cache: kernels need a"
              + " place of the slow device that they can access by loads and stores");
    }
  }

  /** Creates settings with a mapped file and without memory of other processes. */
  public TensorSettings(long fastBytes, Path slowDirectory, long slowBytes, PlacementName policy) {
    this(fastBytes, slowDirectory, slowBytes, policy, FileAccess.MAPPED, null);
  }

  /** Returns the size to which regions on the slow device are rounded, in bytes. */
  int slowAlignBytes() {
    return loans == null ? access.alignBytes() : Borrower.BLOCK_BYTES;
  }

  /**
   * Creates devices that are acquired and measured at their first use, which takes a fraction of a
   * second.
   */
  @Override
  public TensorDevices devices() {
    return new MeasuredDevices(this);
  }

  /**
   * Returns the settings of one of several parts: each part has an equal share of the fast bytes
   * and of the loans, and a slow device of the full size.
   *
   * @param parts number of parts, at least 1
   * @throws IllegalArgumentException if a part would have fewer than {@code leastBytes} fast bytes
   */
  public TensorSettings part(int parts, long leastBytes) {
    long each = fastBytes / parts & -DeviceSpec.DEFAULT_ALIGN_BYTES;
    if (each < leastBytes) {
      throw new IllegalArgumentException(
          "%,d fast bytes for tensors are not enough for %d trainings at a time in one process, which need %,d each, %,d together"
              .formatted(fastBytes, parts, leastBytes, parts * leastBytes));
    }
    return new TensorSettings(
        each, slowDirectory, slowBytes, policy, access, loans == null ? null : loans.part(parts));
  }
}
