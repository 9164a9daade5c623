package io.idlalayer.modelruntime.inference;

import java.util.Arrays;

/** The element types of the protocol's tensors that a model accepts. */
public enum Datatype {
  FP32(4),
  FP64(8),
  INT32(4),
  INT64(8),
  BYTES(0);

  private final int bytes;

  Datatype(int bytes) {
    this.bytes = bytes;
  }

  /**
   * Returns the type with a name.
   *
   * @throws InferenceException if there is none; the message names the input
   */
  public static Datatype of(String input, String name) throws InferenceException {
    for (Datatype each : values()) {
      if (each.name().equals(name)) {
        return each;
      }
    }
    throw InferenceException.wrong(
        "input '%s': datatype '%s' is none of %s"
            .formatted(input, name, Arrays.toString(values())));
  }

  /** Returns the bytes of an element in binary form; 0 if they differ. */
  int bytes() {
    return bytes;
  }

  boolean integral() {
    return this == INT32 || this == INT64;
  }

  boolean number() {
    return this != BYTES;
  }
}
