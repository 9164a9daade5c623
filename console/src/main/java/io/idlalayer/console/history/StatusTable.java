package io.idlalayer.console.history;

import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import java.util.List;

/**
 * The numbers of a learner's statuses over time.
 *
 * @param names names of the columns
 * @param atMillis epoch milliseconds of the points, ascending
 * @param values the numbers, by column and then by point. A number that the status of a point does
 *     not have is NaN, and null in JSON
 */
public record StatusTable(
    List<String> names,
    long[] atMillis,
    @JsonSerialize(contentUsing = ColumnSerializer.class) List<double[]> values) {}
