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
 * Decides whether an operation that failed at a broker is tried again. An operation with a
 * transient failure is tried again until a number of successive attempts made no progress. Kafka's
 * clients measure timeouts by the wall clock, so if the clock is set forward, requests time out
 * although nothing is broken. There is no pause between attempts: each one opens a new connection
 * and reads the topic first, and most failures come after the client's own timeouts.
 */
final class Retry {
  static final int ATTEMPTS_MAX = 5;

  private int failed;
  private long furthest = -1;

  /**
   * Records a failed attempt, and decides whether another one follows.
   *
   * @param progress total progress; an increase resets the count of failures
   * @return whether to try again
   */
  boolean again(Throwable failure, long progress) {
    failed = progress > furthest ? 1 : failed + 1;
    furthest = Math.max(furthest, progress);
    return failed < ATTEMPTS_MAX && mayPass(failure);
  }

  /** Returns the number of successive failed attempts without progress. */
  int failed() {
    return failed;
  }

  /** Returns whether a failure, or its cause, can be transient. */
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
              // While a clock is being set, timestamps of records can be further ahead of the
              // broker's clock than the broker allows.
              || each instanceof InvalidTimestampException
              // A new producer has a sequence of its own.
              || each instanceof OutOfOrderSequenceException
              || each instanceof InvalidProducerEpochException
              || each instanceof UnknownProducerIdException;
    }
    return passing;
  }
}
