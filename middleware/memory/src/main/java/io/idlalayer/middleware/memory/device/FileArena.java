package io.idlalayer.middleware.memory.device;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An arena in a file that is read and written past the operating system's page cache, so that its
 * bytes take no DRAM. Its bytes can only be copied, through a few aligned buffers. A copy may begin
 * and end anywhere; one that covers a block of the file partly reads the rest of the block first,
 * unless nothing was written there. The file has no name once it is open, so a killed process
 * leaves nothing behind. Closing truncates the file, so its blocks return to the file system at
 * once.
 *
 * <p>An interrupt does not end a copy that is under way, and stays pending.
 */
public final class FileArena implements Arena {
  private static final Logger LOG = LoggerFactory.getLogger(FileArena.class);

  /** Largest piece, as in arenas with views, so that allocators lay regions out in one way. */
  private static final long MOST_PIECE_BYTES = 1L << 30;

  private static final int ZEROS = 1 << 20;

  private final String device;
  private final long capacityBytes;
  private final String description;
  private final DirectFile file;
  private final DirectTransfers transfers;
  private final int blockBytes;

  /**
   * Offset after the last byte of each block that was written since the arena was opened or the
   * block was discarded. Threads that write one block take turns, see {@link #lock}.
   */
  private final int[] written;

  /** A write that covers a block partly excludes other writes; others run beside one another. */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  private volatile boolean closed;

  /**
   * Creates a file in a directory, deletes its name at once, and writes all of its bytes, so that a
   * full file system is noticed now.
   *
   * @param directory must exist and have room, on a file system that allows access past the page
   *     cache
   * @throws DeviceFailureException if the file cannot be made, or can only be accessed through the
   *     page cache; the message says why
   */
  public FileArena(DeviceSpec spec, Path directory) {
    this(spec, directory, opened(spec, directory));
  }

  /**
   * @param file empty; closed with the arena, also if it cannot be made
   */
  FileArena(DeviceSpec spec, Path directory, DirectFile file) {
    device = spec.name();
    capacityBytes = spec.capacityBytes();
    description = "file past the page cache in " + directory;
    this.file = file;
    blockBytes = file.blockBytes();
    long fileBytes = aligned(capacityBytes);
    DirectTransfers started = null;
    boolean made = false;
    try {
      written = new int[Math.toIntExact(fileBytes / blockBytes)];
      started = new DirectTransfers(file, fileBytes);
      transfers = started;
      fill(fileBytes);
      made = true;
    } catch (IOException failed) {
      throw failure(spec, directory, failed);
    } finally {
      if (!made) {
        closed = true;
        release(started);
      }
    }
  }

  /**
   * Tries whether a directory can have files past the page cache, with an empty one.
   *
   * @throws IOException if not; the message says why
   */
  public static void check(Path directory) throws IOException {
    UnnamedFile.create(directory, DirectFile::open).close();
  }

  private static DirectFile opened(DeviceSpec spec, Path directory) {
    try {
      return UnnamedFile.create(spec, directory, DirectFile::open);
    } catch (IOException refused) {
      throw failure(spec, directory, refused);
    }
  }

  private static DeviceFailureException failure(
      DeviceSpec spec, Path directory, IOException failed) {
    return new DeviceFailureException(
        "device %s: no file of %,d bytes past the page cache could be made in %s: %s"
            .formatted(spec.name(), spec.capacityBytes(), directory, failed.getMessage()),
        failed);
  }

