package io.idlalayer.middleware.memory.clock;

/** How the time of a memory passes, and how results that are measured in it are labelled. */
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

  /** Label of results under this clock. Results with different labels never stand in one table. */
  public String label() {
    return label;
  }
}
