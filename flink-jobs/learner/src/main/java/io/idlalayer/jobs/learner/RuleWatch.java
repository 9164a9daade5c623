package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.storage.SmallTextFile;
import io.idlalayer.middleware.fuzzy.fcl.FclException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Watches the file with the fuzzy rules, and loads its changes into a running learner. If the file
 * is invalid, missing or cannot be read, the rules do not change. The operator's thread calls this
 * object from time to time and never waits for the file: a separate thread reads the file, because
 * a network file system sometimes does not answer.
 */
final class RuleWatch {
  private static final long LOOK_MILLIS = 1000;

  /** Time in milliseconds after which a read that has not ended is reported. */
  static final long SLOW_MILLIS = 30_000;

  /**
   * Number of failed reads in a row after which the failure is reported. A few failures are normal
   * while an editor replaces the file.
   */
  static final int FEW_FAILURES = 5;

  private final @Nullable Path file;
  private final DataController data;
  private final Executor reads;
  private String seen;
  private @Nullable CompletableFuture<String> reading;
  private long beganMillis;
  private long nextLookMillis;
  private int failures;
  private boolean saidSlow;

  RuleWatch(DataSettings.Staging settings, DataController data) {
    this(settings, data, RuleWatch::onAnotherThread);
  }

  RuleWatch(DataSettings.Staging settings, DataController data, Executor reads) {
    Path named = Path.of(settings.rulesName());
    boolean watched = settings.score() == DataSettings.Score.RULES && named.isAbsolute();
    file = watched ? named : null;
    this.data = data;
    this.reads = reads;
    seen = settings.rules();
  }

  private static void onAnotherThread(Runnable read) {
    Thread thread = new Thread(read, "rule-file");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Processes the result of the last read and begins another read, at most once a second. Returns a
   * readable sentence if the file has changed, or if reads have failed for a while; else null.
   */
  @Nullable String look(long nowMillis) {
    Path path = file;
    if (path == null) {
      return null;
    }
    CompletableFuture<String> read = reading;
    if (read == null) {
      if (nowMillis >= nextLookMillis) {
        nextLookMillis = nowMillis + LOOK_MILLIS;
        beganMillis = nowMillis;
        reading = begin(path);
      }
      return null;
    }
    if (!read.isDone()) {
      return slow(path, nowMillis);
    }
    reading = null;
    boolean wasSlow = saidSlow;
    saidSlow = false;
    String news = read.handle((text, failed) -> found(path, text, failed)).join();
    return news == null && wasSlow ? "the rule file " + path + " can be read again" : news;
  }

  private CompletableFuture<String> begin(Path path) {
    CompletableFuture<String> read = new CompletableFuture<>();
    reads.execute(
        () -> {
          try {
            read.complete(SmallTextFile.read(path));
          } catch (IOException | RuntimeException unreadable) {
            read.completeExceptionally(unreadable);
          }
        });
    return read;
  }

  private @Nullable String slow(Path path, long nowMillis) {
    if (saidSlow || nowMillis - beganMillis < SLOW_MILLIS) {
      return null;
    }
    saidSlow = true;
    return "kept the rules; %s cannot be read: nothing has come for %d s, check its file system"
        .formatted(path, SLOW_MILLIS / 1000);
  }

  private @Nullable String found(Path path, @Nullable String now, @Nullable Throwable unreadable) {
    if (unreadable != null || now == null) {
      failures++;
      return failures == FEW_FAILURES
          ? "kept the rules; the file cannot be read: " + unreadable
          : null;
    }
    failures = 0;
    if (now.equals(seen)) {
      return null;
    }
    seen = now;
    try {
      data.useRules(path.toString(), now);
      return "took the changed rules of " + path;
    } catch (FclException broken) {
      return "kept the rules; the changed file is refused: " + broken.getMessage();
    }
  }
}
