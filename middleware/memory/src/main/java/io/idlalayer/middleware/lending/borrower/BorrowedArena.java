package io.idlalayer.middleware.lending.borrower;

import io.idlalayer.middleware.lending.wire.ProtocolException;
import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.DeviceLostException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * An arena in the memory of a lender. Its bytes can only be copied. What is read is compared with
 * the checksums of what was written, block by block, so that a lender that forgets, confuses or
 * invents bytes is a lost lender and never gives wrong ones. Bytes that were not written since the
 * arena was opened or since they were discarded are 0, without a request.
 */
final class BorrowedArena implements Arena {
  /**
   * Most bytes of one request, which with the rests of two blocks is below the protocol's limit.
   */
  private static final int MOST_BYTES = 1 << 20;

  private static final long MOST_PIECE_BYTES = 1 << 30;

  private final long bytes;
  private final LoanKeeper keeper;
  private final BlockTable blocks;

  /**
   * A write that covers a block partly needs the rest of the block, and excludes all others; other
   * reads and writes run beside one another.
   */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  private volatile boolean closed;

  /**
   * @param bytes size, a multiple of the size of a block
   */
  BorrowedArena(long bytes, LoanKeeper keeper) {
    this.bytes = bytes;
    this.keeper = keeper;
    blocks = new BlockTable(bytes);
  }

  @Override
  public long capacityBytes() {
    return bytes;
  }

  @Override
  public long pieceBytes() {
    return Math.min(MOST_PIECE_BYTES, bytes);
  }

  @Override
  public ByteBuffer view(long offset, int length) {
    throw new UnsupportedOperationException(
        "bytes of " + description() + " can only be copied, not viewed");
  }

  private LoanKeeper.Held held() {
    LoanKeeper.Held held = keeper.held();
    if (held == null || closed) {
      throw new DeviceLostException(description() + ": there is no loan now", null);
    }
    return held;
  }

  private DeviceLostException lost(LoanKeeper.Held held, IOException cause) {
    keeper.lose(held, cause);
    return new DeviceLostException(
        "memory lent by %s is lost: %s".formatted(held.lender().address(), cause.getMessage()),
        cause);
  }

  private void check(long offset, int length) {
    if (offset < 0 || length < 0 || offset > bytes - length) {
      throw new IndexOutOfBoundsException(
          String.format(
              Locale.ROOT,
              "device %s: bytes %d to %d are not all within its %d bytes",
              description(),
              offset,
              offset + length,
              bytes));
    }
  }

  @Override
  public int put(long offset, ByteBuffer source) {
    check(offset, source.remaining());
    int length = Math.min(MOST_BYTES, source.remaining());
    if (length == 0) {
      return 0;
    }
    LoanKeeper.Held held = held();
    boolean whole = wholeBlocks(offset) && wholeBlocks(offset + length);
    Lock taken = whole ? lock.readLock() : lock.writeLock();
    taken.lock();
    try {
      ByteBuffer part = source.slice(source.position(), length);
      long start = BlockTable.start(BlockTable.blockOf(offset));
      ByteBuffer data = whole ? part : completed(held, offset, part);
      held.loan().put(start, data);
      record(held.epoch(), BlockTable.blockOf(offset), data);
      source.position(source.position() + length);
      held.lender().copied(length);
      return length;
    } catch (IOException failed) {
      throw lost(held, failed);
    } finally {
      taken.unlock();
    }
  }

  private static boolean wholeBlocks(long offset) {
    return offset % BlockTable.BLOCK_BYTES == 0;
  }

  /**
   * Returns the bytes from the start of the first block, up to the last byte written now or before
   * in the last block.
   */
  private ByteBuffer completed(LoanKeeper.Held held, long offset, ByteBuffer part)
      throws IOException {
    int first = BlockTable.blockOf(offset);
    int last = BlockTable.blockOf(offset + part.remaining() - 1);
    int head = (int) (offset - BlockTable.start(first));
    int endInLast = (int) (offset + part.remaining() - BlockTable.start(last));
    int tail = blocks.written(last) > endInLast ? written(held, last) - endInLast : 0;
    ByteBuffer data = ByteBuffer.allocate(head + part.remaining() + tail);
    if (head > 0) {
      read(held, BlockTable.start(first), data.slice(0, head));
    }
    data.put(head, part, part.position(), part.remaining());
    if (tail > 0) {
      read(held, offset + part.remaining(), data.slice(head + part.remaining(), tail));
    }
    return data;
  }

