package io.idlalayer.jobs.settings.memory;

import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.placement.PlacementName;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The settings for placing the tensors of models on DRAM and the slow device during a training.
 *
 * @param fastBytes DRAM for the tensors of all learners in a process; with 0, all are in DRAM
 * @param slowDirectory directory of the others; null: {@code tensors} in the work directory
 * @param slowBytes size of such a file, one for each training that may run at a time
 * @param access way to access such a file
 * @param policy the policy that chooses the device of each tensor
 */
public record Tensors(
    long fastBytes,
    @Nullable String slowDirectory,
    long slowBytes,
    FileAccess access,
    PlacementName policy)
    implements Serializable {
  /** Default ratio of bytes on the slow device to bytes in DRAM. */
  public static final int DEFAULT_SLOW_RATIO = 4;

  /** The settings with which no tensors are placed: all are in DRAM. */
  public static final Tensors NONE = new Tensors(0, null, 0, FileAccess.MAPPED, PlacementName.AUTO);

  /** Returns whether tensors are placed on two devices at all. */
  public boolean placed() {
    return fastBytes > 0;
  }
}
