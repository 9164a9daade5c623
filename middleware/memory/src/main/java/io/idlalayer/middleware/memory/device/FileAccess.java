package io.idlalayer.middleware.memory.device;

import java.nio.file.Path;

/** Ways to access the file of a slow device. */
public enum FileAccess {
  /** Mapped into memory. Without DAX, the bytes of the file stay in the page cache. */
  MAPPED,
  /** By direct I/O, past the page cache. Kernels work on copies of the bytes on the fast device. */
  DIRECT;

  /** Least alignment of regions, so that a copy rarely covers a block of the file partly. */
  private static final int DIRECT_ALIGN_BYTES = 4096;

  /** Returns the size to which regions in such a file are rounded, in bytes. */
  public int alignBytes() {
    return this == DIRECT ? DIRECT_ALIGN_BYTES : DeviceSpec.DEFAULT_ALIGN_BYTES;
  }

  /** Returns whether kernels can access the bytes of such a file by loads and stores. */
  public boolean byLoadsAndStores() {
    return this == MAPPED;
  }

  /**
   * Creates an arena in a file that is accessed in this way.
   *
   * @param directory existing directory in which the file is created; it has no name afterwards
   * @throws DeviceFailureException if the file cannot be made or accessed in this way
   */
  public Arena open(DeviceSpec spec, Path directory) {
    return switch (this) {
      case MAPPED -> new MappedArena(spec, directory, MappedArena.Options.DEFAULT);
      case DIRECT -> new FileArena(spec, directory);
    };
  }
}
