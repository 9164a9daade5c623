package io.idlalayer.jobs.produce;

import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Decides whether something that failed at a broker is tried again: a failure that may pass is,
 * until a number of attempts in a row brought nothing. Kafka's clients measure their timeouts by
 * the wall clock, so a clock that is set forward ends them although nothing is broken. There is no
 * pause between attempts: each connects anew and looks at the topic first, and most failures come
 * after the client's own timeouts.
 */
final class Retry {
  static final int ATTEMPTS_MAX = 5;

  private int failed;
  private long furthest = -1;

  /**
   * Notes a failed attempt.
   *
   * @param progress how far it got in all; more than ever before starts the count anew
   * @return whether to try again
   */
  boolean again(Throwable failure, long progress) {
    failed = progress > furthest ? 1 : failed + 1;
    furthest = Math.max(furthest, progress);
    return failed < ATTEMPTS_MAX && mayPass(failure);
  }

  /** Attempts in a row that brought nothing, the first of them included. */
  int failed() {
    return failed;
  }

  /** Whether a failure, or what caused it, may be gone at the next attempt. */
  static boolean mayPass(Throwable failure) {
    boolean passing = false;
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof AuthorizationException
          || each instanceof AuthenticationException
          || each instanceof RecordTooLargeException
          || each instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      passing |=
          each instanceof RetriableException
              || each instanceof TimeoutException
              // While a clock is set, records may be ahead of the broker by more than it takes.
              || each instanceof InvalidTimestampException
              // A new producer begins with a sequence of its own.
              || each instanceof OutOfOrderSequenceException
              || each instanceof InvalidProducerEpochException
              || each instanceof UnknownProducerIdException;
    }
    return passing;
  }
}
