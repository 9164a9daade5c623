package io.idlalayer.middleware.cache.shared;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes shared cache files of dead processes of any cluster of this user if the files have not
 * been used for some time. The file of a living process is locked and is never deleted.
 */
final class AbandonedFiles {
  private static final Logger LOG = LoggerFactory.getLogger(AbandonedFiles.class);

  /** Age at which a starting process deletes the files of others. */
  static final Duration AGE = Duration.ofHours(24);

  private final Duration age;

  /**
   * @param age time without use after which a file is deleted
   */
  AbandonedFiles(Duration age) {
    this.age = age;
  }

  /**
   * Deletes old files.
   *
   * @param nowMillis epoch milliseconds
   * @return number of deleted files
   */
  int sweep(SharedDirectory directory, long nowMillis) throws IOException {
    int deleted = 0;
    for (Path file : directory.files()) {
      if (delete(directory, file, nowMillis)) {
        deleted++;
      }
    }
    return deleted;
  }

  /** Deletes a file if it is old enough and no living process owns it; returns whether it did. */
  boolean delete(SharedDirectory directory, Path file, long nowMillis) {
    try {
      directory.owned().requireFile(file);
      // If the clock was set back, files must still be deleted at some time.
      if (Math.abs(nowMillis - lastUseMillis(file)) < age.toMillis()) {
        return false;
      }
      try (OwnerLock lock = OwnerLock.take(file, directory.owned())) {
        if (lock == null) {
          return false;
        }
        Files.deleteIfExists(file);
        lock.delete();
      }
      LOG.info("deleted the shared cache file {} of a dead process", file);
      return true;
    } catch (IOException foreign) {
      LOG.debug("{} is left as it is: {}", file, foreign.toString());
      return false;
    }
  }

  /** Returns when a file was used last, epoch milliseconds. */
  static long lastUseMillis(Path file) throws IOException {
    byte[] head;
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      head = NeighbourFile.head(channel);
    }
    try {
      FileLayout.decode(head);
      return ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getLong(FileLayout.LAST_USE_AT);
    } catch (UnusableFileException | IndexOutOfBoundsException noHeader) {
      return Files.getLastModifiedTime(file).toMillis();
    }
  }
}
