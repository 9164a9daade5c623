package io.idlalayer.middleware.models.storage.folder;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Map;

/**
 * The file operations that change a model folder. They are separate methods so that tests can make
 * each of them fail.
 */
public interface FileOperations {
  /** Name of the threads that write files beside the calling one. */
  String WRITER_THREADS = "model-file-writer";

  /** Creates a folder, and those above it that are missing. */
  void createFolder(Path folder) throws IOException;

  /** Creates a file with the given content and syncs it to disk. */
  void write(Path file, byte[] content) throws IOException;

  /** Creates several files with the given contents and syncs them to disk, in any order. */
  void write(Map<Path, byte[]> files) throws IOException;

  /**
   * Copies a file to a new file and syncs the new file to disk.
   *
   * @param digest is updated with the copied bytes
   * @return number of bytes
   */
  long copy(Path from, Path to, MessageDigest digest) throws IOException;

  /** Syncs a folder to disk, so that names in it survive a power cut. */
  void syncFolder(Path folder) throws IOException;

  /**
   * Renames a file or folder atomically. Replaces a file of the new name, but not a folder that has
   * entries.
   */
  void move(Path from, Path to) throws IOException;

  /** Deletes a file or an empty folder, if it is there. */
  void delete(Path file) throws IOException;

  /** Returns the operations of the real file system. */
  static FileOperations system() {
    return new FileOperations() {
      @Override
      public void createFolder(Path folder) throws IOException {
        Files.createDirectories(folder);
      }

      @Override
      public void write(Path file, byte[] content) throws IOException {
        FileWrites.write(file, content);
      }

      @Override
      public void write(Map<Path, byte[]> files) throws IOException {
        FileWrites.write(files);
      }

      @Override
      public long copy(Path from, Path to, MessageDigest digest) throws IOException {
        long copied = 0;
        try (InputStream in = Files.newInputStream(from);
            FileChannel channel =
                FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
          byte[] part = new byte[1 << 20];
          for (int count = in.read(part); count >= 0; count = in.read(part)) {
            digest.update(part, 0, count);
            ByteBuffer bytes = ByteBuffer.wrap(part, 0, count);
            while (bytes.hasRemaining()) {
              channel.write(bytes);
            }
            copied += count;
          }
          channel.force(true);
        }
        return copied;
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
