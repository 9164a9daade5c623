package io.idlalayer.benchmarks.rows.fixed;

/** What may happen to a table. */
public enum Phase {
  /** Lookups by any threads, which may copy rows to DRAM; rows do not change. */
  FORWARD,
  /** Updates by one thread; no row moves. */
  UPDATE,
  /** Pages of rows leave DRAM; nobody else uses the table. */
  FLUSH
}
