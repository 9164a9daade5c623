package io.idlalayer.middleware.embedding.plan;

import java.io.Serializable;

/**
 * The parameters by which new embedding rows are initialized and rows are trained.
 *
 * @param learningRate above 0
 * @param initialScale the vector of a new row is uniform between this and its negative; its wide
 *     part is 0
 * @param seed seed of the vectors of new rows, which depend on nothing else but table and id
 */
public record RowRule(double learningRate, double initialScale, long seed)
    implements Serializable {}
