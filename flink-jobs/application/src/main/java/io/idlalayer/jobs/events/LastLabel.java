package io.idlalayer.jobs.events;

import org.jspecify.annotations.Nullable;

/**
 * How well the last label of the same key would have predicted the labels of events, in an
 * application that keeps no history of keys.
 *
 * @param field field whose value is the key; "" if all events are of one key
 * @param samples number of labels before which another of their key had come, since the learner
 *     started
 * @param accuracy share of them that were the class of the one before; null for targets
 * @param meanAbsoluteError mean difference of them from the one before, in units of the label; null
 *     for classes
 */
public record LastLabel(
    String field, long samples, @Nullable Double accuracy, @Nullable Double meanAbsoluteError) {}
