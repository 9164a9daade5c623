package io.idlalayer.console.history;

import java.util.List;

/**
 * Numbers of a learner's statuses over time.
 *
 * @param names of the columns
 * @param atMillis epoch milliseconds of the points, ascending
 * @param values by column, then by point; NaN where a status had no such number
 */
public record StatusTable(List<String> names, long[] atMillis, List<double[]> values) {}
