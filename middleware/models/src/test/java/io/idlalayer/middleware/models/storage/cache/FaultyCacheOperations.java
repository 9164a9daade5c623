package io.idlalayer.middleware.models.storage.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The real file system, on which the operations from a chosen one on fail; a write has then half of
 * its effect.
 */
class FaultyCacheOperations implements CacheOperations {
  private final CacheOperations real = CacheOperations.system();
  private final AtomicInteger operations = new AtomicInteger();
  private final int from;
  private final int until;

  /** Free bytes of the file system; -1 for the real number. */
  volatile long usableBytes = -1;

  /**
   * @param from number of the first operation that fails
   * @param until number of the first one after it that does not
   */
  FaultyCacheOperations(int from, int until) {
    this.from = from;
    this.until = until;
  }

  /** Operations that never fail. */
  static FaultyCacheOperations never() {
    return new FaultyCacheOperations(Integer.MAX_VALUE, Integer.MAX_VALUE);
  }

  int operations() {
    return operations.get();
  }

  private boolean fails() {
    int number = operations.getAndIncrement();
    return number >= from && number < until;
  }

  private static IOException full() {
    return new IOException("No space left on device");
  }

  @Override
  public void write(FileChannel file, ByteBuffer content, long position) throws IOException {
    if (fails()) {
      content.limit(content.position() + content.remaining() / 2);
      real.write(file, content, position);
      throw full();
    }
    real.write(file, content, position);
  }

  @Override
  public @Nullable FileLock tryLock(FileChannel file) throws IOException {
    if (fails()) {
      throw new IOException("No locks available");
    }
    return real.tryLock(file);
  }

  @Override
  public void move(Path before, Path to) throws IOException {
    if (fails()) {
      throw full();
    }
    real.move(before, to);
  }

  @Override
  public void delete(Path file) throws IOException {
    if (fails()) {
      throw full();
    }
    real.delete(file);
  }

  @Override
  public long usableBytes(Path folder) throws IOException {
    if (fails()) {
      throw full();
    }
    return usableBytes < 0 ? real.usableBytes(folder) : usableBytes;
  }
}
