package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The trusted samples of a learner, which are read again until a read succeeds. If they cannot be
 * read at the learner's start, learning continues without comparisons, and another thread reads
 * them again every minute. Called by the operator's thread.
 */
public final class TrustedWatch {
  /** Milliseconds from the end of one attempt to read the trusted samples to the next. */
  static final long RETRY_MILLIS = 60_000;

  private static final Logger LOG = LoggerFactory.getLogger(TrustedWatch.class);

  private final LearnerKey key;
  private final TrustedSource source;
  private final Executor looks;
  private List<Sample> samples = List.of();
  private String problem = "";
  private @Nullable CompletableFuture<List<Sample>> reading;
  private long readAtMillis = Long.MIN_VALUE;

  /**
   * Creates the watch and reads the trusted samples for the first time.
   *
   * @param key key of the learner, for messages
   * @param looks runs tasks that read the samples again
   */
  public TrustedWatch(LearnerKey key, TrustedSource source, Executor looks) {
    this.key = key;
    this.source = source;
    this.looks = looks;
    try {
      samples = List.copyOf(source.read());
    } catch (IOException unreadable) {
      problem = told(unreadable);
    }
  }

  /**
   * Returns the trusted samples. Empty if models are compared on arriving samples, and while the
   * trusted samples cannot be read.
   */
  public List<Sample> samples() {
    return samples;
  }

  /** Returns a sentence that says why the trusted samples cannot be read; "" if they can. */
  String problem() {
    return problem;
  }

  /**
   * Returns whether the trusted samples have become readable in this call. Starts the next attempt
   * when it is due.
   */
  boolean poll(LearnerTime now) {
    if (problem.isEmpty()) {
      return false;
    }
    CompletableFuture<List<Sample>> ended = reading;
    if (ended != null && ended.isDone()) {
      reading = null;
      readAtMillis = now.millis() + RETRY_MILLIS;
      return take(ended);
    }
    if (ended == null && readAtMillis == Long.MIN_VALUE) {
      readAtMillis = now.millis() + RETRY_MILLIS;
    } else if (ended == null && now.millis() >= readAtMillis) {
      begin();
    }
    return false;
  }

  private void begin() {
    try {
      reading = CompletableFuture.supplyAsync(this::read, looks);
    } catch (RejectedExecutionException closing) {
      LOG.debug("{} is closing and does not read its trusted samples any more", key, closing);
    }
  }

  private List<Sample> read() {
    try {
      return List.copyOf(source.read());
    } catch (IOException unreadable) {
      throw new CompletionException(unreadable);
    }
  }

  private boolean take(CompletableFuture<List<Sample>> ended) {
    try {
      samples = ended.join();
    } catch (CompletionException failed) {
      if (!(failed.getCause() instanceof IOException unreadable)) {
        throw failed;
      }
      problem = told(unreadable);
      return false;
    }
    problem = "";
    return true;
  }

  private String told(IOException unreadable) {
    String found = String.valueOf(unreadable.getMessage());
    if (!found.equals(problem)) {
      LOG.warn("{}: models are not compared, since trusted samples cannot be read: {}", key, found);
    }
    return found;
  }
}