  private void fill(long fileBytes) throws IOException {
    ByteBuffer zeros = file.buffer((int) Math.min(aligned(ZEROS), fileBytes));
    for (long at = 0; at < fileBytes; at += zeros.capacity()) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), fileBytes - at));
      file.write(at, zeros);
    }
  }

  private long aligned(long bytes) {
    return (bytes + blockBytes - 1) & -blockBytes;
  }

  @Override
  public long capacityBytes() {
    return capacityBytes;
  }

  @Override
  public long pieceBytes() {
    return Math.min(MOST_PIECE_BYTES, capacityBytes);
  }

  @Override
  public ArenaPlaces places() {
    return ArenaPlaces.copied(capacityBytes);
  }

  @Override
  public ByteBuffer view(long offset, int bytes) {
    throw new UnsupportedOperationException(
        "device %s: bytes of a %s can only be copied, not viewed".formatted(device, description));
  }

  private void check(long offset, int bytes) {
    if (offset < 0 || offset > capacityBytes - bytes) {
      throw new IndexOutOfBoundsException(
          "device %s: bytes %d to %d are not all within its %d bytes"
              .formatted(device, offset, offset + bytes, capacityBytes));
    }
    if (closed) {
      throw new StaleRegionException("device " + device + " is closed");
    }
  }

  /** Copies as many bytes as a buffer takes at a time, 1 MiB at least; otherwise as specified. */
  @Override
  public int put(long offset, ByteBuffer source) {
    check(offset, source.remaining());
    if (!source.hasRemaining()) {
      return 0;
    }
    int head = (int) (offset % blockBytes);
    int length = Math.min(source.remaining(), transfers.bufferBytes() - head);
    boolean whole = head == 0 && length % blockBytes == 0;
    ByteBuffer buffer = transfers.take();
    Lock taken = whole ? lock.readLock() : lock.writeLock();
    taken.lock();
    try {
      if (!whole) {
        complete(offset - head, head, length, buffer);
      }
      buffer.clear().put(head, source, source.position(), length);
      transfers.write(offset - head, buffer.limit((int) aligned(head + length)));
      record(offset - head, head + length);
      source.position(source.position() + length);
      return length;
    } catch (IOException failed) {
      throw failed("writing", offset, length, failed);
    } finally {
      taken.unlock();
      transfers.give(buffer);
    }
  }

  /**
   * Reads the first and the last block of a write into its buffer, if they have bytes beside it
   * that were written before.
   *
   * @param start offset of the first block
   * @param head bytes of the first block before those that are written
   */
  private void complete(long start, int head, int length, ByteBuffer buffer) throws IOException {
    int first = (int) (start / blockBytes);
    int last = (int) ((start + head + length - 1) / blockBytes);
    boolean before = head > 0 && written[first] > 0;
    boolean after = written[last] > (head + length - 1) % blockBytes + 1;
    if (before || (after && first == last)) {
      transfers.read(start, buffer.slice(0, blockBytes));
    }
    if (after && first != last) {
      int at = (last - first) * blockBytes;
      transfers.read(start + at, buffer.slice(at, blockBytes));
    }
  }

  private void record(long start, int bytes) {
    int block = (int) (start / blockBytes);
    for (int at = 0; at < bytes; at += blockBytes) {
      written[block] = Math.max(written[block], Math.min(blockBytes, bytes - at));
      block++;
    }
  }

  @Override
  public void get(long offset, ByteBuffer target) {
    check(offset, target.remaining());
    long at = offset;
    ByteBuffer buffer = transfers.take();
    try {
      while (target.hasRemaining()) {
        int head = (int) (at % blockBytes);
        int length = Math.min(target.remaining(), transfers.bufferBytes() - head);
        transfers.read(at - head, buffer.clear().limit((int) aligned(head + length)));
        target.put(buffer.slice(head, length));
        at += length;
      }
    } catch (IOException failed) {
      throw failed("reading", at, target.remaining(), failed);
    } finally {
      transfers.give(buffer);
    }
  }

  private TieredMemoryException failed(String doing, long offset, int bytes, IOException failed) {
    return closed
        ? new StaleRegionException("device " + device + " was closed meanwhile")
        : new DeviceFailureException(
            "device %s: %s %,d bytes at offset %,d of a %s failed: %s"
                .formatted(device, doing, bytes, offset, description, failed.getMessage()),
            failed);
  }

  @Override
  public void discard(long offset, long bytes) {
    // Whole blocks only: neighbours have bytes in the others.
    int first = (int) (aligned(offset) / blockBytes);
    long end = offset + bytes;
    int past = (int) ((end == capacityBytes ? aligned(end) : end) / blockBytes);
    if (first < past) {
      Arrays.fill(written, first, past, 0);
    }
  }

  @Override
  public @Nullable DirectFile directFile() {
    return file;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    release(transfers);
  }

  /** Ends the file, and the transfers if they have begun. */
  private void release(@Nullable DirectTransfers begun) {
    try (file) {
      file.truncate();
    } catch (IOException e) {
      // The bytes are of no use any more; their blocks go with the open file.
      LOG.warn("the {} could not be truncated: {}", description, e.getMessage());
    } finally {
      if (begun != null) {
        begun.close();
      }
    }
  }
}
