package io.idlalayer.middleware.memory.device;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Transfers between a file and a few aligned buffers, on threads that no other code interrupts: an
 * interrupt of a thread that reads or writes a {@code FileChannel} would close the file, which has
 * no name to open it again. A caller waits for the end of its transfer; an interrupt of the caller
 * stays pending. Any thread.
 */
final class DirectTransfers implements AutoCloseable {
  /**
   * Transfers that run beside one another, and buffers: one for each direction of copies in the
   * background, and for two threads that copy on their own.
   */
  static final int MOST = 4;

  private static final int BUFFER_BYTES = 1 << 20;
  private static final long IDLE_SECONDS = 5;

  private final DirectFile file;
  private final int bufferBytes;
  private final Semaphore room = new Semaphore(MOST);
  private final Queue<ByteBuffer> free = new ConcurrentLinkedQueue<>();
  private final ThreadPoolExecutor threads;

  /**
   * @param fileBytes size of the file, a multiple of its block
   */
  DirectTransfers(DirectFile file, long fileBytes) {
    this.file = file;
    // A transfer of 1 MiB that begins and ends within blocks covers one block more.
    bufferBytes =
        (int) Math.min(fileBytes, Math.max(BUFFER_BYTES, file.blockBytes()) + file.blockBytes());
    threads =
        new ThreadPoolExecutor(
            MOST,
            MOST,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            // Each transfer has a buffer, so that there are never more of them.
            new LinkedBlockingQueue<>(MOST),
            task -> {
              Thread made =
                  new Thread(task, String.format(Locale.ROOT, "transfer-%08x", hashCode()));
              made.setDaemon(true);
              return made;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /** Returns the size of a buffer, a multiple of the file's block. */
  int bufferBytes() {
    return bufferBytes;
  }

  /**
   * Waits until a buffer is free and takes it.
   *
   * @throws DeviceFailureException if the process may not have that much memory
   */
  ByteBuffer take() {
    room.acquireUninterruptibly();
    boolean taken = false;
    try {
      ByteBuffer buffer = free.poll();
      buffer = buffer == null ? file.buffer(bufferBytes) : buffer;
      taken = true;
      return buffer.clear();
    } catch (OutOfMemoryError e) {
      throw new DeviceFailureException(
          "no %,d bytes outside the heap for copies past the page cache; raise -XX:MaxDirectMemorySize"
              .formatted(bufferBytes),
          e);
    } finally {
      if (!taken) {
        room.release();
      }
    }
  }

  /** Gives a buffer back. */
  void give(ByteBuffer buffer) {
    free.add(buffer);
    room.release();
  }

  /** Reads whole blocks of the file into a buffer, from its position to its limit. */
  void read(long offset, ByteBuffer into) throws IOException {
    run(
        () -> {
          file.read(offset, into);
          return null;
        });
  }

  /** Writes a buffer, from its position to its limit, to whole blocks of the file. */
  void write(long offset, ByteBuffer from) throws IOException {
    run(
        () -> {
          file.write(offset, from);
          return null;
        });
  }

  private void run(Callable<?> transfer) throws IOException {
    Future<?> running;
    try {
      running = threads.submit(transfer);
    } catch (RejectedExecutionException closed) {
      throw new IOException("the file is closed", closed);
    }
    boolean interrupted = false;
    try {
      while (true) {
        try {
          running.get();
          return;
        } catch (InterruptedException e) {
          // The buffer belongs to the transfer until it ends.
          interrupted = true;
        } catch (ExecutionException e) {
          Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
          throw new IOException(cause.getMessage(), cause);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Ends the threads after their transfers, and gives up the free buffers. */
  @Override
  public void close() {
    threads.shutdown();
    free.clear();
  }
}
