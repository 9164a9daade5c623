package io.idlalayer.jobs.recovery;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.sample.text.JsonReason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes files that survive a power failure, and deletes folders. */
public final class Durable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Durable() {}

  /**
   * Writes a file whole or not at all. The file is written under another name, synced and renamed,
   * and then the folder is synced.
   */
  public static void write(Path file, byte[] content) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    Path staged = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel channel =
        FileChannel.open(
            staged,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer left = ByteBuffer.wrap(content);
      while (left.hasRemaining()) {
        channel.write(left);
      }
      channel.force(true);
    }
    Files.move(staged, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    syncFolder(folder);
  }

  /**
   * Writes a file whole unless it exists. If several processes call this at the same time, the file
   * of one process stays.
   */
  static void writeOnce(Path file, byte[] content) throws IOException {
    Path staged = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID());
    write(staged, content);
    try {
      Files.createLink(file, staged);
      syncFolder(file.toAbsolutePath().getParent());
    } catch (FileAlreadyExistsException another) {
      return;
    } finally {
      Files.deleteIfExists(staged);
    }
  }

  /**
   * Makes the names of the files in a folder durable. Does nothing if the folder is null or does
   * not exist.
   */
  static void syncFolder(@Nullable Path folder) throws IOException {
    if (folder == null || !Files.isDirectory(folder)) {
      return;
    }
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /**
   * Reads a file that contains JSON.
   *
   * @throws IOException with the name of the file, if the file is missing or is not JSON
   */
  public static JsonNode json(Path file) throws IOException {
    try {
      return JSON.readTree(Files.readAllBytes(file));
    } catch (JacksonException damaged) {
      throw new IOException("%s is damaged: %s".formatted(file, JsonReason.of(damaged)), damaged);
    } catch (java.nio.file.NoSuchFileException missing) {
      throw new IOException(file + " is missing", missing);
    }
  }

  /**
   * Returns the entries of a folder in the order of their names; an empty list if the path is not a
   * folder.
   */
  public static List<Path> children(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (var entries = Files.list(folder)) {
      return entries.sorted().toList();
    }
  }

  /**
   * Deletes a folder with everything in it. Another process is allowed to delete files in the
   * folder at the same time. Links are not followed.
   */
  public static void delete(Path entry) throws IOException {
    Files.walkFileTree(entry, new Deletion());
  }

  private static final class Deletion extends java.nio.file.SimpleFileVisitor<Path> {
    @Override
    public java.nio.file.FileVisitResult visitFile(
        Path file, java.nio.file.attribute.BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return java.nio.file.FileVisitResult.CONTINUE;
    }

    @Override
    public java.nio.file.FileVisitResult visitFileFailed(Path file, IOException failed)
        throws IOException {
      if (failed instanceof java.nio.file.NoSuchFileException) {
        return java.nio.file.FileVisitResult.CONTINUE;
      }
      throw failed;
    }

    @Override
    public java.nio.file.FileVisitResult postVisitDirectory(
        Path folder, @Nullable IOException failed) throws IOException {
      if (failed != null && !(failed instanceof java.nio.file.NoSuchFileException)) {
        throw failed;
      }
      Files.deleteIfExists(folder);
      return java.nio.file.FileVisitResult.CONTINUE;
    }
  }
}
