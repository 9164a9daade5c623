package io.idlalayer.middleware.cache.shared;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared cache files of this user in a directory, for commands that people run outside of a
 * job. A file of a living process is in use and is not deleted.
 */
public final class SharedCacheFiles {
  private static final Logger LOG = LoggerFactory.getLogger(SharedCacheFiles.class);

  private final Optional<SharedDirectory> directory;
  private final AbandonedFiles abandoned;

  /**
   * A file.
   *
   * @param bytes length of the file; on a tmpfs, all of it takes memory
   * @param lastUse when a process used it last
   * @param inUse whether a living process owns it
   */
  public record Found(Path file, long bytes, Instant lastUse, boolean inUse) {}

  /**
   * @param parent the directory of all users, such as {@code /dev/shm}
   * @throws IOException if the directory is missing, or another user could write the files in it
   */
  public SharedCacheFiles(Path parent) throws IOException {
    directory = SharedDirectory.existing(parent);
    abandoned = new AbandonedFiles(Duration.ZERO);
  }

  /** Returns the files of all jobs of this user, at most {@value SharedDirectory#FILES_MAX}. */
  public List<Found> list() throws IOException {
    List<Found> found = new ArrayList<>();
    if (exists()) {
      for (Path file : directory.get().files()) {
        // The process of the file can delete it in the meantime.
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
          found.add(found(file, directory.get().owned()));
        }
      }
    }
    return found;
  }

  private boolean exists() {
    return directory.isPresent() && Files.exists(directory.get().path(), LinkOption.NOFOLLOW_LINKS);
  }

  private static Found found(Path file, OwnedPaths owned) throws IOException {
    owned.requireFile(file);
    boolean inUse;
    try (OwnerLock lock = OwnerLock.take(file, owned)) {
      inUse = lock == null;
    }
    Instant used = Instant.ofEpochMilli(AbandonedFiles.lastUseMillis(file));
    return new Found(file, Files.size(file), used, inUse);
  }

  /**
   * Deletes the files that no living process owns, and the user's directory if nothing is left.
   *
   * @param nowMillis epoch milliseconds
   * @return the files that were deleted
   */
  public List<Found> deleteUnused(long nowMillis) throws IOException {
    List<Found> deleted = new ArrayList<>();
    for (Found each : list()) {
      if (!each.inUse() && abandoned.delete(directory.orElseThrow(), each.file(), nowMillis)) {
        deleted.add(each);
      }
    }
    if (exists()) {
      try {
        Files.delete(directory.get().path());
      } catch (DirectoryNotEmptyException used) {
        LOG.debug("{} stays, because it is not empty", directory.get().path(), used);
      }
    }
    return deleted;
  }
}
