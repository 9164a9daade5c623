package io.idlalayer.jobs.operator;

import java.util.function.BiFunction;

/**
 * What is thrown when keyed state cannot be read or written: it says what failed, why, where the
 * state is and what to do.
 *
 * @param folder that the state is in
 * @param kind makes the exception of a message and its cause
 */
record StateFailures(SlowFolder folder, BiFunction<String, Throwable, RuntimeException> kind) {
  /**
   * @param what failed, without a full stop
   */
  RuntimeException of(String what, Exception cause) {
    return kind.apply("%s (%s). %s".formatted(what, cause.getMessage(), folder.advice()), cause);
  }
}
