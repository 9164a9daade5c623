package io.idlalayer.middleware.memory.clock;

/**
 * Kinds of clocks that time copies and kernels, each with the label that reports print beside its
 * times.
 */
public enum ClockKind {
  /** Clock that measures the wall time of this machine and adds no waits. */
  REAL("REAL"),
  /**
   * Clock that measures wall time and makes copies and kernels wait, so that fast hardware seems as
   * slow as the specified devices.
   */
  INJECT("EMULATED"),
  /**
   * Clock that computes times from the specified speeds of the devices: bytes are copied, but no
   * thread waits.
   */
  VIRTUAL("SIMULATED");

  private final String label;

  ClockKind(String label) {
    this.label = label;
  }

  /**
   * Returns the word that reports print beside a time measured with this clock. One table never has
   * results with different labels.
   */
  public String label() {
    return label;
  }
}
