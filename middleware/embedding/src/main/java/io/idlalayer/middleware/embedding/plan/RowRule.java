package io.idlalayer.middleware.embedding.plan;

import java.io.Serializable;

/**
 * How rows begin and learn.
 *
 * @param learningRate above 0
 * @param initialScale the vector of a new row is uniform between this and its negative; its wide
 *     part is 0
 * @param seed of the vectors of new rows, which otherwise depend on table and id only
 */
public record RowRule(double learningRate, double initialScale, long seed)
    implements Serializable {}
