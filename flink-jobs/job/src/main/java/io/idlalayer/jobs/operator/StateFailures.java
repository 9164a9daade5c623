package io.idlalayer.jobs.operator;

import java.util.function.BiFunction;

/**
 * Creates exceptions for keyed state that cannot be read or written. The message says what failed,
 * why, where the state is and what to do.
 *
 * @param folder folder of the state
 * @param kind creates the exception from a message and its cause
 */
record StateFailures(SlowFolder folder, BiFunction<String, Throwable, RuntimeException> kind) {
  /**
   * Returns the exception for a failure, with advice about the folder of the state.
   *
   * @param what sentence about what failed, without a full stop
   */
  RuntimeException of(String what, Exception cause) {
    return kind.apply("%s (%s). %s".formatted(what, cause.getMessage(), folder.advice()), cause);
  }
}
