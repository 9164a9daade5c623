package io.idlalayer.middleware.models.storage.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/** The operations by which a cache changes its folder, so that tests can make any of them fail. */
interface CacheOperations {
  /** Writes all remaining bytes at a position of an open file. */
  void write(FileChannel file, ByteBuffer content, long position) throws IOException;

  /**
   * Locks an open file.
   *
   * @return null if another process has it locked
   */
  @Nullable FileLock tryLock(FileChannel file) throws IOException;

  /** Renames a file atomically, and replaces a file of the new name. */
  void move(Path from, Path to) throws IOException;

  /** Deletes a file, if it is there. */
  void delete(Path file) throws IOException;

  /** Returns the number of bytes that this process can still write in a folder's file system. */
  long usableBytes(Path folder) throws IOException;

  /** Returns the operations of the real file system. */
  static CacheOperations system() {
    return new CacheOperations() {
      @Override
      public void write(FileChannel file, ByteBuffer content, long position) throws IOException {
        long at = position;
        while (content.hasRemaining()) {
          at += file.write(content, at);
        }
      }

      @Override
      public @Nullable FileLock tryLock(FileChannel file) throws IOException {
        return file.tryLock();
      }

      @Override
      public void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      }

      @Override
      public void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
      }

      @Override
      public long usableBytes(Path folder) throws IOException {
        return Files.getFileStore(folder).getUsableSpace();
      }
    };
  }
}
