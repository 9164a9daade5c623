package io.idlalayer.benchmarks.cache;

import io.idlalayer.benchmarks.cache.BlockLog.Reference;
import java.util.List;

/**
 * A finished computation over blocks.
 *
 * @param liveBlocks number of blocks in use at one time: the input, and one version of the changing
 *     data
 * @param steps number of iterations until the result converged
 * @param references the reads, in order
 * @param result result of the computation, for a comparison with a plain implementation
 */
record BlockRun(
    String name,
    int executors,
    int liveBlocks,
    int steps,
    List<Reference> references,
    double[][] result) {}
