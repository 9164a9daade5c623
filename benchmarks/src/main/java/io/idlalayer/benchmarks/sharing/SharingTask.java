package io.idlalayer.benchmarks.sharing;

import io.idlalayer.middleware.cache.policy.PolicyName;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link SharingWorker} does.
 *
 * @param directory directory of the shared cache, or null for a cache of its own
 * @param cluster what the workers of a run have in common
 * @param cacheBytes what it donates
 * @param process its number, from 0
 * @param processes number of workers
 * @param blocks blocks of all workers together, besides the common ones
 * @param missMicros time of a read that no cache answers
 */
record SharingTask(
    @Nullable String directory,
    String cluster,
    PolicyName policy,
    long cacheBytes,
    BlockWorkload workload,
    int process,
    int processes,
    int blocks,
    int blockBytes,
    long missMicros,
    long seed) {}
