package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.publish.ServedVersion;
import java.util.concurrent.CompletableFuture;

/**
 * A rollback under way: a separate thread sets the pin that puts an older version in service.
 *
 * @param from the version that is worse
 * @param to the version that will serve again
 * @param found the finding, as a readable sentence
 * @param foundAtMillis time of the finding; later attempts to set the pin do not change it
 */
record RollBack(
    ServedVersion from,
    ServedVersion to,
    String found,
    long foundAtMillis,
    CompletableFuture<Void> pin) {}
