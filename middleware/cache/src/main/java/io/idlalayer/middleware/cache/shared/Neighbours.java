package io.idlalayer.middleware.cache.shared;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of other processes of this user on this host, at most 15 of them. Lookups are safe from
 * any thread; {@link #scan} is called by one.
 */
final class Neighbours implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Neighbours.class);

  /** Largest number of files that are read. */
  static final int FILES_MAX = 15;

  private final SharedDirectory directory;
  private final Path own;

  /** Files that were skipped at the last scan, so that each is logged only once. */
  private Set<List<Object>> skipped = new HashSet<>();

  private volatile NeighbourFile[] files = {};
  private volatile int answeredLast;
  private long skippedFiles;
  private long damagedBefore;

  /**
   * @param own the file of this process
   */
  Neighbours(SharedDirectory directory, Path own) {
    this.directory = directory;
    this.own = own;
  }

  NeighbourFile[] files() {
    return files;
  }

  /** Returns how many files were skipped so far because they cannot be used. */
  synchronized long skippedFiles() {
    return skippedFiles;
  }

  /** Returns how many records were found whose checksum did not match. */
  synchronized long damaged() {
    long damaged = damagedBefore;
    for (NeighbourFile file : files) {
      damaged += file.damaged();
    }
    return damaged;
  }

  /** A payload and the file that has it. */
  record Answer(NeighbourFile file, byte[] payload) {}

  /** Returns a payload that a neighbour has, or null. */
  @Nullable Answer get(PayloadDigest digest) {
    NeighbourFile[] all = files;
    int first = answeredLast < all.length ? answeredLast : 0;
    for (int i = 0; i < all.length; i++) {
      int at = (first + i) % all.length;
      byte[] payload = all[at].get(digest);
      if (payload != null) {
        if (at != answeredLast) {
          answeredLast = at;
        }
        return new Answer(all[at], payload);
      }
    }
    return null;
  }

  /** Returns whether the file of a neighbour lists a payload. */
  boolean list(PayloadDigest digest) {
    for (NeighbourFile file : files) {
      if (file.lists(digest)) {
        return true;
      }
    }
    return false;
  }

  /** Looks for files that were created, deleted or replaced. */
  synchronized void scan() {
    List<NeighbourFile> next = new ArrayList<>();
    Set<List<Object>> nowSkipped = new HashSet<>();
    for (Path path : paths()) {
      if (next.size() < FILES_MAX && !path.equals(own)) {
        NeighbourFile file = look(path, nowSkipped);
        if (file != null) {
          next.add(file);
        }
      }
    }
    NeighbourFile[] before = files;
    files = next.toArray(NeighbourFile[]::new);
    skipped = nowSkipped;
    for (NeighbourFile old : before) {
      if (!next.contains(old)) {
        close(old);
      }
    }
  }

  private List<Path> paths() {
    try {
      return directory.files();
    } catch (IOException unreadable) {
      LOG.warn("{} cannot be read, no neighbour is used", directory.path(), unreadable);
      return List.of();
    }
  }

  private @Nullable NeighbourFile look(Path path, Set<List<Object>> nowSkipped) {
    NeighbourFile known = known(path);
    Object key = null;
    try {
      key = OwnerLock.key(path);
      if (key == null) {
        return null;
      }
      directory.owned().requireFile(path);
      if (known != null && known.open() && Objects.equals(known.key(), key)) {
        if (known.whole()) {
          known.retryMapping();
          return known;
        }
        throw new UnusableFileException("it was cut while it was mapped");
      }
      return new NeighbourFile(path, key);
    } catch (IOException unusable) {
      List<Object> which = List.of(path, key == null ? "" : key);
      nowSkipped.add(which);
      if (!skipped.contains(which)) {
        skippedFiles++;
        LOG.warn("{} is not used: {}", path, unusable.getMessage());
      }
      return null;
    }
  }

  private @Nullable NeighbourFile known(Path path) {
    for (NeighbourFile file : files) {
      if (file.path().equals(path)) {
        return file;
      }
    }
    return null;
  }

  private void close(NeighbourFile old) {
    damagedBefore += old.damaged();
    try {
      old.close();
    } catch (IOException failed) {
      LOG.warn("{} could not be closed", old.path(), failed);
    }
  }

  @Override
  public synchronized void close() {
    NeighbourFile[] before = files;
    files = new NeighbourFile[0];
    for (NeighbourFile old : before) {
      close(old);
    }
  }
}
