package io.idlalayer.middleware.models.storage.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A complete copy, open for reading. It can be read to its end even if another process deletes it
 * meanwhile. One thread.
 */
final class CopyFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CopyFile.class);
  private static final int NONE = -1;

  private final CopyName name;
  private final Path path;
  private final Object key;
  private final FileChannel channel;
  private final ByteBuffer trailer;
  private final byte[] block;

  /** Number of the block in {@link #block}. */
  private int loaded = NONE;

  private CopyFile(CopyName name, Path path, Object key, FileChannel channel, ByteBuffer trailer) {
    this.name = name;
    this.path = path;
    this.key = key;
    this.channel = channel;
    this.trailer = trailer;
    block = new byte[CopyFormat.blockBytes(name.bytes(), 0)];
  }

  /**
   * Opens the copy of a file, and notes that it is used.
   *
   * @return null if there is none
   * @throws DamagedCopyException if it has another length or no footer; it is deleted
   * @throws IOException if it cannot be read, or another user could write it
   */
  static @Nullable CopyFile open(
      CacheFolder folder, CopyName name, Instant now, CacheOperations operations)
      throws IOException {
    Path path = folder.copy(name);
    Object key = CacheFolder.key(path);
    if (key == null) {
      return null;
    }
    FileChannel channel;
    try {
      folder.requireFile(path);
      channel = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException deleted) {
      LOG.debug("{} was deleted by another process", path, deleted);
      return null;
    }
    CopyFile opened = null;
    try {
      ByteBuffer trailer = trailer(channel, name);
      opened = new CopyFile(name, path, key, channel, trailer);
      touch(path, now);
      return opened;
    } catch (DamagedCopyException damaged) {
      folder.deleteIfSame(path, key, operations);
      throw damaged;
    } finally {
      if (opened == null) {
        channel.close();
      }
    }
  }

  private static ByteBuffer trailer(FileChannel channel, CopyName name) throws IOException {
    long expected = CopyFormat.fileBytes(name.bytes());
    if (channel.size() != expected) {
      throw new DamagedCopyException(
          String.format(Locale.ROOT, "it has %d bytes instead of %d", channel.size(), expected));
    }
    ByteBuffer trailer = CopyFormat.trailer(name.bytes());
    read(channel, trailer, name.bytes());
    if (!CopyFormat.isComplete(trailer.flip(), name.bytes())) {
      throw new DamagedCopyException("it has no footer of this format");
    }
    return trailer;
  }

  /** Notes the time of the last use, by which old copies are found. */
  private static void touch(Path path, Instant now) {
    try {
      Files.setLastModifiedTime(path, FileTime.from(now));
    } catch (IOException readOnlyOrDeleted) {
      LOG.debug("the last use of {} is not noted", path, readOnlyOrDeleted);
    }
  }

  private static void read(FileChannel channel, ByteBuffer into, long position) throws IOException {
    long at = position;
    while (into.hasRemaining()) {
      int count = channel.read(into, at);
      if (count < 0) {
        throw new DamagedCopyException("it has become shorter");
      }
      at += count;
    }
  }

  /**
   * Reads bytes of the content from one block.
   *
   * @param position from 0, below the length of the content
   * @return number of bytes, above 0
   * @throws DamagedCopyException if the block differs from its checksum
   */
  int read(long position, byte[] into, int from, int length) throws IOException {
    int number = (int) (position / CopyFormat.BLOCK_BYTES);
    int bytes = CopyFormat.blockBytes(name.bytes(), number);
    if (number != loaded) {
      load(number, bytes);
    }
    int at = (int) (position % CopyFormat.BLOCK_BYTES);
    int count = Math.min(length, bytes - at);
    System.arraycopy(block, at, into, from, count);
    return count;
  }

  private void load(int number, int bytes) throws IOException {
    loaded = NONE;
    read(channel, ByteBuffer.wrap(block, 0, bytes), (long) number * CopyFormat.BLOCK_BYTES);
    if (CopyFormat.checksum(block, bytes) != CopyFormat.checksumOf(trailer, number)) {
      throw new DamagedCopyException(
          String.format(
              Locale.ROOT,
              "the block from byte %d on does not have its checksum",
              (long) number * CopyFormat.BLOCK_BYTES));
    }
    loaded = number;
  }

  /** Deletes the copy, unless another process has replaced it. */
  void delete(CacheFolder folder, CacheOperations operations) throws IOException {
    folder.deleteIfSame(path, key, operations);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
