package io.idlalayer.jobs.terminal;

import io.idlalayer.jobs.storage.StorageFault;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.status.StatusData;
import org.apache.logging.log4j.status.StatusListener;
import org.apache.logging.log4j.status.StatusLogger;
import org.jspecify.annotations.Nullable;

/**
 * A listener that prints one sentence when the libraries' log cannot be written. Log4j itself would
 * print a stack trace for each line that it loses, which is a hundred lines when a disk is full.
 * Safe from any thread.
 */
final class LogTrouble implements StatusListener {
  private final PrintStream err;
  private final AtomicBoolean said = new AtomicBoolean();

  LogTrouble(PrintStream err) {
    this.err = err;
  }

  /** Makes Log4j pass its own failures to a listener of this class instead of printing them. */
  static void listen() {
    StatusLogger.getLogger().registerListener(new LogTrouble(System.err));
  }

  @Override
  public void log(StatusData failure) {
    if (!said.compareAndSet(false, true)) {
      return;
    }
    Throwable thrown = failure.getThrowable();
    err.println(
        "warning: the log of Kafka and Flink cannot be written%s: %s; the command goes on without it"
            .formatted(place(), why(failure, thrown)));
    err.flush();
  }

  private static String place() {
    String file = LogFile.file();
    return file.isEmpty() ? "" : " to " + file;
  }

  private static String why(StatusData failure, @Nullable Throwable thrown) {
    return StorageFault.of(thrown)
        .map(fault -> fault.cause().reason())
        .orElseGet(
            () ->
                failure.getMessage().getFormattedMessage()
                    + (thrown == null ? "" : " (" + thrown.getMessage() + ")"));
  }

  @Override
  public Level getStatusLevel() {
    return Level.ERROR;
  }

  @Override
  public void close() {
    // This listener has nothing to close.
  }
}
