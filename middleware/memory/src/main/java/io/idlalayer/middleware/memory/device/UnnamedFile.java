package io.idlalayer.middleware.memory.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Creates the files of arenas. Such a file has no name once it is open, so a killed process leaves
 * nothing behind.
 */
final class UnnamedFile {
  private UnnamedFile() {}

  /** Opens a file in one or several ways, all before its name is deleted. */
  @FunctionalInterface
  interface Opening<T> {
    T open(Path file) throws IOException;
  }

  /**
   * Creates an empty file, opens it and deletes its name.
   *
   * @param directory must exist and have room for the device's bytes
   */
  static <T> T create(DeviceSpec spec, Path directory, Opening<T> opening) throws IOException {
    // 0 if the system does not know, or the directory does not exist.
    long room = directory.toFile().getUsableSpace();
    if (room > 0 && room < spec.capacityBytes()) {
      throw new IOException("its file system has room for %,d bytes only".formatted(room));
    }
    return create(directory, opening);
  }

  /** Creates an empty file for bytes of any number; otherwise like the other method. */
  static <T> T create(Path directory, Opening<T> opening) throws IOException {
    Path file = Files.createTempFile(directory, "idla-arena-", ".bin");
    try {
      return opening.open(file);
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
