package io.idlalayer.middleware.models.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes new files and syncs them, several at a time: who syncs one after the other waits for the
 * disk once for each. Any thread.
 */
final class FileWrites {
  private static final int THREADS = 4;
  private static final int MOST_WAITING = 64;
  private static final long IDLE_SECONDS = 10;

  /** Shared by all stores of the process; its threads end when they have had nothing to do. */
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
              Thread thread = new Thread(task, "model-file-writer");
              thread.setDaemon(true);
              return thread;
            },
            new ThreadPoolExecutor.CallerRunsPolicy());
    helpers.allowCoreThreadTimeOut(true);
    return helpers;
  }

  /** Creates a file with this content and syncs it. */
  static void write(Path file, byte[] content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /**
   * Creates files with these contents and syncs them. When it returns or throws, nobody writes them
   * any more.
   *
   * @throws IOException the first failure, with the others
   */
  static void write(Map<Path, byte[]> files) throws IOException {
    List<Callable<@Nullable Void>> writes = new ArrayList<>();
    files.forEach(
        (file, content) ->
            writes.add(
                () -> {
                  write(file, content);
                  return null;
                }));
    List<Future<@Nullable Void>> others = new ArrayList<>();
    for (Callable<@Nullable Void> each : writes.subList(0, Math.max(0, writes.size() - 1))) {
      others.add(HELPERS.submit(each));
    }
    IOException failed = null;
    if (!writes.isEmpty()) {
      failed = failure(writes.get(writes.size() - 1));
    }
    for (Future<@Nullable Void> other : others) {
      IOException also = failure(() -> ended(other));
      if (failed == null) {
        failed = also;
      } else if (also != null) {
        failed.addSuppressed(also);
      }
    }
    if (failed != null) {
      throw failed;
    }
  }

  private static @Nullable IOException failure(Callable<@Nullable Void> write) {
    try {
      write.call();
      return null;
    } catch (IOException failed) {
      return failed;
    } catch (Exception failed) {
      return new IOException(failed);
    }
  }

  /** Waits also while the thread is interrupted, which stays so. */
  private static @Nullable Void ended(Future<@Nullable Void> write) throws Exception {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return write.get();
        } catch (InterruptedException again) {
          interrupted = true;
        } catch (ExecutionException failed) {
          throw failed.getCause() instanceof IOException cause ? cause : failed;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
