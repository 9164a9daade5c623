package io.idlalayer.middleware.memory.device;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and writes a file past the operating system's page cache, in whole blocks, with buffers
 * made by {@link #buffer}. Any thread; threads that write the same block need an order of their
 * own. An interrupt of a thread that reads or writes closes the file.
 */
final class DirectFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DirectFile.class);

  /**
   * File systems in DRAM, which allow direct access although they have no medium past the page
   * cache.
   */
  private static final Set<String> RAM_DISKS = Set.of("tmpfs", "ramfs");

  private final FileChannel channel;
  private final int blockBytes;

  /**
   * @param channel open for direct access
   * @param blockBytes size of a block, a power of two
   */
  DirectFile(FileChannel channel, int blockBytes) {
    this.channel = channel;
    this.blockBytes = blockBytes;
  }

  /**
   * Opens an existing file for direct access; null if its file system allows no access past the
   * page cache.
   */
  static @Nullable DirectFile openIfPossible(Path file) {
    try {
      return open(file);
    } catch (IOException refused) {
      LOG.debug("{} cannot be opened past the page cache: {}", file, refused.getMessage());
      return null;
    }
  }

  /**
   * Opens an existing file for direct access.
   *
   * @throws IOException if its file system allows no access past the page cache; the message says
   *     why
   */
  static DirectFile open(Path file) throws IOException {
    FileStore store = Files.getFileStore(file);
    if (RAM_DISKS.contains(store.type())) {
      throw new IOException(
          "a file system of type %s is DRAM and has no medium past the page cache"
              .formatted(store.type()));
    }
    int block = Math.toIntExact(store.getBlockSize());
    if (Integer.bitCount(block) != 1) {
      throw new IOException(
          "the blocks of its file system have %,d bytes, which is no power of two"
              .formatted(block));
    }
    try {
      return new DirectFile(
          FileChannel.open(
              file, StandardOpenOption.READ, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT),
          block);
    } catch (IOException | UnsupportedOperationException refused) {
      throw new IOException(
          "its file system of type %s refuses access past the page cache (O_DIRECT): %s"
              .formatted(store.type(), refused.getMessage()),
          refused);
    }
  }

  /** Returns the block size; offsets and lengths must be multiples of it. */
  int blockBytes() {
    return blockBytes;
  }

  /**
   * Returns a new buffer whose address is aligned to a block.
   *
   * @param bytes a multiple of the block
   */
  ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes + blockBytes)
        .alignedSlice(blockBytes)
        .limit(bytes)
        .slice();
  }

  /** Reads from an offset of the file into a buffer, from the buffer's position to its limit. */
  void read(long offset, ByteBuffer into) throws IOException {
    long at = offset;
    while (into.hasRemaining()) {
      int got = channel.read(into, at);
      if (got <= 0) {
        throw new EOFException("the file ends at " + at);
      }
      at += got;
    }
  }

  /**
   * Writes a buffer, from its position to its limit, to an offset of the file; returns when the
   * medium has the bytes.
   */
  void write(long offset, ByteBuffer from) throws IOException {
    long at = offset;
    while (from.hasRemaining()) {
      int put = channel.write(from, at);
      if (put <= 0) {
        throw new IOException("the medium takes no more bytes at " + at);
      }
      at += put;
    }
  }

  /** Gives the blocks of the file back to its file system; the file is empty afterwards. */
  void truncate() throws IOException {
    channel.truncate(0);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