  /** Returns how many bytes of a block were written in the present loan. */
  private int written(LoanKeeper.Held held, int block) {
    int written = blocks.written(block);
    if (written > 0 && blocks.epoch(block) != held.epoch()) {
      // Overwritten in part, the rest would be lost unnoticed.
      throw new DeviceLostException(
          "%s: block %d was in a loan that is lost".formatted(description(), block), null);
    }
    return written;
  }

  private void record(int epoch, int first, ByteBuffer data) {
    int block = first;
    for (int at = 0; at < data.remaining(); at += BlockTable.BLOCK_BYTES) {
      int length = Math.min(BlockTable.BLOCK_BYTES, data.remaining() - at);
      blocks.write(block++, epoch, data.slice(data.position() + at, length));
    }
  }

  @Override
  public void get(long offset, ByteBuffer target) {
    check(offset, target.remaining());
    LoanKeeper.Held held = held();
    lock.readLock().lock();
    try {
      long at = offset;
      while (target.hasRemaining()) {
        int length = Math.min(MOST_BYTES, target.remaining());
        read(held, at, target.slice(target.position(), length));
        target.position(target.position() + length);
        held.lender().copied(length);
        at += length;
      }
    } catch (IOException failed) {
      throw lost(held, failed);
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Reads the blocks around some bytes, verifies them, and copies the bytes. */
  private void read(LoanKeeper.Held held, long offset, ByteBuffer target) throws IOException {
    int first = BlockTable.blockOf(offset);
    int last = BlockTable.blockOf(offset + target.remaining() - 1);
    long start = BlockTable.start(first);
    long end = start;
    for (int block = first; block <= last; block++) {
      int written = written(held, block);
      end = written > 0 ? BlockTable.start(block) + written : end;
    }
    if (end == start) {
      fill(target, target.remaining());
      return;
    }
    held.loan()
        .get(
            start,
            (int) (end - start),
            data -> {
              verify(first, last, data);
              copy(data, (int) (offset - start), target);
            });
  }

  private void verify(int first, int last, ByteBuffer data) throws ProtocolException {
    int base = data.position();
    for (int block = first; block <= last; block++) {
      int written = blocks.written(block);
      int at = (int) (BlockTable.start(block) - BlockTable.start(first));
      if (written > 0 && !blocks.matches(block, data.slice(base + at, written))) {
        throw new ProtocolException(
            "the lender gave other bytes back for block %d than it got".formatted(block));
      }
      // What lies between written blocks counts as 0, whatever the lender sent.
      for (int i = written; i < BlockTable.BLOCK_BYTES && at + i < data.remaining(); i++) {
        data.put(base + at + i, (byte) 0);
      }
    }
  }

  private static void copy(ByteBuffer data, int from, ByteBuffer target) {
    int there = Math.max(0, Math.min(target.remaining(), data.remaining() - from));
    ByteBuffer into = target.duplicate();
    if (there > 0) {
      into.put(data.slice(data.position() + from, there));
    }
    fill(into, into.remaining());
  }

  private static void fill(ByteBuffer target, int zeros) {
    ByteBuffer into = target.duplicate();
    into.put(new byte[zeros]);
  }

  @Override
  public void discard(long offset, long length) {
    // Whole blocks only: the others belong to neighbours as well.
    int first = BlockTable.blockOf(offset + BlockTable.BLOCK_BYTES - 1);
    int end = BlockTable.blockOf(offset + length);
    if (first < end) {
      blocks.forget(first, end);
    }
  }

  @Override
  public String description() {
    LoanKeeper.Held held = keeper.held();
    return held == null ? "borrowed memory" : "memory lent by " + held.lender().address();
  }

  @Override
  public void close() {
    closed = true;
    keeper.close();
  }
}
