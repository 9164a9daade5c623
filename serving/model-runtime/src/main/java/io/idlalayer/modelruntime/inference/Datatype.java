package io.idlalayer.modelruntime.inference;

import java.util.Arrays;

/** The element types of the protocol's tensors that a model accepts. */
enum Datatype {
  FP32,
  FP64,
  INT32,
  INT64,
  BYTES;

  static Datatype of(String input, String name) throws InferenceException {
    for (Datatype each : values()) {
      if (each.name().equals(name)) {
        return each;
      }
    }
    throw InferenceException.wrong(
        "input '%s': datatype '%s' is none of %s"
            .formatted(input, name, Arrays.toString(values())));
  }

  boolean integral() {
    return this == INT32 || this == INT64;
  }

  boolean number() {
    return this != BYTES;
  }
}
