package io.idlalayer.benchmarks.rows.fixed;

/**
 * What a table did since it was made.
 *
 * @param hits lookups of rows that were in DRAM
 * @param misses lookups of rows that were not
 * @param updatedInDram updates of rows that were in DRAM
 * @param updatedInBase updates of rows that were not
 * @param cached rows that were copied to DRAM
 * @param writtenRows rows that a flush wrote to the base
 * @param droppedPages pages that a flush emptied
 * @param droppedBytes of these pages: what a flush would have written that only knew dirty pages
 * @param notFinite updates of a row by a gradient with NaN or an infinite number
 */
public record FixedStats(
    long hits,
    long misses,
    long updatedInDram,
    long updatedInBase,
    long cached,
    long writtenRows,
    long droppedPages,
    long droppedBytes,
    long notFinite) {
  /** Hits of all lookups; NaN if there were none. */
  public double hitRate() {
    return (double) hits / (hits + misses);
  }
}
