package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlanFile.UnusablePlanException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps decisions about plans in files, one for each key, so that a restarted process need not plan
 * again. A file is written beside its place and moved there, so none is ever seen in part. A file
 * that is damaged, or that belongs to another key, is logged and counts as missing. The folder may
 * be deleted at any time. One thread at a time; several processes may share a folder.
 */
final class PlanFolder {
  /** Most files of the folder; those that were read or written least recently are deleted. */
  static final int MOST_FILES = 256;

  /** Most bytes of a file; larger ones are neither written nor read. */
  static final int MOST_FILE_BYTES = 4 << 20;

  /** Most bytes of all files. */
  static final long MOST_BYTES = 64L << 20;

  private static final Logger LOG = LoggerFactory.getLogger(PlanFolder.class);
  private static final String SUFFIX = ".plan";

  /** Suffix of files that are being written; their process has a lock on them. */
  private static final String PART_SUFFIX = ".part";

  private final Path folder;
  private final Listing listing;

  /** Lists a folder. */
  interface Listing {
    /**
     * @throws IOException also as the cause of an {@link UncheckedIOException} of the stream
     */
    Stream<Path> list(Path folder) throws IOException;
  }

  private PlanFolder(Path folder, Listing listing) {
    this.folder = folder;
    this.listing = listing;
  }

  /**
   * Opens a folder, and deletes the files that killed processes have left in it half written.
   *
   * @param folder created with the first file
   */
  static PlanFolder open(Path folder) {
    return open(folder, Files::list);
  }

  static PlanFolder open(Path folder, Listing listing) {
    PlanFolder opened = new PlanFolder(folder, listing);
    try {
      for (Path part : opened.files(PART_SUFFIX)) {
        deleteUnlessLocked(part);
      }
    } catch (IOException refused) {
      LOG.warn("the folder of plans {} cannot be cleaned: {}", folder, refused.toString());
    }
    return opened;
  }

  private static void deleteUnlessLocked(Path part) {
    try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
      if (channel.tryLock() != null) {
        Files.deleteIfExists(part);
      }
    } catch (OverlappingFileLockException writing) {
      LOG.debug("{} is being written by this process", part);
    } catch (NoSuchFileException gone) {
      LOG.debug("{} was written to its end, or deleted by another process", part);
    } catch (IOException refused) {
      LOG.warn(
          "{} was left by another process and cannot be deleted: {}", part, refused.toString());
    }
  }

  private List<Path> files(String suffix) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = listing.list(folder)) {
      return all.filter(file -> file.toString().endsWith(suffix)).toList();
    } catch (UncheckedIOException failed) {
      throw new IOException("the folder cannot be listed to its end", failed.getCause());
    }
  }

  /** Returns the file of a key. */
  Path file(PlanKey key) {
    return folder.resolve(key.digest() + SUFFIX);
  }

  /**
   * Returns the decision of a key; empty if there is none that can be used.
   *
   * @param step the step of the key
   */
  Optional<PlanDecision> read(PlanKey key, TaskGraph step) {
    Path file = file(key);
    try {
      long bytes = Files.size(file);
      if (bytes > MOST_FILE_BYTES || !Files.isRegularFile(file)) {
        throw new UnusablePlanException(
            "it is no file of at most %,d bytes".formatted(MOST_FILE_BYTES));
      }
      PlanFile content = PlanFile.decode(Files.readAllBytes(file));
      content.requireFor(key, step);
      touch(file);
      return Optional.of(content.decision());
    } catch (NoSuchFileException none) {
      return Optional.empty();
    } catch (IOException | RuntimeException unusable) {
      LOG.warn("{} cannot be used, so its step is planned anew: {}", file, unusable.toString());
      return Optional.empty();
    }
  }

  /** Marks a file as used. A folder that cannot be written still serves its decisions. */
  private static void touch(Path file) {
    try {
      Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis()));
    } catch (IOException refused) {
      LOG.debug("the time of {} cannot be set: {}", file, refused.toString());
    }
  }

  /** Writes a decision. A failure is logged; the step is planned again after the next start. */
  void write(PlanKey key, PlanDecision decision) {
    Path file = file(key);
    try {
      byte[] bytes = new PlanFile(key, decision).encoded();
      if (bytes.length > MOST_FILE_BYTES) {
        throw new UnusablePlanException(
            "it has %,d bytes, a file has at most %,d".formatted(bytes.length, MOST_FILE_BYTES));
      }
      Files.createDirectories(folder);
      Path part = Files.createTempFile(folder, "", PART_SUFFIX);
      try {
        write(bytes, part, file);
      } finally {
        Files.deleteIfExists(part);
      }
      sweep();
    } catch (IOException failed) {
      LOG.warn("the plan of a step cannot be written to {}: {}", file, failed.toString());
    }
  }

  private static void write(byte[] content, Path part, Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
      lock(channel, part);
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
      // Under the lock, so that no other process takes the part for one that was left.
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Locks a part until its channel is closed. */
  private static void lock(FileChannel channel, Path part) {
    try {
      channel.lock();
    } catch (IOException unsupported) {
      // Then another process that opens the folder at this moment may delete the part, and the step
      // is planned again after the next start.
      LOG.debug("{} cannot be locked: {}", part, unsupported.toString());
    }
  }

  /** A file with the time of its last use. */
  private record Used(Path file, FileTime at) {}

  private void sweep() throws IOException {
    long bytes = 0;
    int count = 0;
    List<Used> newestFirst =
        files(SUFFIX).stream()
            .map(file -> new Used(file, modified(file)))
            .sorted(Comparator.comparing(Used::at).reversed())
            .toList();
    for (Used each : newestFirst) {
      bytes += size(each.file());
      if (++count > MOST_FILES || bytes > MOST_BYTES) {
        Files.deleteIfExists(each.file());
      }
    }
  }

  private static long size(Path file) throws IOException {
    try {
      return Files.size(file);
    } catch (NoSuchFileException gone) {
      // Another process has deleted it.
      return 0;
    }
  }

  private static FileTime modified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException gone) {
      // Another process has deleted it.
      return FileTime.fromMillis(0);
    }
  }
}
