package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.publish.ServedVersion;
import java.util.concurrent.CompletableFuture;

/**
 * A pin that is being set, by a thread of its own.
 *
 * @param from the version that is worse
 * @param to the one that is to serve again
 * @param found what was found, for people
 * @param foundAtMillis when that was first found, however often it was tried since
 */
record RollBack(
    ServedVersion from,
    ServedVersion to,
    String found,
    long foundAtMillis,
    CompletableFuture<Void> pin) {}
