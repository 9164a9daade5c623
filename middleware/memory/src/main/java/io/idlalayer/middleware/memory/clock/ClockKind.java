package io.idlalayer.middleware.memory.clock;

/** How time passes for a memory, and so what its times may be called. */
public enum ClockKind {
  /** Wall time only. */
  REAL("REAL"),
  /** Wall time, with waits that make devices as slow as their specification. */
  INJECT("EMULATED"),
  /** Computed time: bytes move, but no time is spent on purpose. */
  VIRTUAL("SIMULATED");

  private final String label;

  ClockKind(String label) {
    this.label = label;
  }

  /** What results under this clock are labelled with; labels are never mixed. */
  public String label() {
    return label;
  }
}
