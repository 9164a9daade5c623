package io.idlalayer.benchmarks.cache;

import io.idlalayer.benchmarks.cache.BlockLog.Reference;
import java.util.List;

/**
 * A finished computation over blocks.
 *
 * @param liveBlocks blocks that are of use at one time: the input, and one version of what changes
 * @param steps iterations until the result stood still
 * @param references what was read, in order
 * @param result of the computation, for a comparison with a plain one
 */
record BlockRun(
    String name,
    int executors,
    int liveBlocks,
    int steps,
    List<Reference> references,
    double[][] result) {}
