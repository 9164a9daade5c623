package io.idlalayer.middleware.memory.clock;

/** The clock of a memory, and the label of results that are measured with it. */
public enum ClockKind {
  /** Wall time only. */
  REAL("REAL"),
  /** Wall time, with waits that make devices as slow as their specification. */
  INJECT("EMULATED"),
  /** Computed time: bytes move, but nothing waits. */
  VIRTUAL("SIMULATED");

  private final String label;

  ClockKind(String label) {
    this.label = label;
  }

  /**
   * Returns the label of results under this clock. One table never has results with different
   * labels.
   */
  public String label() {
    return label;
  }
}
