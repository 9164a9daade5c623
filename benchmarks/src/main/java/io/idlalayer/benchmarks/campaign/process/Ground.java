package io.idlalayer.benchmarks.campaign.process;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What all rounds of a campaign stand on.
 *
 * @param shimLibrary null where there is no C compiler
 * @param brokerShim clock of the broker, which steps with that of the others on the same machine
 */
public record Ground(
    Product product, Broker broker, @Nullable Path shimLibrary, @Nullable Shim brokerShim) {}
