package io.idlalayer.jobs.events;

import org.jspecify.annotations.Nullable;

/**
 * How well the last label of the same key would have predicted the labels of events, in an
 * application that keeps no history of keys.
 *
 * @param field field whose value is the key; "" if all events are of one key
 * @param samples number of labels since the start of the learner that had a previous label of the
 *     same key
 * @param accuracy share of these labels that were equal to the previous label of the key; null for
 *     targets
 * @param meanAbsoluteError mean absolute difference of these labels from the previous label of the
 *     key, in units of the label; null for classes
 */
public record LastLabel(
    String field, long samples, @Nullable Double accuracy, @Nullable Double meanAbsoluteError) {}
