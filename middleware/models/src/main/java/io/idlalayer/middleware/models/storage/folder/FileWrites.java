package io.idlalayer.middleware.models.storage.folder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes new files and syncs several of them at a time: syncing one after the other would wait for
 * the disk once per file. Safe from any thread.
 */
final class FileWrites {
  private static final int THREADS = 4;
  private static final int MOST_WAITING = 64;
  private static final long IDLE_SECONDS = 10;

  /**
   * Number of bytes written at a time. A small number saves memory: the channel copies each piece
   * to a buffer outside the heap, one buffer per thread.
   */
  private static final int SLICE_BYTES = 1 << 20;

  /**
   * Threads that write files for all stores of the process; they end when they have had nothing to
   * do.
   */
  private static final ThreadPoolExecutor HELPERS = helpers();

  private FileWrites() {}

  private static ThreadPoolExecutor helpers() {
    ThreadPoolExecutor helpers =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MOST_WAITING),
            task -> {
              Thread thread = new Thread(task, FileOperations.WRITER_THREADS);
              thread.setDaemon(true);
              return thread;
            },
            // The calling thread writes its file itself if no helper has started to.
            new ThreadPoolExecutor.DiscardPolicy());
    helpers.allowCoreThreadTimeOut(true);
    return helpers;
  }

  /** Creates a file with the given content and syncs it to disk. */
  static void write(Path file, byte[] content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.position() < content.length) {
        bytes.limit(Math.min(content.length, bytes.position() + SLICE_BYTES));
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /**
   * Creates several files with the given contents and syncs them to disk. When this method returns
   * or throws, no thread writes the files any more. The calling thread writes the files that no
   * helper has started, so it never waits for another caller's files.
   *
   * @throws IOException the first failure; the others are suppressed exceptions
   */
  static void write(Map<Path, byte[]> files) throws IOException {
    List<FutureTask<@Nullable Void>> writes = new ArrayList<>();
    files.forEach(
        (file, content) ->
            writes.add(
                new FutureTask<>(
                    () -> {
                      write(file, content);
                      return null;
                    })));
    Throwable failed = null;
    try {
      writes.subList(0, Math.max(0, writes.size() - 1)).forEach(HELPERS::execute);
    } finally {
      for (int i = writes.size() - 1; i >= 0; i--) {
        writes.get(i).run();
      }
      for (FutureTask<@Nullable Void> write : writes) {
        Throwable also = failure(write);
        if (failed == null) {
          failed = also;
        } else if (also != null) {
          failed.addSuppressed(also);
        }
      }
    }
    if (failed != null) {
      throw rethrown(failed);
    }
  }

  private static IOException rethrown(Throwable failed) {
    if (failed instanceof Error error) {
      throw error;
    }
    return failed instanceof IOException told ? told : new IOException(failed);
  }

  /**
   * Waits for a write and returns its failure, null for none. An interrupt does not end the wait;
   * the interrupt flag of the thread stays set.
   */
  private static @Nullable Throwable failure(FutureTask<@Nullable Void> write) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          write.get();
          return null;
        } catch (InterruptedException again) {
          interrupted = true;
        } catch (ExecutionException failed) {
          return failed.getCause();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
