package io.idlalayer.jobs.operator;

import org.apache.flink.api.common.state.ValueState;
import org.jspecify.annotations.Nullable;

/**
 * A value of bytes in Flink's keyed state, for the learner of the current key. A call that fails
 * throws an exception that {@link StateFailures} creates.
 *
 * @param name name of the state, for messages
 */
record KeyedValue(ValueState<byte[]> state, String name, StateFailures failures) {
  byte @Nullable [] get() {
    try {
      return state.value();
    } catch (Exception failed) {
      throw failures.of("cannot read state " + name, failed);
    }
  }

  /**
   * Writes the value of the current key.
   *
   * @param bytes new value, or null to delete it
   */
  void put(byte @Nullable [] bytes) {
    try {
      if (bytes == null) {
        state.clear();
      } else {
        state.update(bytes);
      }
    } catch (Exception failed) {
      throw failures.of("cannot write state " + name, failed);
    }
  }
}
