package io.idlalayer.benchmarks.tensors;

import io.idlalayer.middleware.memory.ClockKind;
import io.idlalayer.middleware.placement.PlacementName;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be measured.
 *
 * @param batch examples of a mini-batch
 * @param steps measured under each policy
 * @param warmUps before them, each time that a policy has its turn
 * @param undersized whether to go on although a kernel's arguments do not fit the fast device
 * @param profiles directory of recorded steps
 */
record TensorPlan(
    ReferenceNet net,
    NetScale scale,
    int batch,
    FastBudget fast,
    List<PlacementName> policies,
    ClockKind clock,
    int steps,
    int warmUps,
    boolean undersized,
    Path slowDirectory,
    @Nullable Path profiles) {}
