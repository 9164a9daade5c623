package io.idlalayer.middleware.models.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** The steps that change a model folder, one by one, so that tests can fail any of them. */
interface FileOperations {
  /** Creates a folder, and those above it that are missing. */
  void createFolder(Path folder) throws IOException;

  /** Creates a file with this content and syncs it. */
  void write(Path file, byte[] content) throws IOException;

  /** Syncs a folder, so that names in it survive a power cut. */
  void syncFolder(Path folder) throws IOException;

  /** Renames atomically. A file of the new name is replaced; a folder that is not empty is not. */
  void move(Path from, Path to) throws IOException;

  /** Deletes a file or an empty folder, if it is there. */
  void delete(Path file) throws IOException;

  /** The real file system. */
  static FileOperations system() {
    return new FileOperations() {
      @Override
      public void createFolder(Path folder) throws IOException {
        Files.createDirectories(folder);
      }

      @Override
      public void write(Path file, byte[] content) throws IOException {
        try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
          ByteBuffer bytes = ByteBuffer.wrap(content);
          while (bytes.hasRemaining()) {
            channel.write(bytes);
          }
          channel.force(true);
        }
      }

      @Override
      public void syncFolder(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
          channel.force(true);
        }
      }

      @Override
      public void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      }

      @Override
      public void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
      }
    };
  }
}
