package io.idlalayer.middleware.memory.device;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file past the page cache in the heap of a test: takes whole blocks from aligned buffers only,
 * at most a few blocks at a time, and is closed by an interrupt of a thread that reads or writes
 * it, as real ones are. Fails on demand.
 */
public final class BlockFile extends FileChannel {
  /** Size of a block, in bytes. */
  public static final int BLOCK_BYTES = 64;

  private static final int MOST_BLOCKS = 3;

  private final int mostBytes;
  private byte[] bytes = new byte[0];

  /** Number of reads so far, and of writes. */
  public final AtomicInteger reads = new AtomicInteger();

  public final AtomicInteger writes = new AtomicInteger();

  /** Called at the start of each transfer, on its thread. */
  public volatile Runnable before = () -> {};

  /** Error of the next transfers; null for none. */
  public volatile String failure;

  /**
   * @param mostBytes size at which it is full
   */
  public BlockFile(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** A new arena in a file of its own, which is never full. */
  public static FileArena arena(DeviceSpec spec) {
    return new BlockFile(Integer.MAX_VALUE).open(spec);
  }

  /** An arena in this file. */
  public FileArena open(DeviceSpec spec) {
    return new FileArena(spec, Path.of("heap"), new DirectFile(this, BLOCK_BYTES));
  }

  private interface Transfer {
    int run(int at, int count) throws IOException;
  }

  private int transfer(ByteBuffer buffer, long position, Transfer transfer) throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    boolean done = false;
    begin();
    try {
      before.run();
      if (failure != null) {
        throw new IOException(failure);
      }
      if (position % BLOCK_BYTES != 0
          || buffer.remaining() % BLOCK_BYTES != 0
          || buffer.alignmentOffset(buffer.position(), BLOCK_BYTES) != 0) {
        throw new IOException("Invalid argument");
      }
      int count = Math.min(buffer.remaining(), MOST_BLOCKS * BLOCK_BYTES);
      int moved;
      synchronized (this) {
        moved = transfer.run(Math.toIntExact(position), count);
      }
      done = true;
      return moved;
    } finally {
      end(done);
    }
  }

  @Override
  public int read(ByteBuffer into, long position) throws IOException {
    reads.incrementAndGet();
    return transfer(
        into,
        position,
        (at, count) -> {
          int there = Math.min(count, bytes.length - at);
          into.put(bytes, at, Math.max(0, there));
          return there <= 0 ? -1 : there;
        });
  }

  @Override
  public int write(ByteBuffer from, long position) throws IOException {
    writes.incrementAndGet();
    return transfer(
        from,
        position,
        (at, count) -> {
          if (at + count > mostBytes) {
            throw new IOException("No space left on device");
          }
          if (at + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, at + count);
          }
          from.get(bytes, at, count);
          return count;
        });
  }

  @Override
  public synchronized long size() {
    return bytes.length;
  }

  @Override
  public synchronized FileChannel truncate(long size) {
    bytes = Arrays.copyOf(bytes, (int) Math.min(size, bytes.length));
    return this;
  }

  @Override
  protected void implCloseChannel() {}

  private static UnsupportedOperationException unused() {
    return new UnsupportedOperationException("not used by a direct file");
  }

  @Override
  public int read(ByteBuffer dst) {
    throw unused();
  }

  @Override
  public long read(ByteBuffer[] dsts, int offset, int length) {
    throw unused();
  }

  @Override
  public int write(ByteBuffer src) {
    throw unused();
  }

  @Override
  public long write(ByteBuffer[] srcs, int offset, int length) {
    throw unused();
  }

  @Override
  public long position() {
    throw unused();
  }

  @Override
  public FileChannel position(long newPosition) {
    throw unused();
  }

  @Override
  public void force(boolean metaData) {
    throw unused();
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) {
    throw unused();
  }

  @Override
  public long transferFrom(ReadableByteChannel src, long position, long count) {
    throw unused();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) {
    throw unused();
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) {
    throw unused();
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) {
    throw unused();
  }
}
