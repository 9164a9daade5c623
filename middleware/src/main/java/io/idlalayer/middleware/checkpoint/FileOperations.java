package io.idlalayer.middleware.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** The steps that make a publication durable, one by one, so that tests can fail any of them. */
interface FileOperations {
  /** Creates a file with this content and syncs it. */
  void write(Path file, byte[] content) throws IOException;

  /** Syncs a folder, so that names in it survive a power cut. */
  void syncFolder(Path folder) throws IOException;

  /** Renames atomically, replacing a file of that name. */
  void move(Path from, Path to) throws IOException;

  void delete(Path file) throws IOException;

  /** The real file system. */
  static FileOperations system() {
    return new FileOperations() {
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
